/**
 * Two issues files that grew from a third, made one.
 *
 * An issue that one side changed is that side's row to the byte; one that both
 * changed is merged member by member (merge-row.ts); one id that means two
 * issues is taken apart first (names.ts). Issues are never deleted: a row that
 * one side lacks is kept. The result is the same whichever side is whose, and
 * merging it again with either side changes nothing.
 */
import { compareCodePoints, type JsonObject } from "@bridle/record";
import { blockingCycle } from "./blocking-cycle.js";
import { mergeRow } from "./merge-row.js";
import { type Renamed, settleNames } from "./names.js";
import type { IssueTree, TreeRow } from "./tree.js";

export interface MergeConflict {
  readonly issueId: string;
  /** Whose losing value is kept in `metadata.mergeConflicts`. */
  readonly member: string;
}

export interface MergedIssues extends IssueTree {
  readonly renamed: readonly Renamed[];
  readonly conflicts: readonly MergeConflict[];
  /** Issues of which a lease ended because of the merge. */
  readonly leasesEnded: readonly string[];
  /** Issues that wait for each other now. */
  readonly cycle?: readonly string[];
}

export function mergeIssues(base: IssueTree, ours: IssueTree, theirs: IssueTree): MergedIssues {
  const named = settleNames({ base, left: ours, right: theirs });
  const rows = new Map<string, TreeRow>();
  const conflicts: MergeConflict[] = [];
  const leasesEnded: string[] = [];
  for (const id of new Set([...named.left.rows.keys(), ...named.right.rows.keys()])) {
    const [left, right] = [named.left.rows.get(id), named.right.rows.get(id)];
    if (left === undefined || right === undefined) {
      const only = left ?? right;
      if (only !== undefined) rows.set(id, only);
      continue;
    }
    const merged = mergeRow(named.base.rows.get(id)?.text, left.text, right.text);
    rows.set(id, treeRowOf(merged.text, left, right));
    conflicts.push(...merged.losses.map(({ member }) => ({ issueId: id, member })));
    if (merged.leasesEnded > 0) leasesEnded.push(id);
  }
  const cycle = blockingCycle(rows);
  return {
    head: mergeHead(base.head, ours.head, theirs.head),
    rows,
    renamed: named.renamed,
    conflicts,
    leasesEnded,
    ...(cycle === undefined ? {} : { cycle }),
  };
}

function treeRowOf(text: string, ...sources: TreeRow[]): TreeRow {
  return sources.find((source) => source.text === text) ?? { text, row: JSON.parse(text) as JsonObject };
}

/** Comments and rows without an id: lines, each once. */
function mergeHead(
  base: readonly string[],
  left: readonly string[],
  right: readonly string[],
): readonly string[] {
  const [ofBase, ofLeft, ofRight] = [base, left, right].map((lines) => lines.join("\n"));
  if (ofLeft === ofRight || ofRight === ofBase) return left;
  if (ofLeft === ofBase) return right;
  const kept = base.filter((line) => left.includes(line) && right.includes(line));
  const added = [...left, ...right].filter((line) => !base.includes(line));
  return [...new Set([...kept, ...added.sort(compareCodePoints)])];
}
