/**
 * The router: one question, one family, or `unsupported` with its reason. No model
 * and no chance: weights of words and the nearest labelled examples, added up and
 * read as probabilities. Nothing here knows a word; what is known stands in
 * questions/, and whoever wants a question routed otherwise adds examples there.
 */
import { type FamilyName, familyNames, type UnsupportedReason } from "../families.js";
import { coinsIn } from "../question/coins.js";
import type { Read } from "../question/slots.js";
import { whenIn } from "../question/when.js";
import { wordsOf } from "../question/words.js";
import type { Routed } from "../types.js";
import { classNames, reasonNames } from "./classes.js";
import { countedOf, type Synonyms, synonymsIn, type Token, tokensOf } from "./features.js";
import { linearScores, signsOf } from "./linear.js";
import { type Neighbour, type NeighbourIndex, nearestIn } from "./neighbours.js";
import { PackedTable } from "./packed.js";

export const routerName = "linear_knn_v2";

/** How many neighbours speak, and how loudly against the weights. */
const [neighbourCount, neighbourWeight] = [8, 2];
/** Refused from here on: as likely as not that it is not here. */
const refusedFrom = 0.5;
/** Below this no family is likely enough to answer. */
export const confidenceMin = 0.2;
/** Less likely families are not named as the nearest thing that can be asked. */
const worthNaming = 0.02;

/** What the examples were turned into; see train.ts. */
export interface RouterTables {
  readonly synonyms: string;
  readonly weights: string;
  readonly neighbours: NeighbourIndex;
}

export class Router {
  private readonly synonyms: Synonyms;
  private readonly weights: PackedTable;
  private readonly having: PackedTable;

  constructor(private readonly tables: RouterTables) {
    this.synonyms = synonymsIn(tables.synonyms);
    this.weights = new PackedTable(tables.weights);
    this.having = new PackedTable(tables.neighbours.having);
  }

  route(read: Read): Routed & { readonly ranked: readonly FamilyName[] } {
    const tokens = tokensIn(read);
    const near = nearestIn(this.tables.neighbours, this.having, countedOf(tokens), neighbourCount);
    const signs = signsOf(tokens, this.synonyms);
    const likely = likelihoods(linearScores(this.weights, classNames.length, signs), near);
    const of = (name: string) => likely.get(name) ?? 0;
    const neighbours = near.map(({ id }) => id);
    const ranked = familyNames.toSorted((a, b) => of(b) - of(a));
    const [first, second] = ranked as [FamilyName, FamilyName];
    const reason = reasonNames.toSorted((a, b) => of(b) - of(a))[0] as UnsupportedReason;
    const refused = reasonNames.reduce((sum, name) => sum + of(name), 0);
    if (of("help") > Math.max(of(first), of(reason))) return { kind: "help", ranked };
    const nearest = of(first) >= worthNaming ? first : null;
    if (refused >= refusedFrom)
      return { kind: "unsupported", reason, confidence: round(refused), nearest, neighbours, ranked };
    const confidence = round(of(first));
    if (confidence < confidenceMin) {
      return {
        kind: "unsupported",
        reason: "unclear",
        confidence: round(1 - confidence),
        nearest,
        neighbours,
        ranked,
      };
    }
    return {
      kind: "family",
      family: first,
      confidence,
      second: of(second) > 0 ? second : null,
      neighbours,
      ranked,
    };
  }
}

export function readQuestion(question: string, listed: readonly string[] = []): Read {
  const words = wordsOf(question);
  return { words, coins: coinsIn(words, listed), when: whenIn(words) };
}

export function tokensIn({ words, coins, when }: Read): Token[] {
  return tokensOf(words, coins, when);
}

/** Scores as probabilities that add up to one. */
function likelihoods(scores: readonly number[], near: readonly Neighbour[]): Map<string, number> {
  const sums = new Map<string, number>(classNames.map((name, i) => [name, scores[i] as number]));
  for (const { label, nearness } of near)
    sums.set(label, (sums.get(label) ?? 0) + neighbourWeight * nearness * nearness);
  const greatest = Math.max(...sums.values());
  let whole = 0;
  for (const [name, sum] of sums) {
    const share = Math.exp(sum - greatest);
    sums.set(name, share);
    whole += share;
  }
  for (const [name, share] of sums) sums.set(name, round(share / whole));
  return sums;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
