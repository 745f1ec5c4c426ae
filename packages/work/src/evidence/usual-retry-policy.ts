/**
 * The retry policy where a project has none of its own. This repository's own file,
 * policies/control/harness-retry-policy-v1.json, is this one sealed; a test holds it to that.
 */
import type { JsonObject } from "@bridle/record";
import { isRefusal } from "@bridle/record";
import { sealedDigest } from "../seal.js";
import {
  type BackoffClass,
  type EscalationAction,
  parseRetryPolicy,
  type RetryPolicy,
} from "./retry-policy.js";

type Then = readonly [maxAttempts: number, backoffClass: BackoffClass, escalationAction: EscalationAction];

const then = ([maxAttempts, backoffClass, escalationAction]: Then) => ({
  ...{ maxAttempts, backoffClass, escalationAction },
});

const rule = (ruleId: string, what: Then, classes: string) => ({
  ...{ ruleId, failureClasses: classes.trim().split(/\s+/), ...then(what) },
});

const transient: Then = [3, "exponential_short", "issue_discover"];
const wiring: Then = [2, "fixed_short", "issue_discover"];
const person: Then = [1, "none", "mark_blocked"];

export function usualPolicySource(): JsonObject {
  return {
    ...{ schema: 1, policyKind: "ci.harness.retry.policy.v1", policyId: "policy.bridle.retry.v1" },
    defaultRule: then([1, "none", "stop"]),
    rules: [
      rule(
        ...(["transient_retry", transient] as const),
        `executor_unavailable flaky_execution flaky_io gate_timeout network_timeout pipeline_witness_io_error`,
      ),
      rule(
        ...(["operational_retry", wiring] as const),
        `instruction_runtime_invalid pipeline_missing_failure_class pipeline_invalid_witness_json
         pipeline_invalid_witness_shape pipeline_missing_witness required_decision_verify_invalid
         required_gate_ref_invalid required_witness_decide_invalid required_witness_runtime_invalid`,
      ),
      rule(
        ...(["governance_no_retry", person] as const),
        `governance.policy_package_unpinned governance.policy_package_mismatch governance.guardrail_stage_missing
         governance.guardrail_stage_order_invalid governance.eval_gate_unmet governance.eval_lineage_missing
         governance.self_evolution_retry_missing governance.self_evolution_escalation_missing
         governance.self_evolution_rollback_missing governance.trace_mode_violation
         governance.risk_tier_profile_missing`,
      ),
      rule("kcir_mapping_no_retry", person, "kcir_mapping_legacy_encoding_authority_violation"),
      rule(
        ...(["semantic_no_retry", person] as const),
        `check_failed instruction_check_not_allowed instruction_envelope_invalid instruction_envelope_invalid_json
         instruction_envelope_invalid_shape instruction_invalid_normalizer instruction_unknown_unroutable
         proposal_binding_mismatch proposal_discharge_failed proposal_invalid_shape proposal_invalid_step
         proposal_kcir_ref_mismatch proposal_nondeterministic proposal_unbound_policy`,
      ),
      rule("rate_limit_wait", [1, "rate_limited", "stop"], "rate_limited"),
      rule(
        ...(["another_attempt", [3, "fixed_short", "mark_blocked"]] as const),
        "no_change merge_conflict merged_check_failed work_failed work_timeout outside_change git_failed",
      ),
      rule("a_person_decides", person, "check_tampered checks_not_configured base_red setup_failed"),
    ],
  };
}

export function usualRetryPolicy(): RetryPolicy {
  const source = usualPolicySource();
  const sealed = { ...source, policyDigest: sealedDigest(source) };
  const policy = parseRetryPolicy(JSON.stringify(sealed), "the usual retry policy");
  if (isRefusal(policy)) throw new Error(policy.message);
  return policy;
}
