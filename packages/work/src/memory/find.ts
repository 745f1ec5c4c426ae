/** An issue by its id, or why it cannot be changed. */
import { nearest } from "@bridle/operation";
import { type FailureClass, type Refusal, refuse } from "@bridle/record";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";
import type { Issue } from "./types.js";

export interface FoundIssue {
  readonly node: IssueNode;
  readonly issue: Issue;
}

/** `missing`: the class of the refusal when there is none. */
export function findIssue(
  graph: IssueGraph,
  id: string,
  missing: FailureClass = "issue_not_found",
): FoundIssue | Refusal {
  const node = graph.get(id);
  if (node === undefined) return notFound(graph, id, missing);
  const { issue } = node;
  if ("problem" in issue) {
    return refuse("issue_row_invalid", {
      message: `${id} (line ${node.line}) is not changed, because its row is no issue: ${issue.problem}`,
      hint: "Correct the row in the file, or see `premath issue check`.",
      detail: { issueId: id, line: node.line },
    });
  }
  return { node, issue };
}

function notFound(graph: IssueGraph, id: string, missing: FailureClass): Refusal {
  const renamed = [...graph.nodes()].find(
    ({ row: { aliases } }) => Array.isArray(aliases) && aliases.includes(id),
  );
  const near =
    renamed?.id ??
    nearest(
      id,
      [...graph.nodes()].map((node) => node.id),
    );
  const hint =
    renamed === undefined
      ? near === undefined
        ? "`premath issue list` shows what is there."
        : `Did you mean ${near}? \`premath issue list\` shows what is there.`
      : `A merge renamed it to ${renamed.id}.`;
  return refuse(missing, { message: `issue not found: ${id}`, hint, detail: { issueId: id } });
}
