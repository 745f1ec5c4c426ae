/** What every change of a lease answers: the issue as it is then, and how the leases stand. */
import { isRefusal, type Refusal } from "@bridle/record";
import type { FoundIssue } from "./find.js";
import type { IssueGraph } from "./graph.js";
import { formatTime, patchRow, readIssue } from "./issue-row.js";
import type { LeaseChange } from "./lease.js";
import { leaseState } from "./lease.js";
import type { Issue, Lease, NewRow, Outcome } from "./types.js";

export interface LeaseView extends Lease {
  readonly state: "active" | "stale";
  /** Of the claim that made the lease; a change that names it is made by its holder. */
  readonly fence: number;
}

export interface LeasedIssue {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly issueType: string;
  readonly assignee: string;
  readonly owner: string;
  readonly fence: number;
  readonly lease?: LeaseView;
}

export interface LeaseProjection {
  readonly checkedAt: string;
  readonly staleCount: number;
  readonly staleIssueIds: string[];
  readonly contendedCount: number;
  readonly contendedIssueIds: string[];
}

export interface LeaseAnswer {
  readonly changed: boolean;
  readonly issue: LeasedIssue;
  readonly leaseProjection: LeaseProjection;
}

export function leaseView(lease: Lease, fence: number, nowMs: number): LeaseView {
  return { ...lease, state: leaseState(lease, nowMs) === "active" ? "active" : "stale", fence };
}

export function leasedIssue(issue: Issue, nowMs: number): LeasedIssue {
  const { id, title, status, priority, issueType, assignee, owner, fence, lease } = issue;
  const view = lease === undefined ? {} : { lease: leaseView(lease, fence, nowMs) };
  return { id, title, status, priority, issueType, assignee, owner, fence, ...view };
}

/** `without`: an issue that is about to have a sound lease or none. */
export function leaseProjection(graph: IssueGraph, nowMs: number, without?: string): LeaseProjection {
  const ids = (nodes: readonly { readonly id: string }[]) =>
    nodes.map(({ id }) => id).filter((id) => id !== without);
  const staleIssueIds = ids(graph.stale(nowMs));
  const contendedIssueIds = ids(graph.contended(nowMs));
  return {
    checkedAt: formatTime(nowMs),
    staleCount: staleIssueIds.length,
    staleIssueIds,
    contendedCount: contendedIssueIds.length,
    contendedIssueIds,
  };
}

/** The change as a row, and the answer with it. */
export function leaseOutcome(
  graph: IssueGraph,
  { node, issue }: FoundIssue,
  change: LeaseChange | Refusal,
  nowMs: number,
): Outcome<LeaseAnswer> | Refusal {
  if (isRefusal(change)) return change;
  if (!change.changed) {
    const answer = {
      changed: false,
      issue: leasedIssue(issue, nowMs),
      leaseProjection: leaseProjection(graph, nowMs),
    };
    return { answer, rows: [] };
  }
  const row = patchRow(issue.id, node.text, change.patch);
  const answer = {
    changed: true,
    issue: leasedIssue(issueOfRow(row), nowMs),
    leaseProjection: leaseProjection(graph, nowMs, issue.id),
  };
  return { answer, rows: [row] };
}

/** A row that was patched from a good one by us is a good one; otherwise nothing may be written. */
function issueOfRow({ id, text }: NewRow): Issue {
  const issue = readIssue(JSON.parse(text) as Parameters<typeof readIssue>[0]);
  if ("problem" in issue) throw new Error(`the new row of ${id} breaks its contract: ${issue.problem}`);
  return issue;
}
