/**
 * The retry policy: which failures are tried again, how often, after which pause, and what
 * is done when that did not help. A file that people edit and seal; its digest stands in
 * every decision that was made by it.
 */
import type { Unchanged } from "@bridle/operation";
import { isRefusal, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { parseSealed, type PolicyForm } from "../sealed-policy.js";

export const retryPolicyKind = "ci.harness.retry.policy.v1";

/** `rate_limited` pauses cost no attempt; all others do. */
export const backoffClasses = ["none", "fixed_short", "exponential_short", "rate_limited"] as const;
export type BackoffClass = (typeof backoffClasses)[number];

export const escalationActions = ["issue_discover", "mark_blocked", "stop"] as const;
export type EscalationAction = (typeof escalationActions)[number];

const text = Type.String({ pattern: "^\\S(?:.*\\S)?$" });
const then = {
  maxAttempts: Type.Integer({ minimum: 1 }),
  backoffClass: Type.Enum(backoffClasses),
  escalationAction: Type.Enum(escalationActions),
};
export const RetryRule = Type.Object(then);
export type RetryRule = Unchanged<Type.Static<typeof RetryRule>>;

export const NamedRetryRule = Type.Object({
  ruleId: text,
  failureClasses: Type.Array(text, { minItems: 1 }),
  ...then,
});
export type NamedRetryRule = Unchanged<Type.Static<typeof NamedRetryRule>>;

const PolicyFile = Type.Object({
  schema: Type.Literal(1),
  policyKind: Type.Literal(retryPolicyKind),
  policyId: text,
  defaultRule: RetryRule,
  rules: Type.Array(NamedRetryRule, { minItems: 1 }),
  policyDigest: Type.String(),
});
type PolicyFile = Unchanged<Type.Static<typeof PolicyFile>>;

export interface RetryPolicy extends Omit<PolicyFile, "schema" | "policyKind"> {
  /** By failure class. */
  readonly ruleOf: ReadonlyMap<string, NamedRetryRule>;
}

export const retryPolicyForm: PolicyForm = {
  classes: "retry_policy",
  schema: PolicyFile,
  complaint: (value) => complaintAbout((value as unknown as PolicyFile).rules),
  sealedBy: "premath harness-retry-policy seal",
};

/** From the text of the file; `shown` is how the file is called. */
export function parseRetryPolicy(source: string, shown: string): RetryPolicy | Refusal {
  const policy = parseSealed(retryPolicyForm, source, shown);
  if (isRefusal(policy)) return policy;
  const { policyId, policyDigest, defaultRule, rules } = policy as unknown as PolicyFile;
  const ruleOf = new Map(rules.flatMap((rule) => rule.failureClasses.map((each) => [each, rule] as const)));
  return { policyId, policyDigest, defaultRule, rules, ruleOf };
}

function complaintAbout(rules: readonly NamedRetryRule[]): string | undefined {
  const ids = new Set<string>();
  const owner = new Map<string, string>();
  for (const { ruleId, failureClasses } of rules) {
    if (ids.has(ruleId)) return `two rules are called ${ruleId}`;
    ids.add(ruleId);
    for (const each of failureClasses) {
      const other = owner.get(each);
      if (other !== undefined) return `${each} stands in ${other} and in ${ruleId}`;
      owner.set(each, ruleId);
    }
  }
  return undefined;
}
