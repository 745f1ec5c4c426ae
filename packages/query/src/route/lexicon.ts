/**
 * How much the words of a question speak for each family: phrases with weights
 * (see lexicon-words.ts), the longest first, each word counted once per family.
 */
import type { FamilyName } from "../families.js";
import { lexiconText } from "../lexicon.generated.js";

type Phrase = readonly [tokens: readonly string[], family: FamilyName, weight: number];
/** By the first word. */
export type Lexicon = Readonly<Record<string, readonly Phrase[]>>;

let parsed: Lexicon | undefined;

function lexicon(): Lexicon {
  return (parsed ??= JSON.parse(lexiconText) as Lexicon);
}

function own(table: Lexicon, token: string): readonly Phrase[] {
  return Object.hasOwn(table, token) ? (table[token] ?? []) : [];
}

/** The weighted sum for every family that has any, each word counted once per family. */
export function lexicalScores(tokens: readonly string[]): Map<FamilyName, number> {
  const table = lexicon();
  const hits = new Map<
    FamilyName,
    { readonly from: number; readonly to: number; readonly weight: number }[]
  >();
  for (let i = 0; i < tokens.length; i++) {
    for (const [wanted, family, weight] of own(table, tokens[i] as string)) {
      if (!wanted.every((token, j) => token === tokens[i + j])) continue;
      const hit = { from: i, to: i + wanted.length, weight: weight + (wanted.length - 1) * 0.5 };
      const list = hits.get(family);
      if (list === undefined) hits.set(family, [hit]);
      else list.push(hit);
    }
  }
  const scores = new Map<FamilyName, number>();
  for (const [family, list] of hits) {
    list.sort((a, b) => b.weight - a.weight || a.from - b.from);
    const used = new Set<number>();
    let sum = 0;
    for (const { from, to, weight } of list) {
      let free = true;
      for (let i = from; i < to; i++) if (used.has(i)) free = false;
      if (!free) continue;
      for (let i = from; i < to; i++) used.add(i);
      sum += weight;
    }
    scores.set(family, sum);
  }
  return scores;
}

let known: ReadonlySet<string> | undefined;

/** Every word that any family knows, wherever it stands in a phrase: a question with many others is about something else. */
export function knownToken(token: string): boolean {
  known ??= new Set(Object.values(lexicon()).flatMap((list) => list.flatMap(([tokens]) => tokens)));
  return known.has(token);
}
