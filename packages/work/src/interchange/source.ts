/** Parts of rows as the text that they are written with. */
import { compareCodePoints, type Instant, parseInstant } from "@bridle/record";
import { orderedJson } from "../memory/source-json.js";

/** Source text of a value; undefined where the member is not there. */
export type Source = string | undefined;

export function sameJson(left: Source, right: Source): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  return orderedJson(left) === orderedJson(right);
}

/** The time that a member's source says; undefined when it says none. */
export function instantOf(source: Source): Instant | undefined {
  const value: unknown = source === undefined ? undefined : JSON.parse(source);
  return typeof value === "string" ? parseInstant(value) : undefined;
}

export function lesser(left: string, right: string): string {
  return compareCodePoints(left, right) <= 0 ? left : right;
}

export function isObject(source: Source): source is string {
  return source !== undefined && source.startsWith("{");
}
