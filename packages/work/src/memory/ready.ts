/**
 * What can be begun now, and what became of the rest.
 *
 * An issue whose blockers are all closed says which of them was closed last, so
 * that whoever waited for it sees why it is offered now.
 */
import { isJsonObject } from "@bridle/record";
import { workLimits } from "../limits.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";

export interface ReadyItem {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly unblockedBy?: { readonly issueId: string; readonly closedAt: string | null };
}

export interface BegunItem {
  readonly id: string;
  readonly assignee: string;
  readonly leaseState: "unleased" | "active" | "stale";
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: string | null;
}

/** By priority, then id. */
export function readyItems(graph: IssueGraph): ReadyItem[] {
  const items: ReadyItem[] = [];
  for (const node of graph.ready()) {
    const { id, title, status, priority } = node;
    const closed = lastClosed(graph, node);
    if (closed === undefined) items.push({ id, title, status, priority });
    else {
      const unblockedBy = { issueId: closed.id, closedAt: closed.closedAt ?? null };
      items.push({ id, title, status, priority, unblockedBy });
    }
  }
  return items;
}

/** The blocker that was closed last; of equals the one that the row names first. */
function lastClosed(graph: IssueGraph, { blockers }: IssueNode): IssueNode | undefined {
  let last: IssueNode | undefined;
  for (const id of blockers) {
    const blocker = graph.get(id);
    if (blocker === undefined) continue;
    if (last === undefined || blocker.closedMs > last.closedMs) last = blocker;
  }
  return last;
}

/** The first few that somebody works on, by id. */
export function begunItems(graph: IssueGraph, nowMs: number): BegunItem[] {
  const items: BegunItem[] = [];
  for (const node of graph.inProgress()) {
    if (items.length === workLimits.inProgressListMax) break;
    const { id, assignee, leaseEndMs, leaseOwner = null } = node;
    const { lease } = node.row;
    const leaseState = leaseEndMs === undefined ? "unleased" : leaseEndMs > nowMs ? "active" : "stale";
    items.push({
      id,
      assignee,
      leaseState,
      leaseOwner,
      leaseExpiresAt: isJsonObject(lease) ? String(lease["expires_at"]) : null,
    });
  }
  return items;
}
