/** The rows of one issues file by their id, as a merge sees them. */
import { compareCodePoints, isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import { readSourceLines } from "./source-file.js";

export interface TreeRow {
  readonly text: string;
  readonly row: JsonObject;
}

export interface IssueTree {
  /** Comments and rows without an id, in the order of the file. */
  readonly head: readonly string[];
  /** Of an id that stands there more than once, the last row. */
  readonly rows: ReadonlyMap<string, TreeRow>;
}

export const emptyTree: IssueTree = { head: [], rows: new Map() };

/** `shown` is how the file is called in a refusal. */
export function readTree(bytes: Uint8Array, shown: string): IssueTree | Refusal {
  const lines = readSourceLines(bytes, shown);
  if (isRefusal(lines)) return lines;
  const rows = new Map<string, TreeRow>();
  for (const { text, row } of lines.rows) rows.set(row["id"] as string, { text, row });
  return { head: lines.head, rows };
}

/** As compaction writes it: what is no issue first, then the issues by id. */
export function treeText({ head, rows }: IssueTree): string {
  const ids = [...rows.keys()].sort(compareCodePoints);
  return [...head, ...ids.map((id) => rows.get(id)?.text ?? "")].map((line) => `${line}\n`).join("");
}
