/**
 * The words of a text as detectors compare them: in order, in lower case, in any
 * script, and the telling ones by their stems.
 *
 * What a newcomer gets wrong: stems are for comparing only. They are cut roughly
 * and alike for several languages, so that `store` and `stores` or `Pumpe` and
 * `Pumpen` meet; they are no words to show anybody.
 */
const runs = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?/gu;
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\u30fc]/u;
const segmentCharsMax = 256;
const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** In order, with repeats. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(runs)) {
    if (!unspaced.test(run)) words.push(run.replace(/['’]s$|^(?:l|d|j|qu|n|s|t|m|c)['’]/u, ""));
    else for (const segment of segmentsOf(run)) words.push(segment);
  }
  return words;
}

/** In pieces, for the segmenter's cost grows faster than a run's length. */
function segmentsOf(run: string): string[] {
  const segments: string[] = [];
  for (let i = 0; i < run.length; i += segmentCharsMax) {
    for (const { segment, isWordLike } of segmenter.segment(run.slice(i, i + segmentCharsMax)))
      if (isWordLike === true) segments.push(segment);
  }
  return segments;
}

/** Stems of the words that say what a text is about. */
export function tellingStems(text: string): Set<string> {
  const stems = new Set<string>();
  for (const word of new Set(wordsOf(text))) if (!isSmallWord(word)) stems.add(stemOf(word));
  return stems;
}

/** In order, with repeats. */
export function tellingWords(text: string): string[] {
  return wordsOf(text).filter((word) => !isSmallWord(word));
}

/** Single kana are particles; a single Han character is a word. */
export function isSmallWord(word: string): boolean {
  return smallWords.has(plain(word)) || /^[\p{sc=Hiragana}\p{sc=Latin}]$/u.test(word);
}

const endings = [
  ...[
    "ations",
    "ation",
    "ingly",
    "ings",
    "ments",
    "ment",
    "ness",
    "ungen",
    "ung",
    "tions",
    "tion",
    "ers",
    "ing",
  ],
  ...[
    "ies",
    "ied",
    "eurs",
    "eur",
    "ées",
    "és",
    "ée",
    "ern",
    "ed",
    "er",
    "es",
    "en",
    "em",
    "ly",
    "s",
    "e",
    "n",
    "y",
  ],
];

/** At least three letters stay. */
export function stemOf(word: string): string {
  const base = plain(word).replace(/'.*$/u, "");
  if (base.length < 4 || /\d/.test(base)) return base;
  const ending = endings.find((end) => base.endsWith(plain(end)) && base.length - end.length >= 3);
  const cut = ending === undefined ? base : base.slice(0, -ending.length);
  return /([b-df-hj-np-tv-z])\1$/u.test(cut) && cut.length > 3 ? cut.slice(0, -1) : cut;
}

/** Without accents, `ß` as `ss`, one kind of apostrophe. */
export function plain(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/(?<=\p{sc=Latin})\p{M}+/gu, "")
    .normalize("NFC")
    .replaceAll("ß", "ss")
    .replaceAll("’", "'");
}

export function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let count = 0;
  for (const each of few) if (many.has(each)) count += 1;
  return count;
}

/** Shared words of all words that occur; strict, one exchanged word counts on both sides. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = sharedCount(a, b);
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** The share of its words that a text of the pair's mean length has in common with the other. */
export function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = a.size + b.size;
  return all === 0 ? 0 : (2 * sharedCount(a, b)) / all;
}

const smallWords = new Set(
  [
    "a about also am an and any are as at be been but by can could did do does for from had has have he her his how i",
    "i'd i'll i'm i've if in into is isn't it its just let's me my no not of on or our please s she should so some than",
    "that the their them then there these they this those to too us was we were what what's when where which who whom",
    "whose why will with would you your you're don't doesn't there's via vs",
    "aber als am auch auf aus bei bin bis bitte da damit das dass dem den denn der des die dies diese du durch ein eine",
    "einem einen einer er es fur hat ich ihr im ist kann kein keine man mein meine mich mir mit muss nach nicht noch nun",
    "nur ob oder sein sich sie sind so uber um und uns unser unsere vom von vor wann warum was wenn wer wie wieso wird",
    "wir wo zu zum zur",
    "au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur ma mais me mes moi mon ne nos notre",
    "nous on ou par pas pour pourquoi quand que quel quelle quels quelles qui quoi sa se ses si son sont sur ta te toi",
    "ton tu un une vos votre vous y d'un d'une c'est qu'est comment l'on",
    "al como con cual cuando de del donde el ella en es esta este esto la las lo los mas me mi mis no nos o para pero por",
    "porque que quien se si sin sobre son su sus te tu un una uno y ya",
    "che chi come cosa da di e gli il lo nel per piu sono com dos das em na os que uma een het van voor met wat hoe",
    "これ それ この その あの です ます する した して いる ある こと もの ため から まで など ください って という か の は が を に で と も",
  ]
    .join(" ")
    .split(" "),
);
