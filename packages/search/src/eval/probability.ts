/**
 * What stated probabilities are worth. A policy states how likely its leaning is
 * right; as the probability of a signal that is the confidence, or one less it.
 *
 * Only episodes that can be decided count: where the truth is that nobody could
 * know, no probability of a signal is right or wrong.
 */
import { searchLimits } from "../limits.js";
import type { Influence } from "../statistics/cluster.js";
import { estimate, estimateOf, nothing, type Term } from "../statistics/estimate.js";
import { logLossOf, squareOf } from "../statistics/loss.js";
import type { Judgement } from "./judge.js";
import type { Estimate, ProbabilityEvaluation } from "./types.js";

/** A judgement with the probability of a signal that was stated, and what came of it. */
export interface Stated extends Pick<Judgement, "market" | "block" | "episodeId"> {
  readonly probability: number;
  readonly happened: 0 | 1;
}

export function statedOf(judgements: readonly Judgement[]): Stated[] {
  return judgements.flatMap((judgement) => {
    const probability = probabilityOf(judgement);
    if (judgement.truth === "abstain" || probability === undefined) return [];
    const { market, block, episodeId } = judgement;
    return [
      { market, block, episodeId, probability, happened: judgement.truth === "finalize_signal" ? 1 : 0 },
    ];
  });
}

function probabilityOf({ leaning }: Judgement): number | undefined {
  switch (leaning?.leaning) {
    case "finalize_signal":
      return leaning.confidence;
    case "finalize_low_signal":
      return 1 - leaning.confidence;
    default:
      return undefined;
  }
}

/** `baseRate`: of the training part; skill is measured against it. Null where nothing was stated. */
export function probabilityEvaluation(
  judgements: readonly Judgement[],
  baseRate: number | undefined,
): ProbabilityEvaluation | null {
  const stated = statedOf(judgements);
  if (stated.length === 0) return null;
  const squares = stated.map((one): Term => ({ ...placeOf(one), top: squareOf(one), bottom: 1 }));
  return {
    auc: aucOf(stated),
    brier: estimate(squares),
    brier_skill: baseRate === undefined ? nothing : skillOf(stated, baseRate),
    calibration: calibrationOf(stated),
    log_loss: estimate(stated.map((one): Term => ({ ...placeOf(one), top: logLossOf(one), bottom: 1 }))),
    stated: stated.length,
  };
}

const placeOf = ({ market, block }: Stated) => ({ market, block });

/** One less the squared error by that of always stating the base rate. */
function skillOf(stated: readonly Stated[], baseRate: number): Estimate {
  const ratio = estimate(
    stated.map((one) => ({
      ...placeOf(one),
      top: squareOf(one),
      bottom: squareOf({ ...one, probability: baseRate }),
    })),
  );
  if (ratio.value === null) return nothing;
  const { interval } = ratio;
  return {
    ...ratio,
    interval: interval === null ? null : { high: 1 - interval.low, low: 1 - interval.high },
    of: stated.length,
    value: 1 - ratio.value,
  };
}

/** How often a signal was given a higher probability than no signal; a tie is half. Null without both. */
export function aucOf(stated: readonly Stated[]): Estimate {
  const influences = aucInfluences(stated);
  if (influences === undefined) return nothing;
  return estimateOf(influences.value, stated.length, influences.parts);
}

export function aucInfluences(
  stated: readonly Stated[],
): { readonly value: number; readonly parts: readonly Influence[] } | undefined {
  const positives = stated.filter(({ happened }) => happened === 1).map(({ probability }) => probability);
  const negatives = stated.filter(({ happened }) => happened === 0).map(({ probability }) => probability);
  if (positives.length === 0 || negatives.length === 0) return undefined;
  const [sortedUp, sortedDown] = [positives.toSorted((a, b) => a - b), negatives.toSorted((a, b) => a - b)];
  /** The share of the other class that this one is on the right side of. */
  const shares = stated.map(({ probability, happened }) =>
    happened === 1 ? shareBelow(sortedDown, probability) : 1 - shareBelow(sortedUp, probability),
  );
  let sum = 0;
  for (const [i, { happened }] of stated.entries()) if (happened === 1) sum += shares[i] as number;
  const value = sum / positives.length;
  return {
    value,
    parts: stated.map((one, i) => ({
      ...placeOf(one),
      value: ((shares[i] as number) - value) / (one.happened === 1 ? positives.length : negatives.length),
    })),
  };
}

/** Of these, ties count half. */
function shareBelow(sorted: readonly number[], value: number): number {
  const count = (isBefore: (other: number) => boolean) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (isBefore(sorted[middle] as number)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (count((other) => other < value) + count((other) => other <= value)) / 2 / sorted.length;
}

/** One less a confidence of 0.9 is a little under 0.1, and belongs where 0.1 does. */
const roundingSlack = 1e-9;

/** A probability of one is in the last bin. */
function calibrationOf(stated: readonly Stated[]): ProbabilityEvaluation["calibration"] {
  const size = searchLimits.calibrationBins;
  const bins = Array.from({ length: size }, (_, i) => {
    const inside = stated.filter(
      ({ probability }) => Math.min(size - 1, Math.floor(probability * size + roundingSlack)) === i,
    );
    const mean = (of: (one: Stated) => number) =>
      inside.reduce((sum, one) => sum + of(one), 0) / inside.length;
    return inside.length === 0
      ? []
      : [
          {
            count: inside.length,
            from: i / size,
            happened: mean(({ happened }) => happened),
            probability: mean(({ probability }) => probability),
            to: (i + 1) / size,
          },
        ];
  }).flat();
  const gaps = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.probability - bin.happened), 0);
  return { bins, expected_error: gaps / stated.length };
}
