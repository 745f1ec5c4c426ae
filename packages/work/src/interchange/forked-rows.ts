/**
 * Rows of one id that did not grow from each other, as the sides that they are.
 *
 * The rows of an id stand in one run after the other; where a row did not grow
 * from the one before it, a new run begins. The last row of a run is what its
 * side came to. A run that only repeats what another run went through is no side.
 */
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import { grewFrom, type RowTimes } from "../memory/sides.js";
import { readSourceLines, type SourceRow } from "./source-file.js";
import type { IssueTree, TreeRow } from "./tree.js";

type Rows = ReadonlyMap<string, TreeRow>;

export interface ForkedSides {
  readonly first: IssueTree;
  /** Of the ids that have a second, third, … side, that side and what both are known to have grown from. */
  readonly others: readonly { readonly base: Rows; readonly side: Rows }[];
}

/** Undefined when every row grew from the one before it. */
export function forkedSides(bytes: Uint8Array, shown: string): ForkedSides | Refusal | undefined {
  const lines = readSourceLines(bytes, shown);
  if (isRefusal(lines)) return lines;
  const runs = runsOf(lines.rows);
  if (![...runs.values()].some((ofId) => ofId.length > 1)) return undefined;
  const rows = new Map<string, TreeRow>();
  const others: { base: Map<string, TreeRow>; side: Map<string, TreeRow> }[] = [];
  for (const [id, all] of runs) {
    const [first = [], ...more] = sidesAmong(all);
    rows.set(id, treeRow(first.at(-1)));
    for (const [at, run] of more.entries()) {
      const other = (others[at] ??= { base: new Map(), side: new Map() });
      other.side.set(id, treeRow(run.at(-1)));
      const base = baseOf(first, run);
      if (base !== undefined) other.base.set(id, treeRow(base));
    }
  }
  return { first: { head: lines.head, rows }, others };
}

function runsOf(rows: readonly SourceRow[]): Map<string, SourceRow[][]> {
  const runs = new Map<string, SourceRow[][]>();
  for (const row of rows) {
    const id = row.row["id"] as string;
    const ofId = runs.get(id);
    const last = ofId?.at(-1);
    const before = last?.at(-1);
    if (ofId === undefined) runs.set(id, [[row]]);
    else if (last !== undefined && before !== undefined && grewFrom(timesOf(before.row), timesOf(row.row)))
      last.push(row);
    else ofId.push([row]);
  }
  return runs;
}

/** Without the runs whose end another run went through; of two that end alike, the first stays. */
function sidesAmong(runs: readonly SourceRow[][]): SourceRow[][] {
  return runs.filter((run, at) => {
    const end = run.at(-1)?.text;
    return !runs.some((other, elsewhere) => {
      if (elsewhere === at || !other.some(({ text }) => text === end)) return false;
      return other.at(-1)?.text !== end || elsewhere < at;
    });
  });
}

/** The last row of the first run from which the other may have grown. */
function baseOf(first: readonly SourceRow[], other: readonly SourceRow[]): SourceRow | undefined {
  const begun = other[0];
  if (begun === undefined) return undefined;
  return first.slice(0, -1).findLast((row) => grewFrom(timesOf(row.row), timesOf(begun.row)));
}

function timesOf({ created_at: createdAt, updated_at: updatedAt }: JsonObject): RowTimes {
  return { createdAt, updatedAt };
}

function treeRow(row: SourceRow | undefined): TreeRow {
  if (row === undefined) throw new Error("a run has a row");
  return { text: row.text, row: row.row };
}
