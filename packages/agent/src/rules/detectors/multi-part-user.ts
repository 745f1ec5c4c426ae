/**
 * R-MULTI-PART-USER: one of several things that the user asked is passed over.
 *
 * What a newcomer gets wrong: answers use other words than questions. A part counts
 * as passed over only if the answer holds none of its words, nothing that could
 * be an answer of its kind (a date for "when"), and does speak of the other parts.
 */
import { textArg } from "../reading/args.js";
import { type AskPart, askParts } from "../reading/asks.js";
import { plain, stemOf, tellingStems, tellingWords, wordsOf } from "../reading/stems.js";
import type { Detector } from "../types.js";

export const multiPartUser: Detector = {
  begin({ text }) {
    const parts = askParts(text.slice(0, askCharsMax));
    if (parts.length < 2) return {};
    const done = new Set<string>();
    return {
      ran({ tool, args }, { ok }) {
        if (!ok || !/^(?:write_file|edit_file|run_shell|remember)$/.test(tool)) return undefined;
        const what = textArg(args, "command", "path", "key") ?? "";
        for (const stem of tellingStems(what.replace(/[_./-]+/g, " "))) done.add(stem);
        return undefined;
      },
      answered(answer) {
        // Who writes that much has come to everything; and looking would cost too much.
        const part = answer.length > answerCharsMax ? undefined : passedOver(parts, answer, done);
        if (part === undefined) return undefined;
        return {
          what: `The user also asked "${part.text.slice(0, 100)}", and the answer does not come to it.`,
          remedy: "Answer that part too, or say that it is left for later and why.",
        };
      },
    };
  },
};

const shortAnswerWords = 12;
const askCharsMax = 8_000;
const answerCharsMax = 16_000;

interface Sentence {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
}

function passedOver(
  parts: readonly AskPart[],
  answer: string,
  done: ReadonlySet<string>,
): AskPart | undefined {
  const whole = plain(answer);
  if (defersRest.test(whole) || defersUnspaced.test(whole) || asksBack(whole) || answersAll(whole, parts))
    return undefined;
  const skipped = skippedNumber(parts, answer);
  if (skipped !== undefined)
    return skipped.about.size > 0 && !speaksOf(skipped, stemsOf(answer)) ? skipped : undefined;
  if (numbersIn(answer).size >= parts.length) return undefined;
  // A short answer may give one thing a clause: "`npm start`, and Ctrl-C."
  const isShort = wordsOf(answer).length <= shortAnswerWords;
  const sentences = (isShort ? clausesOf(answer) : sentencesOf(answer)).map((text): Sentence => ({
    text,
    stems: stemsOf(text),
  }));
  const stems = stemsOf(answer);
  const own = parts.map((part) => ownWords(part, parts));
  const taken = own.map((part) => speaksOf(part, stems));
  const left = sentences.filter(
    ({ stems: said }) => !own.some((part, i) => taken[i] === true && speaksOf(part, said)),
  );
  const missing = own.filter((part, i) => taken[i] === false && !isDone(part, done) && !saysVerb(part, left));
  const spokenOf = taken.filter(Boolean).length;
  return missing.find((part) => isPassedOver(part, { answer, whole, left, spokenOf, parts: own, missing }));
}

interface Situation {
  readonly answer: string;
  readonly whole: string;
  /** Sentences that speak of no part by its words; one of them may be the answer. */
  readonly left: readonly Sentence[];
  readonly spokenOf: number;
  readonly parts: readonly AskPart[];
  readonly missing: readonly AskPart[];
}

function isPassedOver(part: AskPart, { answer, whole, left, spokenOf, parts, missing }: Situation): boolean {
  const rest = plain(left.map(({ text }) => text).join("\n"));
  switch (part.kind) {
    case "when":
      return !times.test(whole);
    case "who":
      return !isSomebody(answer, parts);
    case "cost":
      return !money.test(whole);
    case "count":
      return !hasNumber(rest === "" ? whole : `${rest}\n${whole}`, parts);
    case "order":
      return part.about.size > 0 && spokenOf > 0 && missing.length < parts.length;
    case "yes-no":
      return part.about.size > 0 && spokenOf >= missing.length && !verdict.test(rest);
    case "why":
      return part.about.size > 0 && spokenOf >= missing.length && left.length === 0;
    case "open":
      return part.about.size > 0 && spokenOf >= missing.length && left.length < missing.length;
  }
}

