/** Where the work of a claim now stands on: a runner merged it onto a later commit than it began from. */
import { isRefusal } from "@bridle/record";
import { findIssue } from "../find.js";
import { formatTime } from "../issue-row.js";
import { fenceMismatch } from "../lease.js";
import type { Decide } from "../types.js";
import { type Changed, changeRow, unchanged } from "./changed.js";

export function noteStart(
  id: string,
  { fence, commit }: { readonly fence: number; readonly commit: string },
): Decide<Changed> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const { issue } = found;
    const late = fenceMismatch(issue, fence);
    if (late !== undefined) return late;
    if (issue.startedFrom?.commit === commit) return unchanged(found);
    const tests = issue.startedFrom?.tests ?? [];
    return changeRow(found, {
      started_from: { commit, ...(tests.length === 0 ? {} : { tests: [...tests] }) },
      updated_at: formatTime(nowMs),
    });
  };
}
