/**
 * The words of a text, in any script.
 *
 * A word is a run of letters, digits and marks after NFKC, in lower case. Scripts
 * that are written without spaces (Chinese, Japanese, Thai and others) are cut
 * by `Intl.Segmenter`, but its cuts depend on what stands around a word, so such
 * a run is also known by its single characters and its pairs. That is what makes
 * the law hold that a text is found by each of its own words.
 *
 * What a newcomer gets wrong: texts are indexed with `indexWords` and asked for
 * with `queryWords`; single characters are asked for only where nothing longer is.
 */
import { memoryLimits } from "./limits.js";

const runs = /[\p{L}\p{M}\p{N}]+/gu;
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{sc=Yi}\p{sc=Javanese}\p{sc=Balinese}\u30fc\p{M}]+/gu;
const plainAscii = /^[\0-\x7f]*$/;
/** Where `camelCase` becomes two words; it stays one word as well. */
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** What a text is known by, with repeats: how often counts. */
export function indexWords(text: string): string[] {
  return wordsOf(text, (run) => [...segments(run), ...grams(run, 1), ...grams(run, 2)]);
}

/** What is looked for, each word once. */
export function queryWords(text: string): string[] {
  const ask = (run: string) => (lengthOf(run) === 1 ? [run] : [...segments(run), ...grams(run, 2)]);
  return [...new Set(wordsOf(text, ask))];
}

/** What two questions share that ask the same in other words: sorted, small words left out where others are. */
export function intentWords(text: string): string[] {
  const words = [...new Set(wordsOf(text, pieces))].toSorted();
  const telling = words.filter((word) => !smallWords.has(word));
  return telling.length === 0 ? words : telling;
}

function wordsOf(text: string, cut: (run: string) => readonly string[]): string[] {
  const words: string[] = [];
  const normal = plainAscii.test(text) ? text : text.normalize("NFKC");
  for (const [run] of normal.matchAll(runs)) {
    if (plainAscii.test(run)) addSpaced(run, words);
    else addMixed(run, words, cut);
  }
  return words;
}

/** A run may hold both kinds: `第3版beta`. */
function addMixed(run: string, words: string[], cut: (run: string) => readonly string[]): void {
  let from = 0;
  for (const match of run.matchAll(unspaced)) {
    // Marks alone belong to the letter before them, whatever its script.
    if (/^\p{M}+$/u.test(match[0])) continue;
    if (match.index > from) addSpaced(run.slice(from, match.index), words);
    for (const word of cut(match[0])) words.push(clip(word));
    from = match.index + match[0].length;
  }
  if (from < run.length) addSpaced(run.slice(from), words);
}

function addSpaced(run: string, words: string[]): void {
  words.push(lower(run));
  const parts = run.split(humps);
  if (parts.length > 1) for (const part of parts) words.push(lower(part));
}

/** Lower case may take a letter apart (`İ`), and small letters of one word may differ by place (`ς`). */
function lower(word: string): string {
  const small = word.toLowerCase();
  return clip(plainAscii.test(small) ? small : small.normalize("NFKC").replaceAll("ς", "σ"));
}

function clip(word: string): string {
  return word.length > memoryLimits.wordCharsMax ? word.slice(0, memoryLimits.wordCharsMax) : word;
}

/** Pieces of one character are left to the grams. */
function segments(run: string): string[] {
  return pieces(run).filter((word) => lengthOf(word) > 1);
}

function pieces(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment);
}

function grams(run: string, size: number): string[] {
  const points = [...run];
  return points.slice(0, points.length - size + 1).map((_, at) => points.slice(at, at + size).join(""));
}

function lengthOf(text: string): number {
  return text.length > 2 ? text.length : [...text].length;
}

const smallWords = new Set(
  (
    "a about an and any are as at be been by can could did do does for from had has have how i if in into is it its " +
    "me my of on or our so that the their them then there these they this those to us was we were what when where " +
    "which who why will with would you your"
  ).split(" "),
);