// --- Words ------------------------------------------------------------------------------------------

/** The words that set a part apart from the others; all of its words where none does. */
function ownWords(part: AskPart, parts: readonly AskPart[]): AskPart {
  const others = new Set(parts.filter((other) => other !== part).flatMap(({ about }) => [...about]));
  const own = [...part.about].filter((stem) => !others.has(stem));
  return own.length === 0 ? part : { ...part, about: new Set(own) };
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(
    tellingWords(
      text.replace(/[_/]+|(?<=\p{L})\.(?=\p{L})|-/gu, " ").replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " "),
    ).map(stemOf),
  );
}

function speaksOf({ about }: Pick<AskPart, "about">, stems: ReadonlySet<string>): boolean {
  for (const stem of about) {
    if (stems.has(stem)) return true;
    const kin = kinOf(stem);
    for (const said of stems)
      if (isAkin(stem, said) || kin?.has(said) === true || (stem.length >= 4 && said.includes(stem)))
        return true;
  }
  return false;
}

function isDone({ about, kind }: AskPart, done: ReadonlySet<string>): boolean {
  if (kind !== "order") return false;
  return [...about].some((stem) => done.has(stem) && stem.length > 2);
}

/** "Fixed." is an answer to "fix the crash" where it does not speak of another part. */
function saysVerb({ verb }: AskPart, left: readonly Sentence[]): boolean {
  return verb !== undefined && left.some(({ stems }) => speaksOf({ about: new Set([verb]) }, stems));
}

/** Forms and compounds of one word: `rotate` and `rotation`, `Lizenz` and `Lizenzen`. */
function isAkin(a: string, b: string): boolean {
  const length = Math.max(4, Math.ceil(Math.min(a.length, b.length) * 0.8));
  if (a.length < length || b.length < length) return false;
  if (a.slice(0, length) !== b.slice(0, length))
    return a.length >= 5 && b.length >= 5 && (a.endsWith(b) || b.endsWith(a));
  return true;
}

/** Words that stand for each other in answers. */
const families = [
  "licence license lizenz licencia mit apache gpl lgpl agpl bsd isc mpl proprietary",
  "test tests spec suite covered vitest jest pytest getestet prueba",
  "changelog changes release notes history",
  "docs documentation readme dokumentation document documented",
  "commit committed commits",
  "remove delete drop gone deleted removed entfernt geloscht supprime eliminado",
  "deploy deployed live rollout rolled shipped released",
  "safe secure risk dangerous safely sicher seguro",
  "fast faster slow speed performance latency ms seconds schnell",
  "cost price expensive cheap usd eur dollar euro kosten preis prix precio free",
  "size big large kb mb gb bytes gross",
  "author wrote written owner maintain maintained maintainer",
  "version release newest latest",
  "support supports supported works compatible unterstutzt",
  "memory ram heap mb gb",
  "fix fixed repaired solved corrected behoben corrige",
  "rename renamed called umbenannt",
  "alternative alternatives instead option",
  "example examples sample snippet beispiel",
  "install installed setup npm pip brew apt",
  "upgrade update migrate bump",
  "error fail failed failure crash exception fehler",
  "use used using usage call calls caller callers",
  "summary summarise summarize short tldr",
  "backup backups snapshot snapshots sicherung",
  "title titel headline heading",
  "translate translated translation ubersetzt ubersetzung traduction traducido",
].map((line) => new Set(line.split(" ").map(stemOf)));

function kinOf(stem: string): ReadonlySet<string> | undefined {
  return families.find((family) => family.has(stem));
}

// --- Kinds of answers -------------------------------------------------------------------------------

