/**
 * The forms of words that rule something out, and what each of them rules out.
 *
 * What a newcomer gets wrong: a form says nothing about who is meant. Whether a user
 * asks something of us or tells what a program does is judged by what stands around
 * it (`promises.ts`).
 */

import { formsAbroad } from "./promise-forms-abroad.js";

/** Every way to change a file. */
export const allChanges: readonly string[] = ["write", "create", "delete", "rename"];

/** What forms of words forbid, without and with an object. */
const verbs: readonly {
  readonly words: string;
  readonly actions: readonly string[];
  readonly bare: boolean;
}[] = [
  {
    words:
      "touch(?:ing)?|chang(?:e|ing)|edit(?:ing)?|modify(?:ing)?|alter(?:ing)?|rewrit(?:e|ing)|overwrit(?:e|ing)|updat(?:e|ing)|writ(?:e|ing)(?: to)?|mess(?:ing)? with|tamper(?:ing)? with",
    actions: allChanges,
    bare: false,
  },
  { words: "delet(?:e|ing)|remov(?:e|ing)|eras(?:e|ing)", actions: ["delete"], bare: false },
  { words: "renam(?:e|ing)|mov(?:e|ing)", actions: ["rename"], bare: false },
  { words: "force[- ]push(?:ing)?", actions: ["force-push"], bare: true },
  { words: "push(?:ing)?", actions: ["push"], bare: true },
  { words: "commit(?:ting)?", actions: ["commit"], bare: true },
  { words: "publish(?:ing)?", actions: ["publish"], bare: true },
  { words: "deploy(?:ing)?", actions: ["deploy"], bare: true },
  { words: "install(?:ing)?", actions: ["install"], bare: true },
  { words: "go(?:ing)? online", actions: ["network"], bare: true },
];

export const not =
  "(?:do not|don['’]?t|dont|never|must not|mustn['’]t|should not|shouldn['’]t|may not|not to|without|refrain from|avoid)";
/** Of oneself; in the talk of a user these words tell what a program fails to do. */
export const notOfOneself = "(?:will not|won['’]t|shall not|cannot|can['’]t|nor|neither)";
export const adverbs = "(?:(?:ever|even|directly|also|please|accidentally|otherwise|you|we|I|it|to) )*";

export interface Form {
  readonly form: RegExp;
  readonly actions: readonly string[];
  /**
   * Where the thing stands; `none` needs none, `bare` bears none but "it", "anything" and the like, and
   * `bareEnd` none at all.
   */
  readonly object: "after" | "before" | "none" | "bare" | "bareEnd" | "optional";
  /** Nothing may follow the thing. */
  readonly last?: true;
  /** Only in a commitment of a plan; a user who says so describes something. */
  readonly promised?: true;
  /** Not English. */
  readonly abroad?: true;
}

