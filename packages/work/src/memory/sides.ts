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
  // Times as we write them ourselves are in order as texts.
  if (isPlain(before) && isPlain(after)) return before < after ? -1 : before > after ? 1 : 0;
  const [left, right] = [parseInstant(before), parseInstant(after)];
  return left && right && compareInstants(left, right);
}

function isPlain(text: string): boolean {
  return text.length === "2026-01-31T09:30:00Z".length && text.endsWith("Z") && text[10] === "T";
}

function isNone(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}
