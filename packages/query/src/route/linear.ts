/**
 * How much the words of a question speak for each class: a weight for every word,
 * pair of words, piece of a word and group of synonyms. The weights were learned from the labelled
 * examples when those were written down (train.ts); here they are only added up, so
 * equal questions score alike everywhere.
 */
import { groupsOf, type Synonyms, type Token } from "./features.js";
import type { PackedTable } from "./packed.js";

export interface Sign {
  readonly name: string;
  /** How much it counts: pieces of words less than words, words two apart less than pairs. */
  readonly share: number;
}

/** What a question shows of itself, each sign once. */
export function signsOf(tokens: readonly Token[], synonyms: Synonyms): Sign[] {
  const signs = new Map<string, number>();
  const add = (name: string, share: number) => {
    if (!signs.has(name)) signs.set(name, share);
  };
  for (const [i, token] of tokens.entries()) {
    add(token, 1);
    const [next, after] = [tokens[i + 1], tokens[i + 2]];
    if (next !== undefined) add(`${token} ${next}`, 0.5);
    if (after !== undefined) add(`${token} _ ${after}`, 0.3);
    if (isWord(token)) for (const piece of piecesOf(token)) add(`~${piece}`, 0.45);
  }
  const groups = groupsOf(tokens, synonyms);
  for (const [i, group] of groups.entries()) {
    add(`@${group}`, 1);
    for (const other of groups.slice(i + 1)) add(`@${group}@${other}`, 0.4);
  }
  const [first, second] = tokens;
  if (first !== undefined) add(`^ ${first}`, 0.6);
  if (second !== undefined) add(`^ ${first} ${second}`, 0.6);
  for (const name of shapeOf(tokens)) add(`# ${name}`, 0.5);
  return [...signs].map(([name, share]) => ({ name, share }));
}

function isWord(token: Token): boolean {
  return token.length > 2 && token === token.toLowerCase();
}

/** Three and four letters in a row, with the ends of the word marked: what a misspelt word keeps. */
function piecesOf(word: string): string[] {
  const whole = `^${word}$`;
  return [3, 4].flatMap((size) =>
    Array.from({ length: Math.max(whole.length - size + 1, 0) }, (_, at) => whole.slice(at, at + size)),
  );
}

/** How many accounts and coins are named, and how long the question is, in steps. */
function shapeOf(tokens: readonly Token[]): string[] {
  const count = (kind: Token) => tokens.filter((token) => token === kind).length;
  const accounts = Math.min(count("ADDR"), 2);
  const coins = Math.min(count("COIN") + 2 * count("COINS"), 2);
  const length = [1, 3, 7].find((most) => tokens.length <= most) ?? "more";
  return [`accounts ${accounts}`, `coins ${coins}`, `length ${length}`];
}

/** Long questions have many signs, so each of theirs counts less. */
export function sharesOf(signs: readonly Sign[]): number[] {
  const square = signs.reduce((sum, { share }) => sum + share * share, 0);
  return signs.map(({ share }) => (12 * share) / Math.sqrt(square || 1));
}

/** A weight is a character: 45 steps to either side of the middle, finer near zero. */
const [middleCode, steps, greatest] = [80, 45, 2];

export function packWeight(weight: number): string {
  const size = Math.round(Math.sqrt(Math.min(Math.abs(weight) / greatest, 1)) * steps);
  return String.fromCharCode(middleCode + (weight < 0 ? -size : size));
}

const unpacked: readonly number[] = Array.from({ length: 2 * steps + 1 }, (_, i) => {
  const size = (i - steps) / steps;
  return Math.sign(size) * size * size * greatest;
});

function unpackWeight(text: string, at: number): number {
  return unpacked[text.charCodeAt(at) - middleCode + steps] as number;
}

/** One sum for each class, in the order of the table's columns. */
export function linearScores(table: PackedTable, classes: number, signs: readonly Sign[]): number[] {
  const sums = Array.from({ length: classes }, () => 0);
  const shares = sharesOf(signs);
  for (const [i, { name }] of signs.entries()) {
    const row = table.get(name);
    if (row === undefined) continue;
    for (let k = 0; k < classes; k++)
      sums[k] = (sums[k] as number) + (shares[i] as number) * unpackWeight(row, k);
  }
  return sums;
}
