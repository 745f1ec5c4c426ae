/**
 * Promises read from words: "do not touch X", "keep X as it is", "no deletions",
 * "never push", "no new dependencies", in English and, where the form is plain, in
 * German, French, Spanish, Italian, Portuguese and Dutch.
 *
 * What a newcomer gets wrong: a sentence that forbids something about a file does not
 * protect the file. "Do not change the signature of login in src/auth.ts" allows edits
 * of src/auth.ts, so a path counts only as the thing that the verb is about. Words that
 * are not understood promise nothing.
 */
import type { Commitment } from "../types.js";
import { everywhere, thingsAfter, thingsBefore, type Things } from "./promise-objects.js";

interface Reading {
  /** The text is one commitment of a plan, not the talk of a user. */
  readonly promised: boolean;
  /** Its paths were named beside it. */
  readonly withPaths: boolean;
}

export function promisesIn(text: string, reading: Reading): readonly Commitment[] {
  const clauses = clausesOf(text);
  const lifted = clauses.flatMap((clause) => liftedIn(clause));
  const found = clauses.flatMap((clause) => fromClause(clause, reading));
  if (found.length === 0 && reading.withPaths && !isPositive(text)) {
    return [{ text: text.trim(), paths: [], actions: allChanges }];
  }
  return found
    .map((one) => ({ ...one, paths: one.paths.filter((path) => !lifted.includes(path)) }))
    .filter((one, i) => one.paths.length > 0 || found[i]?.paths.length === 0);
}

const allChanges = ["write", "create", "delete", "rename"];

