/**
 * Blocks of time that judgements are grouped by: weeks from Monday (UTC), or days
 * where what is judged has fewer than eight weeks.
 */
import { searchLimits } from "../limits.js";

export type BlockUnit = "week" | "day";

const [dayHours, weekHours] = [24, 168];
/** 1970 began on a Thursday. */
const firstMondayHour = 96;

export function blockUnitOf(hours: Iterable<number>): BlockUnit {
  const weeks = new Set<number>();
  for (const hour of hours) weeks.add(weekOf(hour));
  return weeks.size < searchLimits.weeksMin ? "day" : "week";
}

/** Episodes that do not say when they are stand in one block. */
export function blockOf(hour: number | undefined, unit: BlockUnit): string {
  if (hour === undefined) return "";
  return String(unit === "week" ? weekOf(hour) : Math.floor(hour / dayHours));
}

function weekOf(hour: number): number {
  return Math.floor((hour - firstMondayHour) / weekHours);
}
