/**
 * The router: one question, one family, or `unsupported` with its reason. No model
 * and no chance: words with weights and the nearest labelled examples, added up.
 */
import { type FamilyName, familyNames, type UnsupportedReason } from "../families.js";
import { coinsIn } from "../question/coins.js";
import type { Read } from "../question/slots.js";
import { whenIn } from "../question/when.js";
import { wordsOf } from "../question/words.js";
import type { Routed } from "../types.js";
import { countedOf, isSilent, tokensOf } from "./features.js";
import { knownToken, lexicalScores } from "./lexicon.js";
import { indexOf, type Neighbour, type NeighbourIndex, nearestIn } from "./neighbours.js";
import { asksForHelp, hear, type Heard, lastsQuestion, refusalOf } from "./refusals.js";

export const routerName = "lexicon_knn_v1";
const neighbourCount = 8;
/** Below this no family is near enough to answer. */
export const confidenceMin = 0.3;

export interface LabelledExample {
  readonly id: string;
  readonly q: string;
  readonly family: string;
}

export class Router {
  constructor(private readonly index: NeighbourIndex) {}

  route(read: Read): Routed & { readonly ranked: readonly FamilyName[] } {
    const heard = hear(read.words, read.coins);
    const list = tokens(read);
    const near = nearestIn(this.index, countedOf(list), neighbourCount);
    const ids = near.map(({ id }) => id);
    if (asksForHelp(heard)) return { kind: "help", ranked: [] };
    const scores = combined(lexicalScores(list), near, heard, read);
    const ranked = familyNames.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
    const [first, second] = ranked as [FamilyName, FamilyName];
    const [best, next] = [scores.get(first) ?? 0, scores.get(second) ?? 0];
    const confidence = confidenceOf(best, next, near);
    const reason = refusalOf(heard) ?? tooFar(best, near, heard, foreignWords(read));
    if (reason !== undefined) {
      return {
        kind: "unsupported",
        reason,
        confidence: round(1 - Math.min(confidence, 0.9)),
        nearest: best > 0 ? first : null,
        neighbours: ids,
        ranked,
      };
    }
    return {
      kind: "family",
      family: first,
      confidence,
      second: next > 0 ? second : null,
      neighbours: ids,
      ranked,
    };
  }
}

/** What neighbours are looked for in; worked out when the examples are written down. */
export function indexExamples(examples: readonly LabelledExample[]): NeighbourIndex {
  return indexOf(
    examples.map(({ id, q, family }) => ({ id, label: family, counted: countedOf(tokens(readQuestion(q))) })),
  );
}

export function readQuestion(question: string, listed: readonly string[] = []): Read {
  const words = wordsOf(question);
  return { words, coins: coinsIn(words, listed), when: whenIn(words) };
}

function tokens({ words, coins, when }: Read): string[] {
  return tokensOf(words, coins, when);
}

const aboutTraders = new Set<FamilyName>([
  "similarity",
  "risk_regime",
  "copy_lag",
  "whale_ranking",
  "screening",
  "strategy_comparison",
  "counterfactual",
]);