/** At full stops and the like that end something; a dot within a name does not. */
function clausesOf(text: string): readonly string[] {
  return text
    .slice(0, 20_000)
    .split(
      /(?<=[^\s.])[.!?](?=\s|$|["')])|[;\n]|:\s|\s[–—-]\s|,?\s+(?:but|however|aber|mais|pero|però|mas|maar)\s+/u,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");
}

// --- Verbs -----------------------------------------------------------------------------------------

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
  { words: "(?:force[- ])?push(?:ing)?", actions: ["push"], bare: true },
  { words: "commit(?:ting)?", actions: ["commit"], bare: true },
  { words: "publish(?:ing)?", actions: ["publish"], bare: true },
  { words: "deploy(?:ing)?", actions: ["deploy"], bare: true },
  { words: "install(?:ing)?", actions: ["install"], bare: true },
  { words: "go(?:ing)? online", actions: ["network"], bare: true },
];

const not =
  "(?:do not|don['’]?t|dont|never|must not|mustn['’]t|should not|shouldn['’]t|may not|will not|won['’]t|shall not|cannot|can['’]t|not to|not be|without|refrain from|avoid|stop|nor|neither)";
const adverbs = "(?:(?:ever|even|directly|also|please|accidentally|otherwise|you|we|I|it|to) )*";

interface Form {
  readonly form: RegExp;
  readonly actions: readonly string[];
  /** Where the thing stands; `none` needs none. */
  readonly object: "after" | "before" | "none" | "optional";
  /** Nothing may follow the thing. */
  readonly last?: true;
}

const forms: readonly Form[] = [
  ...verbs.map(({ words, actions, bare }): Form => ({
    form: new RegExp(
      `\\b${not} ${adverbs}(?:(?:touch|change|edit|modify|create|add|delete|remove|rename|move|commit|push)(?:ing)?(?:, | or | and |, or ))*(?:${words})\\b`,
      "iu",
    ),
    actions,
    object: bare ? "none" : "after",
  })),
  {
    form: /\bread[- ]only\b(?! (?:flag|mode|field|property|attribute|replica|view))/iu,
    actions: allChanges,
    object: "optional",
  },
  { form: /\b(?:only|just) (?:read|look)\b(?! (?:only|at the))/iu, actions: allChanges, object: "none" },
  {
    form: /\b(?:change|edit|modify|touch|write) nothing\b(?! (?:else|but|except|other|outside))/iu,
    actions: allChanges,
    object: "none",
  },
  {
    form: /\b(?:delete|remove) nothing\b|\bnothing (?:is|gets|may be|must be|will be|should be) (?:deleted|removed)\b/iu,
    actions: ["delete"],
    object: "none",
  },
  {
    form: /\bno (?:file )?(?:deletions?|deletes|deleting|removals?|removing)\b/iu,
    actions: ["delete"],
    object: "none",
  },
  { form: /\bno (?:file )?(?:renames?|renaming|moves)\b/iu, actions: ["rename"], object: "none" },
  {
    form: /\bno (?:force[- ])?push(?:es|ing)?\b|\bI(?:'ll| will)? push (?:it |that |them )?myself\b/iu,
    actions: ["push"],
    object: "none",
  },
  { form: /\bno commits?(?:ting)?\b/iu, actions: ["commit"], object: "none" },
  { form: /\bno (?:deploy(?:s|ments?|ing)?)\b/iu, actions: ["deploy"], object: "none" },
  { form: /\bno (?:publish(?:ing)?|releases?)\b/iu, actions: ["publish"], object: "none" },
  {
    form: /\b(?:no|without|never add|do not add|don['’]t add|avoid) (?:any )?(?:new |extra |additional |more |further |third-party )+(?:npm |runtime |dev |external )?(?:dependenc(?:y|ies)|packages?|librar(?:y|ies)|modules)\b|\bno (?:install(?:s|ations?|ing)?)\b|\b(?:do not|don['’]t|never) add (?:any )?(?:dependenc(?:y|ies)|packages?)\b/iu,
    actions: ["install"],
    object: "none",
  },
  {
    form: /\b(?:no|without|avoid)(?: any)?(?: use of)?(?: the)? (?:network|internet|web)\b|\b(?:stay|work|remain) offline\b|\boffline only\b|\b(?:do not|don['’]t|never) (?:use|access|touch) (?:the )?(?:network|internet|web)\b/iu,
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
    form: /\b(?:stays?|remains?|(?:must|should|shall|has to|have to|needs? to) (?:stay|remain|be left|be kept)|(?:is|are) (?:kept|left))\b[^,]*\b(?:as (?:it|they|is|are)|untouched|unchanged|intact|alone|unmodified|read[- ]only|frozen|the same)\b/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /\b(?:is|are) (?:off[- ]limits|frozen|read[- ]only|not to be (?:touched|changed|edited|modified)|taboo|protected|immutable)\b/iu,
    actions: allChanges,
    object: "before",
  },
  // German.
  {
    form: /\bohne\b(?=.*\b(?:anzufassen|anzurühren|zu (?:ändern|verändern|bearbeiten|berühren|überschreiben))(?!\p{L}))/iu,
    actions: allChanges,
    object: "after",
  },
  { form: /\bohne\b(?=.*\bzu (?:löschen|entfernen)(?!\p{L}))/iu, actions: ["delete"], object: "after" },
  {
    form: /(?<!\p{L})(?:nicht|nie|niemals)(?: \p{L}+)? (?:an(?:fassen|rühren|tasten)|(?:ver)?ändern|bearbeiten|überschreiben|anpacken)(?!\p{L})/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /(?<!\p{L})(?:fass|fasse|fasst|rühr|rühre|änder|ändere|ändert|verändere|bearbeite)\b(?=.*(?<!\p{L})(?:nicht|nie)(?!\p{L}))/iu,
    actions: allChanges,
    object: "after",
  },
  { form: /\b(?:Finger|Hände) weg von\b/iu, actions: allChanges, object: "after" },
  {
    form: /\b(?:lass|lasse|lasst|lassen Sie)\b(?=.*\b(?:in Ruhe|wie (?:es|er|sie) ist|wie sie sind|unverändert|unberührt|so)\b)/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\b(?:bleibt|bleiben|soll|sollen|muss|müssen)\b[^,]*\b(?:wie (?:es|er|sie) ist|wie sie sind|unverändert|unberührt|unangetastet)\b/iu,
    actions: allChanges,
    object: "before",
  },
  {
    form: /\b(?:nichts|nicht|nie|niemals|keine Dateien)(?: \p{L}+)? (?:löschen|entfernen)(?!\p{L})|\blösche?n? (?:bitte )?nichts\b|\bkeine Löschungen\b/iu,
    actions: ["delete"],
    object: "none",
  },
  {
    form: /\b(?:nicht|nie|niemals)(?: \p{L}+)? push(?:en|e)\b|\bpushe?n? (?:bitte )?(?:nicht|nie|niemals)\b|\bkein(?:en)? Push\b/iu,
    actions: ["push"],
    object: "none",
  },
  {
    form: /\b(?:nicht|nie|niemals)(?: \p{L}+)? (?:committen|einchecken)\b/iu,
    actions: ["commit"],
    object: "none",
  },
  {
    form: /\b(?:keine|ohne) (?:neuen?|weiteren?|zusätzlichen?) (?:Abhängigkeit|Abhängigkeiten|Pakete?|Bibliothek|Bibliotheken)\b/iu,
    actions: ["install"],
    object: "none",
  },
  { form: /\bnur lesen\b|\bnichts (?:ver)?ändern(?!\p{L})/iu, actions: allChanges, object: "none" },
  // French, Spanish, Italian, Portuguese, Dutch.
  {
    form: /\bne (?:touche[zr]?|modifie[zr]?|change[zr]?) (?:pas|jamais)(?: [àa]u?x?)?\b|\bsans (?:toucher|modifier|changer)(?: [àa]u?x?)?\b/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\bne (?:supprime[zr]?|efface[zr]?) rien\b|\bsans rien supprimer\b|\baucune suppression\b/iu,
    actions: ["delete"],
    object: "none",
  },
  {
    form: /\bne (?:pousse[zr]?|push(?:e[zr]?)?) (?:pas|jamais)\b|\bpas de push\b/iu,
    actions: ["push"],
    object: "none",
  },
  {
    form: /\b(?:pas de|sans|aucune) nouvelles? (?:dépendances?|bibliothèques?)(?!\p{L})/iu,
    actions: ["install"],
    object: "none",
  },
  {
    form: /\b(?:no|nunca) (?:toques|toque|modifiques|modifique|cambies|cambie|edites|edite)\b|\bsin (?:tocar|modificar|cambiar|editar)\b/iu,
    actions: allChanges,
    object: "after",
  },
  {
    form: /\bno (?:borres|borre|elimines|elimine) nada\b|\bsin (?:borrar|eliminar) nada\b/iu,
    actions: ["delete"],
    object: "none",
  },
  { form: /\b(?:no|nunca) hagas? push\b|\bsin hacer push\b/iu, actions: ["push"], object: "none" },
  { form: /\bsin (?:nuevas dependencias|dependencias nuevas)\b/iu, actions: ["install"], object: "none" },
  {
    form: /\bnon (?:toccare|modificare|cambiare)\b|\bsenza (?:toccare|modificare|cambiare)\b/iu,
    actions: allChanges,
    object: "after",
  },
  { form: /\bnon (?:cancellare|eliminare) (?:nulla|niente)\b/iu, actions: ["delete"], object: "none" },
  {
    form: /(?<!\p{L})não (?:toque|toques|altere|modifique|mude|edite)(?: (?:em|no|na))?\b|\bsem (?:tocar|alterar|modificar|mudar)(?: (?:em|no|na))?\b/iu,
    actions: allChanges,
    object: "after",
  },
  { form: /\bniet (?:aanraken|wijzigen|aanpassen|veranderen)\b/iu, actions: allChanges, object: "before" },
  {
    form: /\blaat\b(?=.*\b(?:met rust|ongewijzigd|zoals het is)\b)|\bzonder\b(?=.*\b(?:aan te raken|te wijzigen|aan te passen)\b)/iu,
    actions: allChanges,
    object: "after",
  },
];

function fromClause(clause: string, { promised, withPaths }: Reading): readonly Commitment[] {
  const only = onlyWithin(clause);
  if (only !== undefined) return [{ text: clause, paths: only.paths, actions: allChanges }];
  return forms.flatMap(({ form, actions, object, last = false }) => {
    const match = form.exec(clause);
    if (match === null) return [];
    const all = { text: clause, paths: [], actions };
    if (object === "none" || (withPaths && promised)) return [all];
    const rest = clause.slice(match.index + match[0].length);
    const before = clause.slice(0, match.index);
    const things: Things =
      object === "before" ? thingsBefore(before, { promised }) : thingsAfter(rest, { promised, last });
    if (things === everywhere || (object === "optional" && things === undefined)) return [all];
    if (object === "optional" || things === undefined || things.length === 0) return [];
    return [{ text: clause, paths: things, actions }];
  });
}

/** "Only change X", "nothing outside X": everything but X is protected. */
function onlyWithin(clause: string): { readonly paths: readonly string[] } | undefined {
  const match =
    /\b(?:only|exclusively) (?:touch|change|edit|modify|write(?: to)?)\b|\b(?:touch|change|edit|modify|write(?: to)?) (?:only|nothing (?:but|outside(?: of)?|except(?: for)?|other than))\b|\b(?:touch(?:ing)?|chang(?:e|ing)|edit(?:ing)?|modify(?:ing)?) (?:anything|any files?|files|any other files?|nothing)(?: else)? (?:but|outside(?: of)?|except(?: for| in)?|other than|beyond)\b|\bno (?:changes|edits|writes) (?:outside(?: of)?|except(?: in| to)?|beyond)\b|\b(?:nur|ausschließlich) (?:in )?(?=\S+ (?:ändern|bearbeiten|anfassen))/iu.exec(
      clause,
    );
  if (match === null) return undefined;
  const things = thingsAfter(clause.slice(match.index + match[0].length), { promised: true });
  if (things === undefined || things === everywhere || things.length === 0) return undefined;
  return { paths: ["**", ...things.map((thing) => `!${thing}`)] };
}

/** "X may change", "you can edit X now": what was forbidden before is allowed again. */
function liftedIn(clause: string): readonly string[] {
  const match =
    /\b(?:may|can|is allowed to|are allowed to) (?:now )?(?:be )?(?:chang(?:e|ed)|touched|edited|modified|updated|deleted|removed)\b/iu.exec(
      clause,
    );
  if (match === null || /\b(?:not|never)\b/iu.test(match[0])) return [];
  const things = thingsBefore(clause.slice(0, match.index), { promised: false });
  return things === undefined || things === everywhere ? [] : things;
}

const positive =
  /^(?:\W|then |finally |always |also |we |I |will |shall |must |to |please )*(?:add|append|update|write|create|make|implement|fix|edit|change|extend|document|mention|record|bump|test|run|use|put|migrate|convert|refactor|regenerate|include|ensure|verify|cover|replace|rename|delete|remove|clean|format|sync)\b/i;

/** A promise to do something, not to leave something. */
function isPositive(text: string): boolean {
  return positive.test(text.trim());
}
