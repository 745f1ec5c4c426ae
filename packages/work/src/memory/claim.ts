/**
 * Decisions about claims: an issue by its id, or whatever is next.
 *
 * A claim that carries a request id may be repeated: whoever does not know
 * whether it went through asks again with the same id and gets the same lease
 * and the same fence, and is told what happened since.
 */
import { isRefusal, type Refusal, refuse } from "@bridle/record";
import { optionalText } from "../text.js";
import { findIssue, type FoundIssue } from "./find.js";
import type { IssueGraph } from "./graph.js";
import { blankAssignee, claim, type ClaimRequest, termEnd } from "./lease.js";
import { type LeaseAnswer, leaseOutcome, leaseProjection, leasedIssue, leaseView } from "./lease-answer.js";
import type { Decide, Issue, Outcome } from "./types.js";

export interface ClaimAnswer extends LeaseAnswer {
  /** The claim was made before; nothing was changed now. */
  readonly repeated?: true;
  /** Somebody claimed the issue since. */
  readonly superseded?: true;
  /** The lease was given back since. */
  readonly released?: true;
}

export function decideClaim(id: string, request: ClaimRequest): Decide<ClaimAnswer> {
  return (graph, nowMs) => {
    if (request.assignee.trim() === "") return blankAssignee();
    const earlier = earlierClaim(graph, request, nowMs, id);
    if (earlier !== undefined) return earlier;
    const found = findIssue(graph, id, "lease_not_found");
    if (isRefusal(found)) return found;
    return found.node.isWork ? claimed(graph, found, request, nowMs) : notWork(id);
  };
}

function notWork(id: string): Refusal {
  return refuse("issue_not_work", {
    message: `${id} is a record that beads keeps among its issues, and nothing to work on`,
    hint: `\`premath issue show ${id}\` shows what it is.`,
    detail: { issueId: id },
  });
}

/** Null when there is nothing to claim. */
export function decideClaimNext(request: ClaimRequest): Decide<ClaimAnswer | null> {
  return (graph, nowMs) => {
    const assignee = request.assignee.trim();
    if (assignee === "") return blankAssignee();
    const earlier = earlierClaim(graph, request, nowMs);
    if (earlier !== undefined) return earlier;
    const end = termEnd(request, nowMs);
    if (isRefusal(end)) return end;
    const next = graph.claimable(assignee, nowMs);
    if (next === undefined) return { answer: null, rows: [] };
    const found = findIssue(graph, next.id);
    return isRefusal(found) ? found : claimed(graph, found, request, nowMs);
  };
}

function claimed(
  graph: IssueGraph,
  found: FoundIssue,
  request: ClaimRequest,
  nowMs: number,
): Outcome<ClaimAnswer> | Refusal {
  return leaseOutcome(graph, found, claim(found.issue, found.node.text, request, nowMs), nowMs);
}

/** Undefined when no claim carried the request id. */
function earlierClaim(
  graph: IssueGraph,
  request: ClaimRequest,
  nowMs: number,
  id?: string,
): Outcome<ClaimAnswer> | Refusal | undefined {
  const requestId = optionalText(request.requestId);
  const node = requestId === undefined ? undefined : graph.claimedBy(requestId);
  if (requestId === undefined || node === undefined) return undefined;
  const found = findIssue(graph, node.id);
  if (isRefusal(found)) return found;
  const { issue } = found;
  const record = issue.claims.find((claim) => claim.requestId === requestId);
  if (record === undefined) return undefined;
  if ((id !== undefined && id !== issue.id) || record.lease.owner !== request.assignee.trim()) {
    return refuse("lease_request_reused", {
      message: `the request id ${requestId} was used by ${record.lease.owner} to claim ${issue.id}`,
      hint: "Give every new claim a request id of its own.",
      detail: { issueId: issue.id, owner: record.lease.owner, fence: record.fence },
    });
  }
  // Written again as it stands: whoever wrote it may have died before it was durable, and the answer is a promise.
  return { answer: answerAgain(graph, issue, record, nowMs), rows: [{ id: issue.id, text: node.text }] };
}

function answerAgain(
  graph: IssueGraph,
  issue: Issue,
  record: Issue["claims"][number],
  nowMs: number,
): ClaimAnswer {
  const superseded = issue.fence !== record.fence;
  // Renewed meanwhile, it is still the lease of that claim.
  const lease = superseded ? record.lease : (issue.lease ?? record.lease);
  return {
    changed: false,
    issue: {
      ...leasedIssue(issue, nowMs),
      status: "in_progress",
      assignee: record.lease.owner,
      fence: record.fence,
      lease: leaseView(lease, record.fence, nowMs),
    },
    leaseProjection: leaseProjection(graph, nowMs),
    repeated: true,
    ...(superseded ? { superseded } : {}),
    ...(!superseded && issue.lease === undefined ? { released: true as const } : {}),
  };
}
