/** Judgements for tests of the evaluation, written down rather than played. */
import type { StopCandidate, Truth } from "@bridle/search";
import type { Judgement } from "../../packages/search/src/eval/judge.js";

export const signal = "finalize_signal" as const;
export const low = "finalize_low_signal" as const;

let count = 0;

export function judgement(truth: Truth, answer: Truth, more: Partial<Judgement> = {}): Judgement {
  return {
    episodeId: `ep-${count++}`,
    market: "BTC",
    hour: 480_000,
    block: "0",
    truth,
    answer,
    leaning: undefined,
    work: undefined,
    ...more,
  };
}

/** That states the probability of a signal, and answers what is likelier. */
export function stated(truth: Truth, probability: number, more: Partial<Judgement> = {}): Judgement {
  const leaning: StopCandidate =
    probability > 0.5
      ? { confidence: probability, leaning: signal }
      : { confidence: 1 - probability, leaning: low };
  return judgement(truth, leaning.leaning, { leaning, ...more });
}

/** One for each of `markets` markets in each of `blocks` blocks; `make` is told the number of each. */
export function spreadOut(
  { markets = 6, blocks = 6 }: { readonly markets?: number; readonly blocks?: number },
  make: (i: number) => Judgement,
): Judgement[] {
  return Array.from({ length: markets * blocks }, (_, i) => ({
    ...make(i),
    episodeId: `ep-${i}`,
    market: `M${i % markets}`,
    block: String(Math.floor(i / markets)),
  }));
}
