/**
 * The retry policy: which failures are tried again, how often, after which pause, and what
 * is done when that did not help. A file that people edit and seal; its digest stands in
 * every decision that was made by it.
 *
 * What a newcomer gets wrong: a policy that cannot be read is no empty policy. Every
 * defect is refused, because a runner without a policy would try again for ever or never.
 */
import { isJsonObject, type JsonObject, refuse, type Refusal } from "@bridle/record";
import { sealedDigest } from "../seal.js";

export const retryPolicyKind = "ci.harness.retry.policy.v1";

/** `rate_limited` pauses cost no attempt; all others do. */
export const backoffClasses = ["none", "fixed_short", "exponential_short", "rate_limited"] as const;
export type BackoffClass = (typeof backoffClasses)[number];

export const escalationActions = ["issue_discover", "mark_blocked", "stop"] as const;
export type EscalationAction = (typeof escalationActions)[number];

export interface RetryRule {
  readonly maxAttempts: number;
  readonly backoffClass: BackoffClass;
  readonly escalationAction: EscalationAction;
}

export interface NamedRetryRule extends RetryRule {
  readonly ruleId: string;
  readonly failureClasses: readonly string[];
}

export interface RetryPolicy {
  readonly policyId: string;
  readonly policyDigest: string;
  readonly defaultRule: RetryRule;
  readonly rules: readonly NamedRetryRule[];
  /** By failure class. */
  readonly ruleOf: ReadonlyMap<string, NamedRetryRule>;
}

/** From the text of the file; `shown` is how the file is called. */
export function parseRetryPolicy(text: string, shown: string): RetryPolicy | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse("retry_policy_invalid_json", {
      message: `${shown} is not JSON: ${(error as Error).message}`,
      hint: "Mend it and seal it again.",
    });
  }
  const complaint = complaintAbout(value);
  if (complaint !== undefined) {
    return refuse("retry_policy_invalid_shape", {
      message: `${shown}: ${complaint}`,
      hint: "Mend it and seal it again.",
    });
  }
  const policy = value as JsonObject & Omit<RetryPolicy, "ruleOf">;
  const expected = sealedDigest(policy);
  if (policy.policyDigest !== expected) {
    return refuse("retry_policy_invalid_digest", {
      message: `${shown} says it is ${String(policy.policyDigest)}, and is ${expected}`,
      hint: "It was edited after it was sealed. Look at the change, and seal it again.",
    });
  }
  const { policyId, policyDigest, defaultRule, rules } = policy;
  const ruleOf = new Map(rules.flatMap((rule) => rule.failureClasses.map((each) => [each, rule] as const)));
  return { policyId, policyDigest, defaultRule, rules, ruleOf };
}

// --- Its shape -------------------------------------------------------------------------------------

/** What is wrong with it first, leaving the digest aside; undefined when nothing is. */
export function complaintAbout(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it is no object";
  if (value["schema"] !== 1) return "schema is not 1";
  if (value["policyKind"] !== retryPolicyKind) return `policyKind is not ${retryPolicyKind}`;
  if (!isText(value["policyId"])) return "policyId is missing";
  const fallback = ruleComplaint("defaultRule", value["defaultRule"]);
  if (fallback !== undefined) return fallback;
  const rules = value["rules"];
  if (!Array.isArray(rules) || rules.length === 0) return "rules is no list with a rule in it";
  const ids = new Set<string>();
  const owner = new Map<string, string>();
  for (const [at, rule] of rules.entries()) {
    const name = `rules[${at}]`;
    const wrong = ruleComplaint(name, rule);
    if (wrong !== undefined) return wrong;
    const { ruleId, failureClasses } = rule as Record<string, unknown>;
    if (!isText(ruleId)) return `${name}.ruleId is missing`;
    if (ids.has(ruleId)) return `two rules are called ${ruleId}`;
    ids.add(ruleId);
    if (!Array.isArray(failureClasses) || failureClasses.length === 0 || !failureClasses.every(isText))
      return `${name}.failureClasses is no list of classes`;
    for (const each of failureClasses) {
      const other = owner.get(each);
      if (other !== undefined) return `${each} stands in ${other} and in ${ruleId}`;
      owner.set(each, ruleId);
    }
  }
  return undefined;
}

function ruleComplaint(name: string, rule: unknown): string | undefined {
  if (!isJsonObject(rule)) return `${name} is no object`;
  const { maxAttempts, backoffClass, escalationAction } = rule;
  if (!Number.isSafeInteger(maxAttempts) || (maxAttempts as number) < 1)
    return `${name}.maxAttempts is not a whole number from 1`;
  if (!backoffClasses.some((known) => known === backoffClass))
    return `${name}.backoffClass is none of ${backoffClasses.join(", ")}`;
  if (!escalationActions.some((known) => known === escalationAction))
    return `${name}.escalationAction is none of ${escalationActions.join(", ")}`;
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() === value && value !== "";
}
