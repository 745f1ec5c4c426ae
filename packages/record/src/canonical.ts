/**
 * Canonical JSON: one value, one sequence of bytes (RFC 8785).
 *
 * Keys are ordered by UTF-16 code unit and numbers are written as JavaScript
 * writes them. What JSON cannot carry is refused, never approximated: NaN and
 * infinities, undefined inside an array, lone surrogates, cycles.
 */
import { Failure } from "./failures.js";
import type { JsonValue } from "./json.js";
import { limits } from "./limits.js";
import { compareCodePoints } from "./compare.js";

export function canonicalJson(value: JsonValue): string {
  return isCanonical(value) ? JSON.stringify(value) : write(value, "$", 0, byCodeUnit);
}

/**
 * Whether plain `JSON.stringify` writes this value canonically: its keys are in
 * order at every level, and there is nothing in it that JSON cannot carry. Most
 * of what is written was read from canonical text, and then this is far cheaper.
 */
export function isCanonical(value: unknown): boolean {
  return isInOrder(value, 0);
}

function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= limits.jsonDepthMax) return false;
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype || "toJSON" in value) return false;
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i], depth + 1)) return false;
    return true;
  }
  if (prototype !== Object.prototype && prototype !== null) return false;
  let last: string | undefined;
  for (const key in value) {
    if (last !== undefined && last >= key) return false;
    if (!key.isWellFormed()) return false;
    if (!isInOrder((value as { readonly [name: string]: unknown })[key], depth + 1)) return false;
    last = key;
  }
  return true;
}

/**
 * The bytes that the public vectors digest: keys ordered by code point. For
 * every key the two orders agree, unless a key holds a character outside the
 * basic plane; there the digest would be ambiguous, so that value is refused.
 */
export function vectorJson(value: JsonValue): string {
  return write(value, "$", 0, agreedOrder);
}

type KeyOrder = (keys: string[], path: string) => string[];

const byCodeUnit: KeyOrder = (keys) => keys.sort();

const agreedOrder: KeyOrder = (keys, path) => {
  const sorted = keys.toSorted(compareCodePoints);
  const other = keys.sort();
  if (sorted.some((key, i) => key !== other[i])) {
    throw new Failure("digest_ambiguous", {
      message: `${path}: its keys sort differently by code point and by UTF-16 unit, so its digest would be ambiguous`,
      hint: "Rename the keys that hold characters outside the basic plane.",
    });
  }
  return sorted;
};

function write(value: JsonValue | undefined, path: string, depth: number, order: KeyOrder): string {
  switch (typeof value) {
    case "string":
      return writeString(value, path);
    case "number":
      if (!Number.isFinite(value)) throw unrepresentable(path, String(value));
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      break;
    default:
      throw unrepresentable(path, typeof value);
  }
  if (value === null) return "null";
  if (depth >= limits.jsonDepthMax) {
    throw new Failure("json_too_deep", {
      message: `the value nests deeper than ${limits.jsonDepthMax} levels (or contains itself)`,
    });
  }
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const written: string[] = [];
    for (let i = 0; i < items.length; i++) written.push(write(items[i], `${path}[${i}]`, depth + 1, order));
    return `[${written.join(",")}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw unrepresentable(path, value.constructor?.name ?? "an object of a class");
  }
  const members = value as { readonly [key: string]: JsonValue | undefined };
  // A member that is undefined is absent, as it is for JSON.stringify.
  const keys = Object.keys(members).filter((key) => members[key] !== undefined);
  const written = order(keys, path).map(
    (key) => `${writeString(key, path)}:${write(members[key], `${path}.${key}`, depth + 1, order)}`,
  );
  return `{${written.join(",")}}`;
}

function writeString(text: string, path: string): string {
  if (!text.isWellFormed()) throw unrepresentable(path, "a string with a lone surrogate");
  return JSON.stringify(text);
}

function unrepresentable(path: string, what: string): Failure {
  return new Failure("json_unrepresentable", { message: `${path}: ${what} has no JSON form` });
}
