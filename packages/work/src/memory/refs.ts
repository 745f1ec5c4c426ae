/**
 * Refs of event streams, and the refs that the public vectors use instead.
 *
 * A stream on disk is digested line by line; the vectors digest the canonical
 * JSON of the whole list of events, and of a snapshot object. Both carry the same
 * prefix, so the two kinds must never be compared.
 */
import { createHash } from "node:crypto";
import { type JsonObject, type JsonValue, vectorDigest } from "@bridle/record";

/** `lines`: one event each, in order. White space between its parts does not count. */
export function eventStreamRef(lines: Iterable<string>): string {
  const hash = createHash("sha256");
  for (const line of lines) hash.update(`${compact(line)}\n`);
  return `ev1_${hash.digest("hex")}`;
}

export function vectorEventStreamRef(events: readonly JsonValue[]): string {
  return vectorDigest("ev1_", events);
}

export function vectorSnapshotRef(snapshot: JsonObject): string {
  return vectorDigest("iss1_", snapshot);
}

/** JSON without the white space outside its strings; numbers and escapes as they were written. */
function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text: string | undefined) => text ?? "");
}
