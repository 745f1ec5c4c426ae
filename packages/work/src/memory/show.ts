/** Everything about one issue, with what it depends on and what depends on it. */
import { rawMembers } from "@bridle/record";
import { isBlocking } from "./dependency-kinds.js";
import { type Edge, edgesOf } from "./edges.js";
import type { IssueGraph } from "./graph.js";
import { knownMembers } from "./issue-row.js";
import { isUnverified } from "./list.js";
import { leaseState } from "./lease.js";
import type { Resolved } from "./resolve.js";

/** A dependency, with what stands at its other end. */
export interface Tie extends Edge {
  readonly blocking: boolean;
  /** Of the other end; null when it is missing. */
  readonly title: string | null;
  readonly status: string | null;
}

export function showIssue(graph: IssueGraph, { node, issue }: Resolved, nowMs: number) {
  const { lease } = issue;
  return {
    id: issue.id,
    title: issue.title,
    status: issue.status,
    priority: issue.priority,
    issueType: issue.issueType,
    assignee: issue.assignee,
    owner: issue.owner,
    description: issue.description,
    design: issue.design,
    acceptanceCriteria: issue.acceptanceCriteria,
    notes: issue.notes,
    labels: [...issue.labels],
    ephemeral: issue.ephemeral,
    molType: issue.molType,
    createdAt: issue.createdAt ?? null,
    updatedAt: issue.updatedAt ?? null,
    closedAt: issue.closedAt ?? null,
    fence: issue.fence,
    lease:
      lease === undefined
        ? null
        : { ...lease, renewedAt: lease.renewedAt ?? null, state: leaseState(lease, nowMs) },
    ready: graph.isReady(node),
    waitsFor: graph.unresolved(node),
    waitsWith: graph.waitsWith(node),
    link: typeof node.row["external_ref"] === "string" ? node.row["external_ref"] : null,
    dependencies: edgesOf(node).map((edge) => tieOf(graph, edge, edge.dependsOnId)),
    dependents: dependentsOf(graph, issue.id),
    comments: issue.comments.map((comment) => ({ ...comment })),
    startedFrom:
      issue.startedFrom === undefined ? null : { ...issue.startedFrom, tests: [...issue.startedFrom.tests] },
    changesTests: [...issue.changesTests],
    verified: issue.verified === undefined ? null : { ...issue.verified },
    unverified: isUnverified(node),
    aliases: [...issue.aliases],
    metadata: issue.metadata ?? null,
    unknownMembers: [...rawMembers(node.text).keys()].filter((name) => !knownMembers.has(name)),
    line: node.line,
  };
}

/** Of every type, by the id of the one that depends. */
function dependentsOf(graph: IssueGraph, id: string): Tie[] {
  const ties: Tie[] = [];
  for (const node of graph.sorted()) {
    for (const edge of edgesOf(node)) {
      if (edge.dependsOnId === id) ties.push(tieOf(graph, { ...edge, issueId: node.id }, node.id));
    }
  }
  return ties;
}

function tieOf(graph: IssueGraph, edge: Edge, otherId: string): Tie {
  const other = graph.get(otherId);
  return {
    ...edge,
    blocking: isBlocking(edge.type),
    title: other?.title ?? null,
    status: other?.status ?? null,
  };
}
