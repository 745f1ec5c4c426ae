/** Ratios of sums over judgements, and differences of them, each with its interval. */
import { type Clustered, type Influence, intervalAround, spreadOf } from "./cluster.js";
import type { Estimate } from "./types.js";

/** What one judgement adds to a ratio of sums. */
export interface Term extends Clustered {
  readonly top: number;
  readonly bottom: number;
}

export const nothing: Estimate = { interval: null, of: 0, standard_error: null, value: null };

export function estimate(terms: readonly Term[]): Estimate {
  let [top, bottom] = [0, 0];
  for (const term of terms) {
    top += term.top;
    bottom += term.bottom;
  }
  if (bottom === 0) return nothing;
  const value = top / bottom;
  return estimateOf(
    value,
    bottom,
    terms.map(({ market, block, ...term }) => ({
      market,
      block,
      value: (term.top - value * term.bottom) / bottom,
    })),
  );
}

/** Of a number whose influences are known. */
export function estimateOf(value: number, of: number, influences: readonly Influence[]): Estimate {
  const spread = spreadOf(influences);
  return {
    interval: intervalAround(value, spread),
    of,
    standard_error: spread === null ? null : spread.standardError,
    value,
  };
}
