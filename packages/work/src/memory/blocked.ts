/**
 * What cannot be begun, and why: blockers that are missing or not closed, a
 * parent that waits, or somebody who marked it as blocked by hand.
 */
import { isJsonObject } from "@bridle/record";
import { keepsWaiting } from "./dependency-kinds.js";
import { type Edge, edgesOf } from "./edges.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";

export interface Blocker extends Edge {
  /** Null when it is missing. */
  readonly blockerStatus: string | null;
  readonly blockerMissing: boolean;
}

export interface BlockedItem {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly manualBlocked: boolean;
  readonly blockers: readonly Blocker[];
  /** Since when, and for which failure, it is not offered until somebody changes it. */
  readonly withheld?: { readonly since: string; readonly class: string };
  /** Its parents that wait for something. */
  readonly waitsWith: readonly string[];
}

/** By id. */
export function blockedItems(graph: IssueGraph): BlockedItem[] {
  return [...graph.blocked()].map((node) => {
    const { id, title, status, priority } = node;
    return {
      id,
      title,
      status,
      priority,
      manualBlocked: status === "blocked",
      ...(node.withheld && { withheld: withheldOf(node) }),
      blockers: openBlockers(graph, node),
      waitsWith: graph.waitsWith(node),
    };
  });
}

function withheldOf({ row: { withheld } }: IssueNode): { readonly since: string; readonly class: string } {
  const told = isJsonObject(withheld) ? withheld : {};
  return { since: String(told["since"] ?? ""), class: String(told["class"] ?? "") };
}

/** The blocking dependencies whose target is missing or not closed, in the order of the row. */
export function openBlockers(graph: IssueGraph, node: IssueNode): Blocker[] {
  const blockers: Blocker[] = [];
  for (const edge of edgesOf(node)) {
    const blocker = graph.get(edge.dependsOnId);
    if (!keepsWaiting(edge.type) || blocker?.settled === true) continue;
    blockers.push({
      ...edge,
      blockerStatus: blocker?.status ?? null,
      blockerMissing: blocker === undefined,
    });
  }
  return blockers;
}
