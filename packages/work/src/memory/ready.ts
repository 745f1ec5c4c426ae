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
  /** Of an epic that has any; it is done by them, and not claimed as what is next. */
  readonly openChildren?: number;
}

export interface BegunItem {
  readonly id: string;
  readonly assignee: string;
  readonly leaseState: "unleased" | "active" | "stale";
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: string | null;
}

type Writable<Item> = { -readonly [Member in keyof Item]: Item[Member] };

const remembered = new WeakMap<
  IssueGraph,
  { readonly version: number; readonly items: readonly ReadyItem[] }
>();

/** By priority, then id. A server is asked far more often than issues change, so the last answer is remembered. */
export function readyItems(graph: IssueGraph): readonly ReadyItem[] {
  const last = remembered.get(graph);
  if (last?.version === graph.version) return last.items;
  const items = itemsOf(graph);
  remembered.set(graph, { version: graph.version, items });
  return items;
}

function itemsOf(graph: IssueGraph): ReadyItem[] {
  const items: ReadyItem[] = [];
  for (const node of graph.ready()) {
    const { id, title, status, priority } = node;
    const closed = lastClosed(graph, node);
    const openChildren = node.isEpic ? graph.openChildren(id) : 0;
    const item: Writable<ReadyItem> = { id, title, status, priority };
    if (closed !== undefined) item.unblockedBy = { issueId: closed.id, closedAt: closed.closedAt ?? null };
    if (openChildren > 0) item.openChildren = openChildren;
    items.push(item);
  }
  return items;
}

/** The blocker that was closed last; of equals the one that the row names first. */
function lastClosed(graph: IssueGraph, { blockers }: IssueNode): IssueNode | undefined {
  let last: IssueNode | undefined;
  for (const id of blockers) {
    const blocker = graph.get(id);
    if (blocker === undefined) continue;
    if (last === undefined || closedLater(blocker, last)) last = blocker;
  }
  return last;
}

/** Times as we write them ourselves are in order as texts; any other is worked out. */
function closedLater(left: IssueNode, right: IssueNode): boolean {
  const [a, b] = [left.closedAt, right.closedAt];
  if (a !== undefined && b !== undefined && isPlainTime(a) && isPlainTime(b)) return a > b;
  return left.closedMs > right.closedMs;
}

function isPlainTime(text: string): boolean {
  return text.length === "2026-01-31T09:30:00Z".length && text[10] === "T" && text.endsWith("Z");
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
