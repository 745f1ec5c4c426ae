/** A list in a row that grows: what stands in it keeps its bytes. */
import { type JsonObject, rawItems } from "@bridle/record";
import { memberSource, RawJson } from "../issue-row.js";

/** A member that another program gave a single value becomes the first of the list. */
export function appended(text: string, name: string, item: JsonObject): RawJson {
  const source = memberSource(text, name);
  const before =
    source === undefined || source === "null" ? [] : source.startsWith("[") ? rawItems(source) : [source];
  return new RawJson(`[${[...before, JSON.stringify(item)].join(",")}]`);
}
