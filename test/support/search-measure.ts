/**
 * How often policies are right on held-out episodes, and by how much one is better
 * than another: the paired difference with an interval by coin and day at once.
 */
import type { EpisodeWithTruth, Policy } from "@bridle/search";
import { type Driven, driveEpisode, isRight } from "./search-drive.js";
import { blockOf } from "../../packages/search/src/statistics/blocks-of-time.js";
import { estimate, type Term } from "../../packages/search/src/statistics/estimate.js";
import { endHourOf } from "../../packages/search/src/window.js";

/** An episode and the coin that it counts for; coins of one name in two markets are two coins. */
export interface Case {
  readonly episode: EpisodeWithTruth;
  readonly coin: string;
}

export interface Score {
  readonly right: readonly boolean[];
  readonly accuracy: number;
  /** Without the episodes whose truth is to abstain, which the history alone tells. */
  readonly decidedAccuracy: number;
  readonly steps: number;
  readonly refusals: number;
  readonly signals: number;
}

export async function scorePolicy(policy: Policy, cases: readonly Case[]): Promise<Score> {
  const driven: Driven[] = [];
  for (const { episode } of cases) driven.push(await driveEpisode(policy, episode));
  const decided = driven.filter(({ episode }) => !isAbstention(episode));
  const share = (list: readonly Driven[]) => list.filter(isRight).length / Math.max(list.length, 1);
  const mean = (count: (each: Driven) => number) =>
    driven.reduce((sum, each) => sum + count(each), 0) / Math.max(driven.length, 1);
  return {
    right: driven.map(isRight),
    accuracy: share(driven),
    decidedAccuracy: share(decided),
    steps: mean(({ steps }) => steps.length),
    refusals: mean(({ refusals }) => refusals.length),
    signals: driven.filter(({ terminal }) => terminal.decision_class === "finalize_signal").length,
  };
}

export function isAbstention({ ground_truth_reference }: EpisodeWithTruth): boolean {
  return ground_truth_reference.truth === "abstain";
}

export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly episodes: number;
  readonly coins: number;
}

/** `only` narrows the cases that count. Contract: there are coins and days enough for an interval. */
export function difference(
  cases: readonly Case[],
  [left, right]: readonly [Score, Score],
  only: (each: Case) => boolean = () => true,
): Difference {
  const terms: Term[] = cases.flatMap((each, i) =>
    only(each)
      ? [
          {
            market: each.coin,
            block: blockOf(endHourOf(each.episode.window_id), "day"),
            top: Number(left.right[i]) - Number(right.right[i]),
            bottom: 1,
          },
        ]
      : [],
  );
  const { interval, value } = estimate(terms);
  if (interval === null || value === null) throw new Error("too few coins or days");
  return {
    ...interval,
    value,
    episodes: terms.length,
    coins: new Set(terms.map(({ market }) => market)).size,
  };
}

export function inWords({ value, low, high, episodes, coins }: Difference): string {
  const points = (share: number) => `${share < 0 ? "" : "+"}${(100 * share).toFixed(1)}`;
  return `${points(value)} points (95 % ${points(low)} to ${points(high)}; ${episodes} episodes, ${coins} coins)`;
}
