/** Whole new contents of an issues file, made from what stands in it; what is no issue is always carried along. */
import { compareCodePoints, type Entry } from "@bridle/record";
import type { NewRow } from "../memory/types.js";

/** The file with these issues and no others; what is no issue stays. */
export function replacing(rows: readonly NewRow[], keep: (lines: readonly string[]) => Promise<void>) {
  return async function* (entries: AsyncIterable<Entry>): AsyncGenerator<string> {
    const before: string[] = [];
    const others: string[] = [];
    for await (const entry of entries) {
      if (entry.kind === "damage") continue;
      before.push(entry.text);
      const id = entry.kind === "row" ? entry.row["id"] : undefined;
      if (typeof id !== "string" || id === "") others.push(entry.text);
    }
    await keep(before);
    yield* others;
    for (const { text } of [...rows].sort((a, b) => compareCodePoints(a.id, b.id))) yield text;
  };
}

/** The file with these rows in it, compacted. */
export function rewriting(rows: readonly NewRow[]) {
  return async function* (entries: AsyncIterable<Entry>): AsyncGenerator<string> {
    const lines = new Map<string, string>();
    for await (const entry of entries) {
      if (entry.kind === "damage") continue;
      const id = entry.kind === "row" ? entry.row["id"] : undefined;
      if (typeof id === "string" && id !== "") lines.set(id, entry.text);
      else yield entry.text;
    }
    for (const { id, text } of rows) lines.set(id, text);
    for (const id of [...lines.keys()].sort(compareCodePoints)) yield lines.get(id) as string;
  };
}

/** Whether a file has a line that is in none of these, conflict markers aside. */
export function saysMore(
  bytes: Uint8Array,
  sides: readonly (Uint8Array | undefined)[],
  result: string,
): boolean {
  const linesOf = (part: Uint8Array | undefined) =>
    Buffer.from(part ?? [])
      .toString("utf8")
      .split("\n");
  const said = new Set([...sides.flatMap(linesOf), ...result.split("\n")]);
  return linesOf(bytes).some((line) => !said.has(line) && !/^(<{7,}|\|{7,}|={7,}|>{7,})( |\r?$)/.test(line));
}
