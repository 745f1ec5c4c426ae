/**
 * One row, one line. What JSON.stringify would silently change (NaN, undefined
 * in a list, dates) is refused instead of written.
 */
import { grouped } from "../grouped.js";
import { Failure } from "../failures.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { limits } from "../limits.js";

export function encodeRow(row: JsonObject): string {
  if (!isJsonObject(row)) throw invalid("a row is a JSON object");
  requireJson(row, 0);
  return requireLength(JSON.stringify(row));
}

/** A line that is written as it is: one JSON object, no line breaks. */
export function checkLine(line: string): string {
  if (/[\n\r]/.test(line)) throw invalid("a row is one line");
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw invalid("the line is not JSON", error);
  }
  if (!isJsonObject(value)) throw invalid("a row is a JSON object");
  if (!line.isWellFormed()) throw invalid("the line holds a lone surrogate");
  return requireLength(line);
}

const [newline, open, close] = [10, 123, 125];

/** Rows that came from JSON.stringify, each with its newline: that they are whole lines is looked at, nothing is parsed. */
export function checkBytes(bytes: Uint8Array): Uint8Array {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(newline, start);
    if (end === -1) throw invalid("the last row has no newline");
    if (bytes[start] !== open || bytes[end - 1] !== close)
      throw invalid("a row is a JSON object on one line");
    if (end - start > limits.rowBytesMax) throw tooLong(end - start);
    start = end + 1;
  }
  if (bytes.length === 0) throw invalid("there is no row to write");
  return bytes;
}

function requireLength(line: string): string {
  // A string is at most three bytes a unit in UTF-8; only near the limit is it worth counting.
  if (line.length * 3 <= limits.rowBytesMax) return line;
  const bytes = Buffer.byteLength(line);
  if (bytes <= limits.rowBytesMax) return line;
  throw tooLong(bytes);
}

function tooLong(bytes: number): Failure {
  return new Failure("row_too_long", {
    message: `the row has ${grouped(bytes)} bytes; at most ${grouped(limits.rowBytesMax)} fit in a row`,
    hint: "Write the payload to a file of its own and refer to it.",
  });
}

function requireJson(value: unknown, depth: number): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) throw invalid(`${value} has no JSON form`);
      return;
    case "object":
      break;
    default:
      throw invalid(`${typeof value} has no JSON form`);
  }
  if (value === null) return;
  if (depth > limits.jsonDepthMax) {
    throw new Failure("json_too_deep", {
      message: `the row nests deeper than ${limits.jsonDepthMax} levels`,
    });
  }
  if (Array.isArray(value)) {
    for (const item of value) requireJson(item, depth + 1);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw invalid("an object of a class has no JSON form");
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) requireJson(member, depth + 1);
  }
}

function invalid(message: string, cause?: unknown): Failure {
  return new Failure("row_invalid", { message, cause });
}
