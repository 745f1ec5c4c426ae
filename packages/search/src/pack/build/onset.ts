/**
 * Where funding stress begins, and whether it went on: the label of an episode.
 *
 * One stress is one onset, not one for each of its hours, which would be nearly
 * the same episode many times over.
 */
import type { Truth } from "../../types.js";
import type { BuildParams } from "./params.js";
import { at, type Series, scoreAt } from "./series.js";

export interface Onset {
  readonly market: string;
  readonly hour: number;
  readonly z: number;
  readonly history: number;
  /** Undefined when the hours after it are not all there: then nobody knows. */
  readonly persisted: boolean | undefined;
  readonly after: readonly { readonly hour: number; readonly z: number; readonly rate: string }[];
}

export function onsetsOf(series: Series, params: BuildParams): Onset[] {
  const { funding, scores, market } = series;
  const found: Onset[] = [];
  for (const [i, { hour }] of funding.entries()) {
    const score = scores[i];
    if (score === undefined || Math.abs(score.z) < params.onset_score) continue;
    const last = found.at(-1);
    if (last !== undefined && hour - last.hour < params.quiet_hours) continue;
    const after = hoursAfter(series, hour, params);
    found.push({
      market,
      hour,
      z: score.z,
      history: score.history,
      persisted:
        after.length < params.persist_hours
          ? undefined
          : after.every(({ z }) => z * Math.sign(score.z) > params.persist_score),
      after,
    });
  }
  return found;
}

function hoursAfter(series: Series, hour: number, params: BuildParams): Onset["after"] {
  const after: Onset["after"][number][] = [];
  for (let ahead = 1; ahead <= params.persist_hours; ahead++) {
    const score = scoreAt(series, hour + ahead);
    const row = at(series.funding, hour + ahead);
    if (score === undefined || row === undefined) break;
    after.push({ hour: hour + ahead, z: score.z, rate: row.rate });
  }
  return after;
}

export function isComplete({ history }: Pick<Onset, "history">, params: BuildParams): boolean {
  return history >= params.baseline_hours_needed;
}

/** Where the history that a score needs is incomplete, the honest answer is none. */
export function truthOf(onset: Onset, params: BuildParams): Truth | undefined {
  if (onset.persisted === undefined) return undefined;
  if (!isComplete(onset, params)) return "abstain";
  return onset.persisted ? "finalize_signal" : "finalize_low_signal";
}
