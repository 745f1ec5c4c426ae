/** Decisions about a lease that is there: renew it, or give it back. */
import { isRefusal } from "@bridle/record";
import { optionalText } from "../text.js";
import { findIssue } from "./find.js";
import {
  heldByAnother,
  leaseState,
  release,
  type ReleaseRequest,
  renew,
  type RenewRequest,
} from "./lease.js";
import { type LeaseAnswer, leaseOutcome } from "./lease-answer.js";
import type { Decide } from "./types.js";

export function decideRenew(id: string, request: RenewRequest): Decide<LeaseAnswer> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id, "lease_not_found");
    if (isRefusal(found)) return found;
    return leaseOutcome(graph, found, renew(found.issue, found.node.text, request, nowMs), nowMs);
  };
}

/** Whoever gives back a lease that is active says whose it is. */
export function decideRelease(id: string, request: ReleaseRequest): Decide<LeaseAnswer> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id, "lease_not_found");
    if (isRefusal(found)) return found;
    const { lease } = found.issue;
    const named =
      optionalText(request.assignee) !== undefined ||
      optionalText(request.leaseId) !== undefined ||
      (request.fence ?? 0) > 0;
    if (lease !== undefined && !named && leaseState(lease, nowMs) === "active") {
      return heldByAnother(
        found.issue,
        lease,
        "Say whose lease you give back: --assignee, --lease-id or --fence.",
      );
    }
    return leaseOutcome(graph, found, release(found.issue, request, nowMs), nowMs);
  };
}
