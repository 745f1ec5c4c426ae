/**
 * The digest of issue memory (`store_snapshot_ref`): what a session notes down,
 * so that the next one can tell whether the issues changed in between.
 *
 * It depends on the issues and nothing else: not on the order of rows, on rows
 * that a later row of the same id replaced, on white space, on comments or on
 * rows without an id.
 */
import { createHash } from "node:crypto";
import type { IssueGraph } from "./graph.js";
import { digestedLine } from "./issue-line.js";

/** Why issues have no digest. */
export interface Undigested {
  readonly id: string;
  readonly line: number;
  readonly problem: string;
}

/** Of the rows that are no issues the one that comes first in the file is named. */
export function snapshotRefOf(graph: IssueGraph): string | Undigested {
  const hash = createHash("sha256");
  let first: Undigested | undefined;
  for (const { id, line, issue, text } of graph.sorted()) {
    if (!("problem" in issue)) hash.update(`${digestedLine(issue, text)}\n`);
    else if (first === undefined || line < first.line) first = { id, line, problem: issue.problem };
  }
  return first ?? `iss1_${hash.digest("hex")}`;
}
