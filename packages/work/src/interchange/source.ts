/** Parts of rows as the text that they are written with. */
import { compareCodePoints, type Instant, parseInstant, rawEntries } from "@bridle/record";
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

/** The names of members as they were written; the first text that has one says how, then the lesser. */
export function nameSources(base: string, left: string, right: string): (name: string) => string {
  const [ofBase, ofLeft, ofRight] = [base, left, right].map(rawEntries);
  return (name) => {
    const known = ofBase?.get(name)?.name;
    const [one, other] = [ofLeft?.get(name)?.name, ofRight?.get(name)?.name];
    if (known !== undefined) return known;
    if (one !== undefined && other !== undefined) return lesser(one, other);
    return one ?? other ?? JSON.stringify(name);
  };
}
