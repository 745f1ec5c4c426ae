/**
 * The forms of words that rule something out, and what each of them rules out.
 *
 * What a newcomer gets wrong: a form says nothing about who is meant. Whether a user
 * asks something of us or tells what a program does is judged by what stands around
 * it (`promises.ts`).
 */

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
  /** Where the thing stands; `none` needs none, and `bare` bears none but "it", "anything" and the like. */
  readonly object: "after" | "before" | "none" | "bare" | "optional";
  /** Nothing may follow the thing. */
  readonly last?: true;
  /** Only in a commitment of a plan; a user who says so describes something. */
  readonly promised?: true;
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
    form: /\bno push(?:es|ing)?\b|\bI(?:'ll| will)? push (?:it |that |them )?myself\b/iu,
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
