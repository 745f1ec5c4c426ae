/**
 * Whether a row grew from the row of the same id before it.
 *
 * A change appends the whole row: it keeps `created_at`, and its
 * `updated_at` never goes back. Two rows for which that does not hold were put
 * into one file by git or by hand: they are two sides, and the last one must not
 * simply win.
 */
import { compareInstants, type JsonValue, parseInstant } from "@bridle/record";

export interface RowTimes {
  readonly createdAt: JsonValue | undefined;
  readonly updatedAt: JsonValue | undefined;
}

export function grewFrom(before: RowTimes, after: RowTimes): boolean {
  return !isAnotherTime(before.createdAt, after.createdAt) && !goesBack(before.updatedAt, after.updatedAt);
}

function isAnotherTime(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === after || (isNone(before) && isNone(after))) return false;
  const order = orderOf(before, after);
  return order === undefined || order !== 0;
}

/** A row that does not say when it was changed says nothing about it. */
function goesBack(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return before !== after && (orderOf(before, after) ?? 0) > 0;
}

function orderOf(before: JsonValue | undefined, after: JsonValue | undefined): number | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  // Times as we write them ourselves are in order as texts: this is asked of every row that replaces another.
  if (isPlain(before) && isPlain(after)) {
    if (before.length === after.length) return before < after ? -1 : before > after ? 1 : 0;
    const [earlier, later] = [before.slice(0, secondsLength), after.slice(0, secondsLength)];
    if (earlier !== later) return earlier < later ? -1 : 1;
  }
  const [left, right] = [parseInstant(before), parseInstant(after)];
  return left && right && compareInstants(left, right);
}

const secondsLength = "2026-01-31T09:30:00".length;

/** In UTC and to the second, or with digits behind it. */
function isPlain(text: string): boolean {
  const dot = text[secondsLength];
  return text[10] === "T" && text.endsWith("Z") && (text.length === secondsLength + 1 || dot === ".");
}

function isNone(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}