export const forms: readonly Form[] = [
  ...verbs.map(({ words, actions, bare }): Form => ({
    form: new RegExp(
      `\\b(?:${not}|${notOfOneself}) ${adverbs}(?:(?:touch|change|edit|modify|create|add|delete|remove|rename|move|commit|push)(?:ing)?(?:, | or | and |, or ))*(?:${words})\\b`,
      "iu",
    ),
    actions,
    object: bare ? "bare" : "after",
  })),
  {
    form: /^(?:please |this is |this task is |strictly |work |stay |in )*read[- ]only(?: mode| task| access| please)*(?=$|:| for| in)/iu,
    actions: allChanges,
    object: "optional",
  },
  { form: /\bno force[- ]push(?:es|ing)?\b/iu, actions: ["force-push"], object: "none" },
  { form: /\b(?:only|just) (?:read|look)\b(?! (?:only|at the))/iu, actions: allChanges, object: "none" },
  {
    form: /\b(?:change|edit|modify|touch|write) nothing\b(?! (?:else|but|except|other|outside))/iu,
    actions: allChanges,
    object: "none",
  },
  {
    form: /\b(?:delete|remove) nothing\b(?! (?:else|but|except|other|outside|in|under|from|below))|(?<!\bwhere )\bnothing (?:is|gets|may be|must be|will be|should be) (?:deleted|removed)\b/iu,
    actions: ["delete"],
    object: "none",
  },
  {
    form: /\bno (?:file )?(?:deletions?|deletes|deleting|removals?|removing)\b(?! (?:in|under|of|from|below|inside|within|outside|except|beyond)\b)/iu,
    actions: ["delete"],
    object: "none",
  },
  {
    form: /\b(?:no (?:file )?(?:deletions?|removals?)|(?:delete|remove) nothing) (?:in|under|of|from|below|inside|within)\b/iu,
    actions: ["delete"],
    object: "after",
  },
  {
    form: /\bno (?:file )?(?:renames?|renaming|moves)\b(?! (?:in|under|of|outside|except)\b)/iu,
    actions: ["rename"],
    object: "none",
  },
  {
    form: /\bno (?:file )?(?:renames?|renaming|moves) (?:in|under|of)\b/iu,
    actions: ["rename"],
    object: "after",
  },
  ...(
    [
      ["push", "push(?:es|ing)?", "pushed"],
      ["commit", "commit(?:s|ting)?", "committed"],
      ["deploy", "deploy(?:s|ments?|ing)?", "deployed"],
      ["publish", "(?:publish(?:ing)?|releases?)", "(?:published|released)"],
    ] as const
  ).flatMap(([action, noun, done]): readonly Form[] => [
    { form: new RegExp(`\\bno ${noun}\\b`, "iu"), actions: [action], object: "bare" },
    {
      form: new RegExp(
        `\\bI(?:'ll| will| shall)? ${action} (?:it |that |them |this |everything )?(?:myself|later|by hand)\\b|\\bleave (?:the )?${noun} to me\\b|\\bnothing (?:is|gets|may be|must be|will be|should be) ${done}\\b(?! (?:to|before|until|without))|\\b(?:do not|don['’]t|never) (?:make|create) (?:a |any )?${noun}\\b`,
        "iu",
      ),
      actions: [action],
      object: "none",
    },
  ]),
  {
    form: /\b(?:do not|don['’]t|never|without) (?:chang(?:e|ing)|updat(?:e|ing)|touch(?:ing)?|modify(?:ing)?|bump(?:ing)?|upgrad(?:e|ing)|add(?:ing)? to) (?:the |any |our )?dependencies\b|\b(?:do not|don['’]t|never) (?:pull in|bring in|introduce) (?:any |new |other |more )*(?:dependenc(?:y|ies)|packages?|librar(?:y|ies))\b/iu,
    actions: ["install"],
    object: "none",
  },
  {
    form: /^(?:these|those|the following)(?: files?| folders?| paths?)? (?:stay|remain|are (?:off[- ]limits|frozen|protected|taboo))(?: as (?:they are|is)| untouched| unchanged)?\s*:/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\b(?:no|without|never add|do not add|don['’]t add|avoid) (?:any )?(?:new |extra |additional |more |further |third-party )+(?:npm |runtime |dev |external )?(?:dependenc(?:y|ies)|packages?|librar(?:y|ies)|modules)\b|\bno (?:install(?:s|ations?|ing)?)\b|\b(?:do not|don['’]t|never) add (?:any )?(?:dependenc(?:y|ies)|packages?)\b/iu,
    actions: ["install"],
    object: "none",
  },
  {
    form: /\bwithout(?: any| using)?(?: the)? (?:network|internet|web)\b/iu,
    actions: ["network"],
    object: "none",
    promised: true,
  },
  {
    form: /\b(?:no|avoid)(?: any)?(?: use of)?(?: the)? (?:network|internet|web)\b|\b(?:stay|work|remain) offline\b|\boffline only\b|\b(?:do not|don['’]t|never) (?:use|access|touch) (?:the )?(?:network|internet|web)\b/iu,
    actions: ["network"],
    object: "none",
  },
  {
    form: /\b(?:no|without)(?: any)? (?:shell(?: commands?)?|terminal|commands)\b|\b(?:do not|don['’]t|never) (?:use|run|open) (?:the shell|a shell|any commands?|shell commands?|commands)\b/iu,
    actions: ["shell"],
    object: "none",
  },
  {
    form: /\b(?:no|without|do not create|don['’]t create|never create|do not add|don['’]t add)(?: any)?(?: creating| adding)? new files?\b/iu,
    actions: ["create"],
    object: "none",
  },
  {
    form: /\b(?:no|without)(?: any)? (?:changes?|edits?|modifications?|writes?) (?:to|in|of|under|inside|below|within)\b/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\bhands? off(?: of)?\b|\bstay (?:out of|away from)\b|\bkeep (?:away from|out of|your hands off)\b/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\b(?:leave|leaving)\b(?=.*\b(?:alone|as (?:it|they|is|are)|untouched|unchanged|intact|in peace|be)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\b(?:keep|keeping|preserve)\b(?=.*\b(?:as[- ](?:it|they|is|are)|untouched|unchanged|intact|unmodified|the same|read[- ]only|frozen)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  // Nothing may stand behind the thing: "keep CHANGELOG.md up to date" is the opposite.
  {
    form: /\b(?:keep|preserve|protect)\b(?! (?:it|them|in|up|on|going|to|adding|using|working|updat))(?!.*\b(?:up[- ]to[- ]date|current|in sync|updated|passing|green|working|short|small|simple|clean|tidy|consistent)\b)/iu,
    actions: allChanges,
    object: "after",
    last: true,
  },
  {
    form: /\b(?:must|should|shall|may|will|can|do|does|is to|are to) (?:not|never) (?:be )?(?:chang(?:e|ed)|touched|edited|modified|altered|written(?: to)?|overwritten|rewritten)\b/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /\b(?:must|should|shall|may|will|can|is to|are to) (?:not|never) be (?:deleted|removed)\b/iu,
    actions: ["delete"],
    object: "before",
  },
  {
    form: /\b(?:stays?|remains?|(?:must|should|shall|has to|have to|needs? to) (?:stay|remain|be left|be kept)|(?:is|are) (?:kept|left))\b[^,]*\b(?:as (?:it|they|is|are)|untouched|unchanged|intact|alone|unmodified|read[- ]only|frozen|the same|identical|byte-identical|the way (?:it is|they are))\b/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /\b(?:is|are) (?:off[- ]limits|not to be (?:touched|changed|edited|modified)|taboo)\b/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /\b(?:is|are) (?:frozen|read[- ]only|protected|immutable)\b/iu,
    actions: allChanges,
    object: "before",
    promised: true,
  },
  {
    form: /\bno(?:thing| files?)\b(?=.*\b(?:chang(?:es?|ed)|touched|edited|modified|written)\b)(?= (?:in|under|inside|below|within)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\bno(?:thing| files?)\b(?=.*\b(?:deleted|removed)\b)(?= (?:in|under|inside|below|within)\b)/iu,
    actions: ["delete"],
    object: "after",
  },
  {
    form: /\btreat\b(?=.* as (?:read[- ]only|frozen|immutable|off[- ]limits)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\b(?:do not|don['’]t|never) (?:add|create|put|write) (?:any )?(?:new )?(?:files?|anything|code) (?=(?:in|to|under|inside|into)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /^(?:protected|off[- ]limits|frozen|untouch(?:ed|able)|read[- ]only|forbidden|no[- ]go|taboo|unchanged|leave alone|hands off)(?: files?| paths?| folders?| areas?)?\s*:/iu,
    actions: allChanges,
    object: "after",
  },
  { form: /\bno (?:re)?format(?:ting)?\b/iu, actions: ["run format"], object: "none" },
  ...formsAbroad,
];
