/** What follows from a failure: another attempt after a pause, or an escalation. Pure, so that a replay decides alike. */
import type { BackoffClass, EscalationAction, RetryPolicy } from "./retry-policy.js";

/** TUSK §5: a check that says no, wiring that is broken, or something that passes by itself. */
export const failureKinds = ["semantic", "operational", "transient"] as const;
export type FailureKind = (typeof failureKinds)[number];

export interface RetryDecision {
  /** The one that failed, from 1. */
  readonly attempt: number;
  readonly retry: boolean;
  readonly maxAttempts: number;
  readonly backoffClass: BackoffClass;
  /** How long to wait before the next attempt. */
  readonly backoffMs: number;
  /** Whether the attempt counts against the maximum. */
  readonly costsAttempt: boolean;
  readonly escalationAction: EscalationAction;
  readonly ruleId: string;
  readonly matchedFailureClass: string;
  readonly failureKind: FailureKind;
  readonly failureClasses: readonly string[];
  readonly policyId: string;
  readonly policyDigest: string;
}

export const missingClass = "pipeline_missing_failure_class";

/** Classes in the order in which they were found; the first that has a rule decides. */
export function decideRetry(
  policy: RetryPolicy,
  { failureClasses, attempt }: { readonly failureClasses: readonly string[]; readonly attempt: number },
): RetryDecision {
  const found = failureClasses.length === 0 ? [missingClass] : failureClasses;
  const matched = found.find((each) => policy.ruleOf.has(each)) ?? (found[0] as string);
  const rule = policy.ruleOf.get(matched) ?? { ruleId: "default", ...policy.defaultRule };
  const { ruleId, maxAttempts, backoffClass, escalationAction } = rule;
  const costsAttempt = backoffClass !== "rate_limited";
  const retry = !costsAttempt || attempt < maxAttempts;
  return {
    attempt,
    retry,
    maxAttempts,
    backoffClass,
    backoffMs: retry ? backoffMs(backoffClass, attempt) : 0,
    costsAttempt,
    escalationAction,
    ruleId,
    matchedFailureClass: matched,
    failureKind: failureKindOf(policy, matched),
    failureClasses: [...new Set(found)].sort(),
    policyId: policy.policyId,
    policyDigest: policy.policyDigest,
  };
}

/**
 * What kind of failure a class is, by how the policy treats it: pauses that grow are for what passes, a
 * single attempt is for a no. A class that no rule names is one that nobody wired.
 */
export function failureKindOf({ ruleOf }: RetryPolicy, failureClass: string): FailureKind {
  const rule = ruleOf.get(failureClass);
  if (rule === undefined) return "operational";
  if (rule.backoffClass === "exponential_short" || rule.backoffClass === "rate_limited") return "transient";
  return rule.maxAttempts === 1 ? "semantic" : "operational";
}

const shortMs = 2_000;
const exponentialMsMax = 60_000;
const rateLimitMs = 60_000;

/** Fixed for a class and an attempt: nobody draws a number here, so two runs pause alike. */
export function backoffMs(backoffClass: BackoffClass, attempt: number): number {
  switch (backoffClass) {
    case "none":
      return 0;
    case "fixed_short":
      return shortMs;
    case "exponential_short":
      return Math.min(exponentialMsMax, shortMs * 2 ** Math.min(attempt - 1, 10));
    case "rate_limited":
      return rateLimitMs;
  }
}
