/**
 * What a model is shown: a fixed list of named numbers, none beyond one.
 *
 * What is not known is 0 and has a second number beside it that says whether it is
 * known, so that a model of one kind of data can be used on another and learns
 * what a gap means. A list that changes gets another version, because weights
 * belong to a list.
 */
import { clamp, type Evidence } from "../evidence/evidence.js";
import { type Artifact, type Brief, viewNames } from "../types.js";

export const featureVersion = "1";

interface Feature {
  readonly name: string;
  /** Undefined when it is not known. */
  of(evidence: Evidence): number | undefined;
}

/** Shares of few cases are pulled towards the usual: three imagined cases stand beside them. */
function pulled(hits: number, of: number): number {
  return (hits - usualShare * of) / (of + 3);
}
const usualShare = 0.37;

function per(value: number | undefined, scale: number): number | undefined {
  return value === undefined ? undefined : clamp(value / scale, -1, 1);
}

const features: readonly Feature[] = [
  { name: "score", of: ({ score }) => (score === undefined ? undefined : (score - 4) / (score + 4)) },
  { name: "score_before", of: ({ scoreBefore }) => per(scoreBefore, 4) },
  {
    name: "rate_size",
    of: ({ rate }) => (rate === undefined ? undefined : Math.abs(rate) / (Math.abs(rate) + 0.00005)),
  },
  { name: "interest_change", of: ({ interestChange }) => per(interestChange, 0.1) },
  {
    name: "premium_share",
    of: ({ premiumShare }) => (premiumShare === undefined ? undefined : per(premiumShare - 0.08, 0.25)),
  },
  { name: "return_1h", of: ({ return1h }) => per(return1h, 0.03) },
  {
    name: "flushed",
    of: ({ return1h }) => (return1h === undefined ? undefined : clamp((-return1h - 0.01) / 0.01, 0, 1)),
  },
  { name: "return_24h", of: ({ return24h }) => per(return24h, 0.1) },
  {
    name: "volatility",
    of: ({ volatility }) => (volatility === undefined ? undefined : volatility / (volatility + 0.01)),
  },
  {
    name: "volume_ratio",
    of: ({ volumeRatio }) => (volumeRatio === undefined ? undefined : (volumeRatio - 1) / (volumeRatio + 1)),
  },
  {
    name: "habit",
    of: ({ earlier, earlierPersisted }) =>
      earlier === undefined || earlierPersisted === undefined ? undefined : pulled(earlierPersisted, earlier),
  },
  {
    name: "latest_persisted",
    of: ({ latestPersisted }) => (latestPersisted === undefined ? undefined : latestPersisted ? 1 : -1),
  },
  {
    name: "breadth",
    of: ({ peersLeaning }) => (peersLeaning === undefined ? undefined : per(peersLeaning - 0.3, 0.2)),
  },
  { name: "peers_score", of: ({ peersScore }) => per(peersScore, 3) },
  {
    name: "resembling",
    of: ({ priors, priorsPersisted }) =>
      priors === undefined || priorsPersisted === undefined ? undefined : pulled(priorsPersisted, priors),
  },
  { name: "pinned", of: ({ pinned }) => pinned },
  { name: "rates_before", of: ({ ratesBefore }) => per(ratesBefore, 1) },
];

export const stopFeatureNames: readonly string[] = [
  "one",
  ...features.flatMap(({ name }) => [name, `${name}_known`]),
];

export function stopFeatures(evidence: Evidence): number[] {
  return [
    1,
    ...features.flatMap((feature) => {
      const value = feature.of(evidence);
      return value === undefined || !Number.isFinite(value) ? [0, 0] : [clamp(value, -1, 1), 1];
    }),
  ];
}

export const keepFeatureNames: readonly string[] = [
  "one",
  ...viewNames.map((name) => `is_${name}`),
  "own_market",
  "own_window",
  "empty",
  "members",
];

export function keepFeatures(
  { view_name, anchor_market, window_id, payload }: Artifact,
  brief: Pick<Brief, "anchor_market" | "window_id">,
): number[] {
  const members = Object.keys(payload).length;
  return [
    1,
    ...viewNames.map((name) => Number(name === view_name)),
    Number(anchor_market === brief.anchor_market),
    Number(window_id === brief.window_id),
    Number(payload["empty"] === true),
    members / (members + 4),
  ];
}
