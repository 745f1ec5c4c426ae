/** Earlier episodes that resemble one, most alike first; only those that were over before its window began. */
import { compareCodePoints, type JsonObject } from "@bridle/record";
import { isoHour, windowId } from "./hours-in-words.js";
import { type Metrics, valueOf } from "./metrics.js";
import { fixed } from "./number.js";
import type { Onset } from "./onset.js";
import type { BuildParams } from "./params.js";

export interface PriorEpisode {
  readonly episodeId: string;
  readonly onset: Onset;
  readonly metrics: Metrics;
}

export const patterns = {
  funding_stress_up: ["funding", "stress", "positive", "longs pay", "crowded longs"],
  funding_stress_down: ["funding", "stress", "negative", "shorts pay", "crowded shorts"],
} as const;
export type PatternId = keyof typeof patterns;

export function patternOf({ z }: Pick<Onset, "z">): PatternId {
  return z > 0 ? "funding_stress_up" : "funding_stress_down";
}

/** `priors` are the candidates, all of one pattern. */
export function shortlist(
  episode: { readonly metrics: Metrics; readonly z: number },
  priors: readonly PriorEpisode[],
  pattern: PatternId,
  params: BuildParams,
): JsonObject {
  const ranked = priors
    .map((prior) => ({ prior, distance: distanceOf(episode, prior) }))
    .sort((a, b) => a.distance - b.distance || compareCodePoints(a.prior.episodeId, b.prior.episodeId))
    .slice(0, params.shortlist_length);
  return {
    episodes: ranked.map(({ prior, distance }) => ({
      anchor_market: prior.onset.market,
      distance: fixed(distance, 4),
      episode_id: prior.episodeId,
      funding_z: fixed(prior.onset.z, 3),
      hour: isoHour(prior.onset.hour),
      persisted: prior.onset.persisted === true,
      window_id: windowId(prior.onset.hour, params),
    })),
    pattern_id: pattern,
    words: [...patterns[pattern]],
  };
}

/** Scales are those at which the numbers usually differ between stresses. */
function distanceOf(
  episode: { readonly metrics: Metrics; readonly z: number },
  { onset, metrics }: PriorEpisode,
): number {
  const parts = [
    (Math.min(Math.abs(episode.z), 20) - Math.min(Math.abs(onset.z), 20)) / 4,
    gap(valueOf(episode.metrics.return24h), valueOf(metrics.return24h), 0.05),
    gap(valueOf(episode.metrics.volumeRatio), valueOf(metrics.volumeRatio), 1),
    gap(valueOf(episode.metrics.openInterestChange), valueOf(metrics.openInterestChange), 0.1),
  ];
  let sum = 0;
  for (const part of parts) sum += part * part;
  return Math.sqrt(sum);
}

/** Two that are both unknown are alike; one that is unknown is a little unlike any. */
function gap(left: number | undefined, right: number | undefined, scale: number): number {
  if (left === undefined && right === undefined) return 0;
  if (left === undefined || right === undefined) return 1;
  return Math.max(-3, Math.min(3, (left - right) / scale));
}