function combined(
  lexical: ReadonlyMap<FamilyName, number>,
  near: readonly Neighbour[],
  heard: Heard,
  read: Read,
): Map<FamilyName, number> {
  const scores = new Map<FamilyName, number>(lexical);
  const known = new Set<string>(familyNames);
  for (const { label, nearness } of near) {
    if (!known.has(label)) continue;
    const family = label as FamilyName;
    scores.set(family, (scores.get(family) ?? 0) + 7 * nearness * nearness);
  }
  // What is asked in general terms is theirs, so anything special beside them goes first.
  for (const family of ["movers", "screening"] as const) {
    const score = scores.get(family);
    if (score !== undefined) scores.set(family, score * 0.85);
  }
  const add = (family: FamilyName, weight: number) => scores.set(family, (scores.get(family) ?? 0) + weight);
  const addresses = read.words.filter(({ kind }) => kind === "address").length;
  const traders =
    addresses > 0 ||
    heard.has(
      "trader",
      "traders",
      "wallet",
      "wallets",
      "account",
      "accounts",
      "address",
      "addresses",
      "who",
      "whos",
      "whose",
      "anyone",
      "somebody",
      "someone",
      "everyone",
      "everybody",
      "people",
    );
  const people = heard.has("trader", "traders", "wallet", "wallets", "account", "accounts");
  const barCount = read.words.filter(
    ({ kind, text }, i) => kind === "number" && !read.when.places.has(i) && text !== "one",
  ).length;
  const markets = heard.has(
    "coin",
    "coins",
    "market",
    "markets",
    "perp",
    "perps",
    "token",
    "tokens",
    "alts",
    "pairs",
    "contracts",
  );
  for (const family of familyNames) {
    if (!scores.has(family) || family === "anomaly") continue;
    if (traders && addresses === 0 && aboutTraders.has(family)) add(family, 2.5);
    if (addresses > 0) add(family, aboutTraders.has(family) ? 5 : -6);
    if (!traders && markets && !aboutTraders.has(family)) add(family, 2.5);
    if (people && !markets && !aboutTraders.has(family) && family !== "liquidation_cascade")
      add(family, -0.5 * (scores.get(family) ?? 0));
  }
  if (heard.has("funding", "fundings") && addresses === 0) add("funding_extremes", 4);
  if (barCount >= 2 && traders) add("screening", 6);
  if ((lexical.get("anomaly") ?? 0) >= 6 && !heard.has("funding", "volatility")) add("movers", -5);
  if (addresses === 1 && !lexical.has("screening")) add("screening", 2);
  if (addresses >= 2) add("strategy_comparison", 3);
  if (
    addresses === 1 &&
    heard.has(
      "same",
      "similar",
      "like",
      "akin",
      "alike",
      "resembles",
      "resemble",
      "resembling",
      "comparable",
      "matches",
      "match",
      "another",
    )
  )
    add("similarity", 5);
  if (
    addresses > 0 &&
    heard.has(
      "unusual",
      "weird",
      "strange",
      "odd",
      "abnormal",
      "anomaly",
      "anomalies",
      "outlier",
      "suspicious",
      "changed",
      "usual",
      "normal",
      "behaviour",
      "behavior",
      "himself",
      "itself",
      "character",
    ) &&
    !heard.has("similar", "like", "same", "closest")
  )
    add("anomaly", 6);
  const named = read.coins.coins.length;
  const comparing = heard.has(
    "vs",
    "versus",
    "against",
    "or",
    "/",
    "compare",
    "compared",
    "relative",
    "ratio",
    "than",
    "beat",
    "beats",
    "beating",
    "better",
    "correlation",
    "correlated",
    "together",
    "follow",
    "follows",
    "track",
    "tracks",
    "kept",
    "next",
    "comparison",
    "between",
  );
  if (named >= 2 && comparing && addresses === 0) add("peer_comparison", 5);
  if (lastsQuestion(heard)) add("funding_extremes", 8);
  if (!people && heard.has("who", "whos") && !markets) add("movers", -0.3 * (scores.get("movers") ?? 0));
  // A coin alone, or with a time, asks how it did.
  const foreign = foreignWords(read);
  if (read.coins.coins.length > 0 && lexical.size === 0 && foreign === 0) add("movers", 3.5);
  if (addresses > 0 && lexical.size === 0 && foreign === 0) add("screening", 3.5);
  for (const [family, score] of scores) scores.set(family, round(Math.max(score, 0)));
  return scores;
}

/** Words that neither the families nor small talk know: the more there are, the less a weak match means. */
export function foreignWords(read: Read): number {
  return tokens(read).filter(
    (token) => token === token.toLowerCase() && !isSilent(token) && !knownToken(token),
  ).length;
}

function confidenceOf(best: number, next: number, near: readonly Neighbour[]): number {
  const strength = Math.min(best / 10, 1);
  const margin = best === 0 ? 0 : (best - next) / best;
  const closest = near[0]?.nearness ?? 0;
  return round(Math.min(0.99, 0.55 * strength + 0.25 * margin + 0.2 * closest));
}

/** Nothing of ours in it, or nearest to what is labelled as not here. */
function tooFar(
  best: number,
  near: readonly Neighbour[],
  heard: Heard,
  foreign: number,
): UnsupportedReason | undefined {
  const [closest] = near;
  if (closest !== undefined && closest.label === "unsupported" && closest.nearness > 0.8 && best < 12)
    return "unclear";
  const weak = near.filter(({ label }) => label === "unsupported").length >= 5 && best < 6;
  const strange = foreign >= 2 && best < 4.5 + foreign;
  if (best < 3.2 || weak || strange) return heard.words.length > 0 && best < 1.5 ? "off_topic" : "unclear";
  return undefined;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
