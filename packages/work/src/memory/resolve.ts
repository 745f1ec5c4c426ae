/** An issue by its id or by one that it had before a merge renamed it, to be looked at. */
import { type Refusal, isRefusal, refuse } from "@bridle/record";
import { findIssue } from "./find.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";
import type { Issue } from "./types.js";

export interface Resolved {
  readonly node: IssueNode;
  readonly issue: Issue;
}

export function resolveIssue(graph: IssueGraph, id: string): Resolved | Refusal {
  const node = resolveNode(graph, id);
  if (isRefusal(node)) return node;
  const { issue } = node;
  if (!("problem" in issue)) return { node, issue };
  return refuse("issue_row_invalid", {
    message: `${node.id} (line ${node.line}) is no issue: ${issue.problem}`,
    hint: "Correct the row in the file; `premath issue check` names every such row.",
    detail: { issueId: node.id, line: node.line },
  });
}

/** Also where the row is no issue. */
export function resolveNode(graph: IssueGraph, id: string): IssueNode | Refusal {
  const node = graph.get(id) ?? renamed(graph, id);
  if (node !== undefined) return node;
  const missing = findIssue(graph, id);
  return isRefusal(missing) ? missing : missing.node;
}

function renamed(graph: IssueGraph, id: string): IssueNode | undefined {
  for (const node of graph.nodes()) {
    const { aliases } = node.row;
    if (Array.isArray(aliases) && aliases.includes(id)) return node;
  }
  return undefined;
}
