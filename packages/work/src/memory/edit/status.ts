/**
 * What follows from a change of status.
 *
 * A lease holds only while an issue is in progress, `closed_at` is set once and
 * only while it is closed, and why it was closed goes when it is open again. The
 * fence stays: it outlives every status.
 */
import { formatTime, type RowPatch } from "../issue-row.js";
import type { Issue } from "../types.js";

export function statusPatch(issue: Issue, status: string, nowMs: number): RowPatch {
  const now = formatTime(nowMs);
  return {
    status,
    ...(status === "in_progress" ? {} : { lease: undefined }),
    ...(status === "closed"
      ? issue.closedAt === undefined && { closed_at: now }
      : { closed_at: undefined, close_reason: undefined, verified: undefined }),
    updated_at: now,
  };
}
