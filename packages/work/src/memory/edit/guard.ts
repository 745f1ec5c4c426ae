/** Who may change an issue, in the words of those who change it. */
import { type Refusal, refuse } from "@bridle/record";
import type { IssueGraph } from "../graph.js";
import type { FoundIssue } from "../find.js";
import { type Asker, guardHolder } from "../lease.js";
import type { Issue } from "../types.js";

/** Whether the status or the assignee of an issue may be changed by this asker. */
export function guardHolding(issue: Issue, asker: Asker, nowMs: number): Refusal | undefined {
  const refusal = guardHolder(issue, asker, nowMs);
  if (refusal?.refused !== "lease_contention_active" || issue.lease === undefined) return refusal;
  const { owner } = issue.lease;
  return {
    ...refusal,
    hint: `Wait, or ask ${owner} to release it. If you are ${owner}, say so with --actor ${owner} or --fence ${issue.fence}.`,
  };
}

/** An issue is not done before everything that it waits for is. */
export function guardBlockers(graph: IssueGraph, { issue, node }: FoundIssue): Refusal | undefined {
  const blockers = graph.unresolved(node);
  if (blockers.length === 0) return undefined;
  const described = blockers.map((id) => `${id} (${graph.get(id)?.status ?? "not there"})`);
  return refuse("issue_close_blocked", {
    message: `${issue.id} waits for ${described.join(", ")}`,
    hint: `Close ${blockers.length === 1 ? "it" : "them"} first, remove the dependency with \`premath dep remove\`, or say why not with \`premath issue close ${issue.id} --force <reason>\`.`,
    detail: { issueId: issue.id, blockers },
  });
}

/** An epic is not done before its children are. */
export function guardChildren(graph: IssueGraph, { issue, node }: FoundIssue): Refusal | undefined {
  const open = node.isEpic ? graph.openChildren(issue.id) : 0;
  if (open === 0) return undefined;
  return refuse("issue_close_open_children", {
    message: `${issue.id} is an epic with ${open === 1 ? "an open child" : `${open} open children`}`,
    hint: `\`premath issue tree ${issue.id}\` shows them. Close them first, or say why not with \`premath issue close ${issue.id} --force <reason>\`.`,
    detail: { issueId: issue.id, openChildren: open },
  });
}
