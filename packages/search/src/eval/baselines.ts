/**
 * What a policy must beat to be worth its reads: two that give one answer to
 * everything, the base rate of the training part, and what the market did last.
 *
 * The two that state probabilities learn them from the training part alone, and
 * the market's last outcome is one that was known when the episode began.
 */
import type { Truth } from "../types.js";
import type { Judgement } from "./judge.js";
import type { EpisodeTruth } from "./types.js";

export const baselineAnswers = {
  "always-signal": "finalize_signal",
  "always-low": "finalize_low_signal",
  "always-abstain": "abstain",
} as const satisfies Record<string, Truth>;

export const baselineNames = [...Object.keys(baselineAnswers), "base-rate", "last-outcome"];

/** An episode with when it was and how it went. */
export interface PastEpisode extends EpisodeTruth {
  readonly hour: number | undefined;
  readonly isTraining: boolean;
}

export interface Baseline {
  readonly name: string;
  readonly judgements: readonly Judgement[];
}

export interface BaselineOptions {
  readonly past: readonly PastEpisode[];
  /** How long an outcome takes to be known. */
  readonly horizonHours: number;
}

/** The share of signals among what can be decided, of the training part; undefined where there is none. */
export function baseRateOf(past: readonly PastEpisode[]): number | undefined {
  const known = past.filter(({ isTraining, ...each }) => isTraining && truthOf(each) !== "abstain");
  if (known.length === 0) return undefined;
  return smoothed(known.filter((each) => truthOf(each) === "finalize_signal").length, known.length);
}

/** One imagined case of each kind stands beside them, so that few cases are never taken for certain. */
function smoothed(hits: number, of: number): number {
  return (hits + 1) / (of + 2);
}

const truthOf = ({ ground_truth_reference }: Pick<EpisodeTruth, "ground_truth_reference">): Truth =>
  ground_truth_reference.truth;

/** On these episodes; `episodes` are judgements of which only what is asked is taken. */
export function baselinesOn(episodes: readonly Judgement[], options: BaselineOptions): Baseline[] {
  const always = Object.entries(baselineAnswers).map(([name, answer]) => ({
    name,
    judgements: episodes.map((episode) => answering(episode, answer)),
  }));
  const rate = baseRateOf(options.past);
  if (rate === undefined) return always;
  return [
    ...always,
    { name: "base-rate", judgements: episodes.map((episode) => stating(episode, rate)) },
    { name: "last-outcome", judgements: lastOutcomes(episodes, options, rate) },
  ];
}

function lastOutcomes(
  episodes: readonly Judgement[],
  { past, horizonHours }: BaselineOptions,
  rate: number,
): Judgement[] {
  const byMarket = new Map<string, PastEpisode[]>();
  for (const each of past.filter(({ hour }) => hour !== undefined))
    byMarket.set(each.anchor_market, [...(byMarket.get(each.anchor_market) ?? []), each]);
  for (const list of byMarket.values()) list.sort((a, b) => (a.hour as number) - (b.hour as number));
  const lastBefore = (market: string, hour: number | undefined): Truth | undefined => {
    if (hour === undefined) return undefined;
    const before = (byMarket.get(market) ?? []).findLast(
      (each) => (each.hour as number) + horizonHours <= hour && truthOf(each) !== "abstain",
    );
    return before && truthOf(before);
  };
  const counts = { finalize_signal: { of: 0, hits: 0 }, finalize_low_signal: { of: 0, hits: 0 } };
  for (const each of past) {
    const last = each.isTraining ? lastBefore(each.anchor_market, each.hour) : undefined;
    if (last === undefined || last === "abstain" || truthOf(each) === "abstain") continue;
    counts[last].of++;
    if (truthOf(each) === "finalize_signal") counts[last].hits++;
  }
  return episodes.map((episode) => {
    const last = lastBefore(episode.market, episode.hour);
    if (last === undefined || last === "abstain") return stating(episode, rate);
    const { hits, of } = counts[last];
    const probability = smoothed(hits, of);
    return { ...stating(episode, probability), answer: last };
  });
}

function answering(episode: Judgement, answer: Truth): Judgement {
  return { ...episode, answer, leaning: undefined, work: undefined };
}

/** States the probability of a signal, and answers what is likelier. */
function stating(episode: Judgement, probability: number): Judgement {
  const answer = probability > 0.5 ? "finalize_signal" : "finalize_low_signal";
  const confidence = answer === "finalize_signal" ? probability : 1 - probability;
  return { ...episode, answer, leaning: { confidence, leaning: answer }, work: undefined };
}
