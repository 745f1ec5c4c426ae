/**
 * Finds a row by its id with a search over bytes: far cheaper than parsing every
 * row. Parsed, to be sure, are only lines that hold the id as a JSON string, and
 * lines with an escape in which it could be spelled another way.
 */
import { Failure } from "../failures.js";
import { isJsonObject } from "../json.js";
import { limits } from "../limits.js";
import type { OpenFile } from "../ports/types.js";
import { asBuffer } from "./scan.js";
import type { LogOptions } from "./types.js";

const newline = 10;

export interface Found {
  readonly byte: number;
  /** With the newline. */
  readonly bytes: number;
}

export async function findRow(file: OpenFile, id: string, options: LogOptions): Promise<Found | undefined> {
  const { rowId } = options;
  if (rowId === undefined) {
    throw new Failure("row_invalid", { message: "`once` needs a log that knows what identifies a row" });
  }
  const needles = [JSON.stringify(id), "\\u", "\\/"].map((needle) => Buffer.from(needle));
  let rest: Buffer = Buffer.alloc(0);
  let byte = 0;
  for (;;) {
    const chunk = asBuffer(await file.read(byte + rest.length, limits.readChunkBytes));
    if (chunk.length === 0) return undefined;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.lastIndexOf(newline) + 1;
    for (const needle of needles) {
      for (let at = bytes.indexOf(needle); at !== -1 && at < whole; at = bytes.indexOf(needle, at + 1)) {
        const start = bytes.lastIndexOf(newline, at) + 1;
        const end = bytes.indexOf(newline, at);
        // A row behind pages that a power loss left empty counts, as it does for a reader.
        const line = bytes.subarray(start, end);
        const row = parse(line.subarray(line.lastIndexOf(0) + 1));
        if (row !== undefined && rowId(row) === id) return { byte: byte + start, bytes: end + 1 - start };
        at = end - 1;
      }
    }
    rest = bytes.subarray(whole);
    byte += whole;
    if (rest.length > limits.rowBytesMax) {
      // Too long to be one of our rows.
      byte += rest.length;
      rest = Buffer.alloc(0);
    }
  }
}

function parse(line: Buffer) {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
