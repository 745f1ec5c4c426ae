/** What follows from how a step went: its result class, whether it is tried again, how its row is called. Pure. */
import { decideRetry, type RetryDecision, type RetryPolicy } from "@bridle/work";
import type { Claimed, StepState } from "../types.js";
import { costsNothing } from "./costless.js";

export function resultClassOf({ failure, done }: StepState, end: string): string {
  if (done.get("work")?.["sent"] === true && failure === undefined) return "unverified_elsewhere";
  if (failure === undefined) return end === "parked" ? "verified_accept" : "completed";
  return done.get("give_back")?.["retry"] === true ? `retry_needed_${failure.class}` : failure.class;
}

export interface Retry {
  readonly decision: RetryDecision;
  readonly again: boolean;
  /** Before the next attempt. */
  readonly waitMs: number;
}

export function retryOf(policy: RetryPolicy, failureClass: string, attempt: number): Retry {
  const decision = decideRetry(policy, { failureClasses: [failureClass], attempt });
  const free = costsNothing(failureClass);
  const again = free || decision.retry;
  // What says nothing about the issue is waited for by the run, or not at all.
  return { decision, again, waitMs: again && !free ? decision.backoffMs : 0 };
}

/** By the claim: the same claim has one row, whoever ends it. */
export function trajectoryIdOf(worker: string, { issueId, fence }: Claimed): string {
  return `${worker}.${issueId}.${fence}`;
}
