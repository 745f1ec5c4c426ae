/**
 * The parts of a pack, by time: what may be learnt from, what chooses between
 * models, and what only judges. They stand in the manifest, so everybody who
 * judges a pack judges the same episodes.
 *
 * An outcome is known only hours after its episode, so episodes of the last day
 * before a part begins (or of the horizon, where that is longer) belong to none.
 * What a newcomer gets wrong: all markets are cut at the same moment. Stresses of
 * one hour come in many markets at once, and one that was learnt from would give
 * away the others.
 */
import { endHourOf } from "../window.js";

export const partsRule = "by time, an embargo before each.v1";

export interface Parts {
  readonly embargo_hours: number;
  readonly rule: typeof partsRule;
  /** Hours since 1970; a day begins then. */
  readonly test_from_hour: number;
  readonly validation_from_hour: number;
}

export const partNames = ["train", "validation", "test"] as const;
export type PartName = (typeof partNames)[number];

const dayHours = 24;
/** Shares of the time from the first episode to the last. */
const [trainShare, testFromShare] = [0.5, 0.7];

export interface TimeSpan {
  readonly first: number;
  readonly last: number;
}

/** Null where no episode says when it is. */
export function partsOf(span: TimeSpan | undefined, horizonHours: number): Parts | null {
  if (span === undefined) return null;
  const { first, last } = span;
  const dayAt = (share: number) => Math.ceil((first + (last + 1 - first) * share) / dayHours) * dayHours;
  return {
    embargo_hours: Math.max(dayHours, horizonHours),
    rule: partsRule,
    test_from_hour: dayAt(testFromShare),
    validation_from_hour: dayAt(trainShare),
  };
}

/** Of an episode that begins at this hour; undefined for one that is of none. */
export function partAt(parts: Parts, hour: number): PartName | undefined {
  const { embargo_hours, test_from_hour, validation_from_hour } = parts;
  if (hour >= test_from_hour) return "test";
  if (hour >= validation_from_hour) return hour < test_from_hour - embargo_hours ? "validation" : undefined;
  return hour < validation_from_hour - embargo_hours ? "train" : undefined;
}

/** Grows with each episode that is seen. */
export class SpanSeen {
  private seen: TimeSpan | undefined;

  add({ window_id }: { readonly window_id: string }): void {
    const hour = endHourOf(window_id);
    if (hour === undefined) return;
    const { first, last } = this.seen ?? { first: hour, last: hour };
    this.seen = { first: Math.min(first, hour), last: Math.max(last, hour) };
  }

  get span(): TimeSpan | undefined {
    return this.seen;
  }
}
