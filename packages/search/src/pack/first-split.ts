/**
 * The rule by which packs of the first format are split: by coin and by time at
 * once. Packs since have their parts in the manifest (pack/parts.ts); this is kept
 * so that what was judged on a v1 pack is judged on the same episodes.
 *
 * A third of all coin names, by a digest of the name, is held out for good, in
 * every pack, real or synthetic. Weeks from a cut on are held out too: the first
 * Monday (UTC) after three fifths of the pack's time. An episode is for training
 * when neither its coin nor its week is held out, for the test when both are, and
 * for nothing when only one is. Stresses of one hour come in many coins and those
 * of one coin resemble each other, so a split by one of the two alone would let a
 * model recognise what it is tested on.
 */
import { sha256Hex } from "@bridle/record";
import { endHourOf } from "../window.js";

export const splitRule = "coin third by sha256 and weeks from a cut.v1";

export interface Split {
  /** Hours since 1970; a Monday at 00:00 UTC. */
  readonly cut_hour: number;
  readonly rule: typeof splitRule;
}

export type Part = "train" | "test" | "neither";

/** Where and when an episode is: what a start record and an episode record both say. */
export interface Placed {
  readonly anchor_market: string;
  readonly window_id: string;
}

const weekHours = 168;
/** 1970 began on a Thursday. */
const firstMondayHour = 96;
/** An outcome is known only hours later, so the last day before the cut is left out. */
const gapHours = 24;

/** Undefined when no episode says when it is. */
export function splitOf(episodes: Iterable<Placed>): Split | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { window_id } of episodes) {
    const hour = endHourOf(window_id);
    if (hour === undefined) continue;
    first = Math.min(first, hour);
    last = Math.max(last, hour);
  }
  if (first > last) return undefined;
  const from = first + Math.floor(((last - first) * 3) / 5);
  const weeks = Math.ceil((from - firstMondayHour) / weekHours);
  return { cut_hour: firstMondayHour + weeks * weekHours, rule: splitRule };
}

export function partOf(
  { cut_hour }: Split,
  { anchor_market, hour }: { readonly anchor_market: string; readonly hour: number | undefined },
): Part {
  if (hour === undefined) return "neither";
  if (isHeldOut(anchor_market)) return hour >= cut_hour ? "test" : "neither";
  return hour < cut_hour - gapHours ? "train" : "neither";
}

export function isHeldOut(market: string): boolean {
  return Number.parseInt(sha256Hex(`hlq.split.v1/${market}`).slice(0, 8), 16) % 3 === 0;
}
