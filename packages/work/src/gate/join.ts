/**
 * The join check: whether a turn of tool use is closed, and every reason why not.
 *
 * Nothing is left out for the sake of a first reason: a caller who mends one should
 * see the others at once. The classes are the contract's own words, sorted.
 */
import { type Constraints, type Turn } from "./types.js";

export const joinClasses = [
  "context.injection_point_missing",
  "context.queue_policy_violation",
  "coordination.decomposition_policy_violation",
  "governance.claim_id_invalid",
  "governance.policy_package_mismatch",
  "governance.policy_package_unpinned",
  "handoff.required_artifact_missing",
  "handoff.return_path_missing",
  "handoff.target_not_allowed",
  "protocol.parallel_transport_order_invalid",
  "protocol.stop_reason_unhandled",
  "tool.join_incomplete",
  "tool.response_truncation_policy_violation",
  "tool.result_missing",
  "tool.result_orphan",
  "tool.schema_invalid",
  "tool.use_digest_mismatch",
  "tool.use_missing",
  "tool.use_without_result",
] as const;
export type JoinClass = (typeof joinClasses)[number];

const admittedStops: ReadonlySet<string> = new Set(["tool_use", "pause_turn", "max_tokens", "end_turn"]);

/** The one profile whose claim binds a turn to a policy package. */
export const governanceClaimId = "profile.doctrine_inf_governance.v0";

/** Why the turn is not closed; empty when it is. */
export function joinFailures(turn: Turn, constraints: Constraints = {}): readonly JoinClass[] {
  const found = new Set<JoinClass>([
    ...toolFailures(turn),
    ...protocolFailures(turn, constraints),
    ...contextFailures(turn),
    ...handoffFailures(turn, constraints),
    ...governanceFailures(constraints),
  ]);
  return joinClasses.filter((known) => found.has(known));
}

function* toolFailures({ evidence, join }: Turn): Generator<JoinClass> {
  if (join.missingResultCallIds.length > 0) yield "tool.result_missing";
  if (join.orphanResultCallIds.length > 0) yield "tool.result_orphan";
  if (join.missingUseCallIds.length > 0) yield "tool.use_missing";
  if (join.unknownUseCallIds.length > 0) yield "tool.use_without_result";
  if (!join.joinClosed) yield "tool.join_incomplete";
  if (evidence.untypedErrorCallIds.length > 0) yield "tool.schema_invalid";
  if (usesAnotherResult(evidence)) yield "tool.use_digest_mismatch";
}

/** What was used must be what came back; one of them may leave it unsaid. */
function usesAnotherResult({ toolResults, toolUse }: Turn["evidence"]): boolean {
  const digests = new Map(toolResults.map(({ toolCallId, resultDigest }) => [toolCallId, resultDigest]));
  return toolUse.some(({ toolCallId, resultDigest }) => {
    const came = digests.get(toolCallId);
    return resultDigest !== undefined && came !== undefined && resultDigest !== came;
  });
}

function* protocolFailures({ evidence }: Turn, constraints: Constraints): Generator<JoinClass> {
  const { callSpec, protocolState } = evidence;
  const { protocolConstraints, truncationConstraints, decompositionConstraints = {} } = constraints;
  if (!admittedStops.has(protocolState.stopReason)) yield "protocol.stop_reason_unhandled";
  if (protocolConstraints?.parallelTransportOrderValid === false)
    yield "protocol.parallel_transport_order_invalid";
  if (truncationConstraints?.required === true && truncationConstraints.valid !== true)
    yield "tool.response_truncation_policy_violation";
  const { admissible, expectedExecutionPattern, expectedPolicyDigest } = decompositionConstraints;
  const pattern = expectedExecutionPattern?.trim().toLowerCase();
  const policy = expectedPolicyDigest?.trim();
  if (
    admissible === false ||
    (pattern !== undefined && pattern !== callSpec.executionPattern) ||
    (policy !== undefined && policy !== callSpec.decompositionPolicyDigest)
  )
    yield "coordination.decomposition_policy_violation";
}

/** Context counts where the model goes on, or where a result was put before it. */
function* contextFailures({ evidence, context }: Turn): Generator<JoinClass> {
  const consumed = evidence.toolUse.some(({ disposition }) => disposition === "consumed");
  if (!evidence.protocolState.continuationAllowed && !consumed) return;
  if (context.missingRenderCallIds.length > 0 || !context.stateViewPresent)
    yield "context.injection_point_missing";
  const { queueReductionPresent, renderPolicyValid, queuePolicyValid, stateViewPolicyValid } = context;
  if (!queueReductionPresent || !renderPolicyValid || !queuePolicyValid || !stateViewPolicyValid)
    yield "context.queue_policy_violation";
}

function* handoffFailures({ evidence }: Turn, { handoffConstraints }: Constraints): Generator<JoinClass> {
  if (handoffConstraints === undefined) return;
  const { requiredArtifactRefs = [], allowedTargets = [], requireReturnPath = false } = handoffConstraints;
  const { handoff } = evidence;
  const brought = new Set(handoff?.requiredArtifactRefs);
  const named = (refs: readonly string[]) => refs.map((ref) => ref.trim()).filter((ref) => ref !== "");
  if (named(requiredArtifactRefs).some((ref) => !brought.has(ref))) yield "handoff.required_artifact_missing";
  const targets = named(allowedTargets);
  if (targets.length > 0 && (handoff === undefined || !targets.includes(handoff.target)))
    yield "handoff.target_not_allowed";
  if (requireReturnPath && handoff?.returnPathRef === undefined) yield "handoff.return_path_missing";
}

function* governanceFailures({ governanceProfile }: Constraints): Generator<JoinClass> {
  if (governanceProfile === undefined) return;
  const { claimId, claimed, policyProvenance: from } = governanceProfile;
  const claim = claimId?.trim() ?? "";
  if (claim !== "" && claim !== governanceClaimId) {
    yield "governance.claim_id_invalid";
    return;
  }
  if (!claimed) return;
  const [packageRef, expected, bound] = [from?.packageRef, from?.expectedDigest, from?.boundDigest].map(
    (text) => text?.trim() ?? "",
  );
  if (from?.pinned !== true || packageRef === "" || expected === "" || bound === "")
    yield "governance.policy_package_unpinned";
  else if (expected !== bound) yield "governance.policy_package_mismatch";
}