const times =
  /(?<!\d)\d{4}-\d\d|(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[:.h]\d\d(?!\d)|\d{1,2}[./]\d{1,2}(?:[./]|(?!\d))|(?<![\p{L}])(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|febrero|mar(?:ch|s|z|zo)|apr(?:il)?|avril|abril|may|mai|mayo|june?|juni?|juin|junio|july?|juli?|juillet|julio|aug(?:ust)?|aout|agosto|sept?(?:ember|embre|iembre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|embre|iembre)?|enero|monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miercoles|jueves|viernes|sabado|domingo|yesterday|today|tomorrow|tonight|last (?:night|week|month|year|spring|summer|autumn|fall|winter)|next (?:week|month|year)|this (?:morning|week|month|year)|ago|since(?! (?:only|it|we|you|there|they|this|that|i|no|all|both)(?![\p{L}]))|never|not yet|until|soon|noon|midnight|gestern|heute|morgen|vorgestern|vor \w+ (?:tag|woche|monat|jahr|stunde|minute)\w*|seit\w*|nie|noch nicht|letzte\w*|nachste\w*|hier|aujourd'hui|demain|il y a|depuis|jamais|pas encore|la semaine|le mois|ayer|hoy|manana|hace|desde|nunca|todavia no|aun no|la semana|el mes|for (?:\d+|a|two|three|some|several) (?:hour|day|week|month|year)s?|(?:\d+|a few|two|three) (?:hour|day|week|month|year)s? (?:old|earlier|later)|in (?:\d+|a|two|three) (?:hour|day|week|month|year)s?)(?![\p{L}])|[年月日時]|昨日|今日|先週|先月|以来|从|昨天|v?\d+\.\d+\.\d+/u;
const money =
  /[$€£¥₹]|(?<![\p{L}])(?:usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|cents?|yen|free(?: of charge)?|for nothing|costs?|priced?|prices|cheap\w*|expensive|kost\w+|preis\w*|gratis|kostenlos|teuer|billig\w*|coute\w*|prix|gratuit\w*|cuesta\w*|precio\w*|dolares)(?![\p{L}])|円|元|\d\s*(?:a|per|\/|pro|par|por|im|al|le)\s*(?:month|year|user|seat|gb|tb|hour|monat|jahr|nutzer|mois|an|mes|ano)/u;
const verdict =
  /(?<![\p{L}])(?:yes|no|yep|nope|not|never|can|cannot|can't|could|should|shouldn't|must|is|are|isn't|aren't|does|doesn't|do|don't|works?|likely|probably|ja|nein|nicht|kann|kein\w*|sollte\w*|oui|non|pas|peut|si|sí|puede|tambien|nunca)(?![\p{L}])|はい|いいえ|ない|です|ます|是|不/u;

/** A name, an address, a handle, somebody by his part, or that it is nobody. */
function isSomebody(answer: string, parts: readonly AskPart[]): boolean {
  if (
    /(?<![\w.])[\w.]+@\w|(?<!\w)@\w+|(?<![\p{L}])(?:(?:by|to|from) (?:you|me|us)|(?:you|i|we) (?:did|wrote|made|changed|added|are|were|have|own|introduced|broke|committed|get|can)|nobody|no one|none|noone|everyone|everybody|anyone|unknown|team|author|maintainers?|admins?|owner|customers?|department|company|niemand|keiner|jeder|jemand|personne|tout le monde|nadie|todos|somebody|someone)(?![\p{L}])|さん|氏|誰も/u.test(
      plain(answer),
    )
  )
    return true;
  const asked = new Set(parts.flatMap(({ text }) => wordsOf(text)));
  const names = withoutPaths(answer.replace(/`[^`]*`/g, "x")).matchAll(
    /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}[\p{Ll}'-]+/gu,
  );
  return Array.from(names, ([name]) => name.toLowerCase()).some((name) => !asked.has(name));
}

function withoutPaths(text: string): string {
  return text.replace(/\S+/g, (word) => (/[/\\]/.test(word) ? "x" : word));
}

function hasNumber(text: string, parts: readonly AskPart[]): boolean {
  const asked = new Set(parts.flatMap(({ text: each }) => each.match(/\d+(?:[.,]\d+)*/g) ?? []));
  const bare = withoutPaths(text);
  if ((bare.match(/\d+(?:[.,]\d+)*/g) ?? []).some((number) => !asked.has(number))) return true;
  return /(?<![\p{L}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|million|dozen|none|zero|several|unlimited|daily|hourly|weekly|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|zwolf|zwanzig|hundert|tausend|kein\w*|mehrere|wenige|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|vingt|cent|mille|aucun\w*|plusieurs|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cien|mil|ningun\w*|varios|unlimited)(?![\p{L}])|[一二三四五六七八九十百千万零]/u.test(
    bare,
  );
}

// --- The answer as a whole --------------------------------------------------------------------------

const defersRest =
  /(?<![\p{L}])(?:the rest|the others?|(?:other|remaining|second|third|last|next) (?:parts?|questions?|points?|ones?|items?|tasks?|things?)|everything else|one (?:question|point|thing) (?:is )?(?:still )?open|(?:come|get) (?:back )?to (?:that|the|it)|in a (?:moment|second|later)|don't know|do not know|could not (?:find|determine|tell)|couldn't (?:find|determine|tell)|cannot (?:tell|say)|can't (?:tell|say)|no idea|unclear|not sure|der rest|die (?:andere\w*|ubrige\w*|zweite|dritte|letzte) (?:frage|punkt|teil)\w*|den rest|spater|weiss ich nicht|nicht bekannt|unklar|le reste|l'autre question|plus tard|je ne sais pas|el resto|lo demas|la otra pregunta|mas tarde|no (?:lo )?se|later)(?![\p{L}])/u;
const defersUnspaced = /残り|後で|あとで|わかりません|分かりません|不明|之后|不知道/u;

/** Nothing but a question back. */
function asksBack(whole: string): boolean {
  const sentences = sentencesOf(whole);
  return (
    sentences.length > 0 &&
    sentences.length <= 3 &&
    /[?？]\W*$/.test(sentences.at(-1) ?? "") &&
    sentences.filter((each) => /[?？]\W*$/.test(each)).length * 2 >= sentences.length
  );
}

/** "Both are free", "Yes to all three", "All done". */
function answersAll(whole: string, parts: readonly AskPart[]): boolean {
  const every =
    /(?:^|[.!:;\n]\s*)(?:yes|no|ja|nein|oui|non|si)?[\s,:]*(?:to |auf )?(?:both|all(?: (?:of (?:them|it)|two|three|four|five))?|neither|none|everything|either|beide[sn]?|alle[sn]?(?: drei)?|keine[rs]?(?: von beiden)?|les (?:deux|trois)|tous|toutes|tout|aucun|ambos|ambas|todos?|todas?|ninguno)(?![\p{L}])([^.\n]*)/u.exec(
      whole,
    );
  if (every !== null) {
    if (parts.every(({ kind }) => kind === "yes-no")) return true;
    if (
      /^\W*$|(?<![\p{L}])(?:done|fixed|finished|ready|complete\w*|in place|erledigt|fertig|gemacht|fait\w*|termine\w*|hech[oa]s?|list[oa]s?)(?![\p{L}])/u.test(
        every[1] ?? "",
      )
    )
      return true;
  }
  const verdicts = whole.match(/(?<![\p{L}])(?:yes|no|ja|nein|oui|non|sí)(?![\p{L}])/gu) ?? [];
  return verdicts.length >= parts.length;
}

function numbersIn(answer: string): ReadonlySet<number> {
  return new Set(
    Array.from(answer.matchAll(/(?:^|\n)\s*(?:\*\*|#+ )?\(?(\d{1,2})[.):]/g), ([, number = "0"]) =>
      Number(number),
    ),
  );
}

/** The user numbered the parts, the answer numbers its own alike, and one is left out. */
function skippedNumber(parts: readonly AskPart[], answer: string): AskPart | undefined {
  const numbers = numbersIn(answer);
  const numbered = parts.filter(({ number }) => number !== undefined);
  if (numbered.length < 3 || numbers.size < 2 || !numbers.has(numbered.at(-1)?.number ?? 0)) return undefined;
  return numbered.find(({ number }) => number !== undefined && !numbers.has(number));
}

function clausesOf(text: string): string[] {
  return sentencesOf(text).flatMap((sentence) =>
    sentence
      .split(/[,;:]\s+|\s+(?:and|but|und|aber|et|mais|y|pero)\s+|、/u)
      .filter(
        (clause) => wordsOf(clause).length > 0 && !/^\W*(?:yes|no|ja|nein|oui|non|s[ií])\W*$/iu.test(clause),
      ),
  );
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+|(?<=[。！？])/u)
    .filter((sentence) => wordsOf(sentence).length > 0);
}
