/** A connection's turn as the evidence that a join check judges. */
import type { TurnSoFar } from "@bridle/operation";
import { digest, type JsonObject } from "@bridle/record";

export interface TurnPolicies {
  readonly mutationPolicyDigest: string;
  readonly governancePolicyDigest: string;
  readonly decompositionPolicyDigest: string;
}

/** The client makes the next prompt itself, so what stands before its model is not ours to tell. */
const unrendered = digest("pol1_", {
  policyKind: "bridle.turn.policy.v1",
  policyId: "policy.turn.observed.v1",
  rule: "results are observed, not rendered",
});

export function evidenceOf(
  { turnId, caller, calls }: TurnSoFar,
  refs: { readonly sessionRef: string; readonly trajectoryRef: string },
  policies: TurnPolicies,
): JsonObject {
  const answered = calls.flatMap(({ callId, answer }) => (answer === undefined ? [] : [{ callId, answer }]));
  return {
    callSpec: {
      ...{ callId: turnId, modelRef: caller, actionMode: "json", executionPattern: "single" },
      normalizerId: "normalizer.bridle.connection_turn.v1",
      ...policies,
      toolRenderProtocolDigest: unrendered,
      reminderQueuePolicyDigest: unrendered,
      stateViewPolicyDigest: unrendered,
    },
    toolRequests: calls.map(({ callId, tool }) => ({ toolCallId: callId, toolName: tool })),
    toolResults: answered.map(({ callId, answer: { digest: resultDigest, failure } }) => ({
      toolCallId: callId,
      resultDigest,
      ...(failure === undefined
        ? { status: "ok" }
        : { status: "error", errorCode: failure.class, retryable: false, errorMessage: failure.message }),
    })),
    toolUse: answered.map(({ callId, answer: { digest: resultDigest } }) => ({
      toolCallId: callId,
      disposition: "observed",
      resultDigest,
    })),
    protocolState: { stopReason: "tool_use", continuationAllowed: false },
    sessionRefs: [refs.sessionRef],
    trajectoryRefs: [refs.trajectoryRef],
  };
}
