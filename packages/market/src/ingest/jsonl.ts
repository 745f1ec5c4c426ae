/**
 * JSON lines: objects with named members, or the fills of the exchange's nodes.
 *
 * A number is taken as the digits that stand in the line, not as what JSON.parse
 * makes of them, because that would be a float.
 */
import { isJsonObject, type JsonValue, rawMembers } from "@bridle/record";
import { invalid } from "../tables/read-row.js";
import type { SourceLine, TableBuilder } from "../types.js";
import { fillFrom } from "../wire.js";

/** The members of one object as text; null is a member that is not there. */
export function jsonFields(line: string, place: SourceLine): ReadonlyMap<string, string> {
  if (!isJsonObject(parseLine(line, place))) throw invalid(place, "the line is no JSON object");
  const texts = new Map<string, string>();
  for (const [name, raw] of rawMembers(line)) {
    const value = raw.trim();
    if (value === "null") continue;
    texts.set(name, value.startsWith('"') ? (JSON.parse(value) as string) : value);
  }
  return texts;
}

/**
 * A line of `node_fills` is a pair of user and fill; one of `node_fills_by_block`
 * is a block with a list of such pairs.
 */
export function takeNodeFills(line: string, place: SourceLine, builder: TableBuilder): number {
  const value = parseLine(line, place);
  const events = isJsonObject(value) ? value["events"] : [value];
  if (!Array.isArray(events))
    throw invalid(place, "the line is no pair of user and fill, and no block with events");
  let rows = 0;
  for (const event of events as readonly JsonValue[]) {
    const [user, wire] = Array.isArray(event) ? (event as readonly JsonValue[]) : [];
    if (typeof user !== "string") throw invalid(place, "an event is no pair of user and fill");
    const { fill, liquidation } = fillFrom(wire, user, place);
    builder.add("fill", fill, place);
    rows++;
    if (liquidation === undefined) continue;
    builder.add("liquidation", liquidation, place);
    rows++;
  }
  return rows;
}

function parseLine(line: string, place: SourceLine): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    throw invalid(place, "the line is not JSON");
  }
}
