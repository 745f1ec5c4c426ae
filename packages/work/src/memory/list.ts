/** Issues by what a person asks for: where they stand, whose they are, what they are. */
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";

export interface IssueFilter {
  readonly status?: string;
  readonly assignee?: string;
  readonly issueType?: string;
  /** All of them. */
  readonly labels?: readonly string[];
  /** Closed, and on nothing but somebody's word; passing work aside. */
  readonly unverified?: boolean;
}

export interface ListItem {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly issueType: string;
  readonly assignee: string;
}

/** By id. */
export function listIssues(graph: IssueGraph, filter: IssueFilter): ListItem[] {
  return graph
    .sorted()
    .filter((node) => node.sound && fits(node, filter))
    .map(listItem);
}

export function listItem(node: IssueNode): ListItem {
  const { id, title, status, priority, assignee } = node;
  return { id, title, status, priority, issueType: typeOf(node), assignee };
}

function fits(
  node: IssueNode,
  { status, assignee, issueType, labels = [], unverified }: IssueFilter,
): boolean {
  if (unverified === true && !isUnverified(node)) return false;
  if (status !== undefined && node.status !== status) return false;
  if (assignee !== undefined && node.assignee !== assignee) return false;
  if (issueType !== undefined && typeOf(node) !== issueType) return false;
  const { labels: has } = node.row;
  return labels.every((label) => Array.isArray(has) && has.includes(label));
}

export function isUnverified(node: IssueNode): boolean {
  if (!node.closed) return false;
  const { issue } = node;
  return !("problem" in issue) && !issue.ephemeral && issue.verified === undefined;
}

function typeOf({ row }: IssueNode): string {
  const type = row["issue_type"];
  return typeof type === "string" ? type.trim().toLowerCase() : "task";
}
