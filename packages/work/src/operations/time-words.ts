/** Spans of time as a person says them: one number, one unit. */
import { parseInstant, grouped } from "@bridle/record";
import { instantMs } from "../memory/issue-row.js";

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `41 min`; never longer than it is. */
export function spanWords(ms: number): string {
  for (const [unit, length] of units) {
    if (ms >= length) return `${grouped(Math.floor(ms / length))} ${unit}`;
  }
  return "0 s";
}

export function agoWords(ms: number): string {
  return ms < 1_000 ? "just now" : `${spanWords(ms)} ago`;
}

/** Milliseconds since 1970; undefined where there is no time or none that can be read. */
export function msOf(time: string | null): number | undefined {
  const instant = time === null ? undefined : parseInstant(time);
  return instant === undefined ? undefined : instantMs(instant);
}
