/**
 * Issue memory that holds two sides, made one without being told which files.
 *
 * The sides come from git's index where it has them; else from the conflict
 * markers that git wrote into the file; else from rows of one id that did not
 * grow from each other. What is known of the base is used, and what is not known
 * loses nothing: every value that does not win is kept in `metadata.mergeConflicts`.
 */
import { isRefusal, type Refusal } from "@bridle/record";
import type { Stages } from "../git/unmerged.js";
import { conflictSides } from "./conflict-markers.js";
import { mergeIssues, type MergedIssues } from "./merge.js";
import { forkedSides } from "./forked-rows.js";
import { emptyTree, type IssueTree, readTree } from "./tree.js";

export interface Sides {
  readonly where: "index" | "markers" | "rows";
  readonly base: IssueTree;
  readonly ours: IssueTree;
  readonly theirs: IssueTree;
}

export interface ResolvedIssues extends MergedIssues {
  readonly where: Sides["where"];
}

/** Undefined when there is nothing to resolve. `shown` is how the file is called in a refusal. */
export function resolveIssues(
  bytes: Uint8Array,
  stages: Stages | undefined,
  shown: string,
): ResolvedIssues | Refusal | undefined {
  if (stages !== undefined) return fromIndex(stages, shown);
  const conflicts = conflictSides(bytes, shown);
  if (isRefusal(conflicts)) return conflicts;
  if (conflicts !== undefined) {
    const { base, ours, theirs } = conflicts;
    return fromBytes("markers", [base, ours, theirs], shown);
  }
  return fromRows(bytes, shown);
}

/** A side without the file has changed nothing. */
function fromIndex({ base, ours, theirs }: Stages, shown: string): ResolvedIssues | Refusal {
  const none = new Uint8Array();
  const before = base ?? none;
  return fromBytes("index", [before, ours ?? before, theirs ?? before], shown);
}

function fromBytes(
  where: Sides["where"],
  [base, ours, theirs]: readonly [Uint8Array, Uint8Array, Uint8Array],
  shown: string,
): ResolvedIssues | Refusal {
  const before = readTree(base, `${shown} (base)`);
  if (isRefusal(before)) return before;
  const one = readTree(ours, `${shown} (ours)`);
  if (isRefusal(one)) return one;
  const other = readTree(theirs, `${shown} (theirs)`);
  if (isRefusal(other)) return other;
  return { where, ...mergeIssues(before, one, other) };
}

/** Side by side, because an id may have more than two of them. */
function fromRows(bytes: Uint8Array, shown: string): ResolvedIssues | Refusal | undefined {
  const forked = forkedSides(bytes, shown);
  if (forked === undefined || isRefusal(forked)) return forked;
  const { first, others } = forked;
  let merged: MergedIssues = { ...first, renamed: [], conflicts: [], leasesEnded: [] };
  for (const { base, side } of others) {
    // Everything that this side does not tell about is the same on both, and on the base.
    const same = (rows: IssueTree["rows"]) => ({
      head: first.head,
      rows: new Map([...merged.rows, ...rows]),
    });
    const without = [...merged.rows].filter(([id]) => !side.has(id));
    const before = { head: first.head, rows: new Map([...without, ...base]) };
    const next = mergeIssues(before, { head: first.head, rows: merged.rows }, same(side));
    merged = {
      ...next,
      renamed: [...merged.renamed, ...next.renamed],
      conflicts: [...merged.conflicts, ...next.conflicts],
      leasesEnded: [...new Set([...merged.leasesEnded, ...next.leasesEnded])],
    };
  }
  return { where: "rows", ...emptyTree, ...merged };
}
