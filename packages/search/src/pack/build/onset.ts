/**
 * Where funding stress begins, and whether it went on: the label of an episode.
 *
 * One stress is one onset, not one for each of its hours, which would be nearly
 * the same episode many times over. An onset is known at its hour, so one whose
 * rate was stamped late begins no episode. The hours after it are the label and
 * are looked at whatever is known.
 */
import { hourMs } from "@bridle/market";
import type { Truth } from "../../types.js";
import { isComplete } from "./metrics.js";
import type { BuildParams } from "./params.js";
import { type Series, scoreOf } from "./series.js";

export interface Onset {
  readonly market: string;
  readonly hour: number;
  readonly z: number;
  readonly history: number;
  /** Undefined when the hours after it are not all there: then nobody knows. */
  readonly persisted: boolean | undefined;
  readonly after: readonly { readonly hour: number; readonly z: number }[];
}

export function onsetsOf(series: Series, params: BuildParams): Onset[] {
  const { funding, market } = series;
  const found: Onset[] = [];
  for (let i = 0; i < funding.hours.length; i++) {
    const hour = funding.hours[i] as number;
    const { z, history } = funding.scores.at(i);
    if (z === undefined || Math.abs(z) < params.onset_score) continue;
    if ((funding.knownMs[i] as number) > hour * hourMs) continue;
    const last = found.at(-1);
    if (last !== undefined && hour - last.hour < params.quiet_hours) continue;
    const after = hoursAfter(series, { hour, history }, params);
    found.push({
      market,
      hour,
      z,
      history,
      persisted:
        after.length < params.persist_hours
          ? undefined
          : after.every((later) => later.z * Math.sign(z) > params.persist_score),
      after,
    });
  }
  return found;
}

/** Up to the first hour that says nothing. An onset with a whole baseline is judged by scores that have one. */
function hoursAfter(
  series: Series,
  { hour, history }: Pick<Onset, "hour" | "history">,
  params: BuildParams,
): Onset["after"] {
  const after: Onset["after"][number][] = [];
  for (let ahead = 1; ahead <= params.persist_hours; ahead++) {
    const score = scoreOf(series, hour + ahead);
    if (score?.z === undefined) break;
    if (isComplete({ history }, params) && !isComplete(score, params)) break;
    after.push({ hour: hour + ahead, z: score.z });
  }
  return after;
}

/** Where the history that a score needs is incomplete, the honest answer is none. */
export function truthOf(onset: Onset, params: BuildParams): Truth | undefined {
  if (onset.persisted === undefined) return undefined;
  if (!isComplete(onset, params)) return "abstain";
  return onset.persisted ? "finalize_signal" : "finalize_low_signal";
}
