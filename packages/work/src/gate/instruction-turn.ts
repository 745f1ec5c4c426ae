/** The turn of an instruction run as the evidence that a join check judges: a call a check, each answered and observed. */
import { digest, isRefusal, type JsonObject } from "@bridle/record";
import type { Bindings } from "./governance.js";
import { joinRef } from "./issue-witness.js";
import { joinCheck } from "./join-check.js";
import type { Instruction } from "../evidence/instruction/envelope.js";
import type { InstructionRuntime } from "../evidence/instruction/witness.js";

/** Nothing stands before a model here: checks have no context. */
const noContext = digest("pol1_", {
  policyKind: "bridle.turn.policy.v1",
  policyId: "policy.turn.instruction.v1",
  rule: "checks are run in order and observed; nothing is rendered",
});

export interface JoinEvidence {
  readonly joinClosed: boolean;
  readonly joinFailureClasses: readonly string[];
  readonly joinWitnessRef: string;
  /** What the join was judged by, so that a gate can judge it again. */
  readonly joinEvidence: JsonObject;
}

export function joinOfRun(
  { normalizerId, policyDigest, requestedChecks }: Instruction,
  { instructionId, results }: InstructionRuntime,
  refs: { readonly sessionRefs: readonly string[]; readonly trajectoryRefs: readonly string[] },
  bound: Pick<Bindings, "governancePolicyDigest" | "decompositionPolicyDigest">,
): JoinEvidence {
  const { governancePolicyDigest, decompositionPolicyDigest } = bound;
  const evidence: JsonObject = {
    callSpec: {
      ...{ callId: instructionId, modelRef: "instruction", actionMode: "json", executionPattern: "single" },
      ...{ normalizerId, mutationPolicyDigest: policyDigest, governancePolicyDigest },
      ...{ toolRenderProtocolDigest: noContext, reminderQueuePolicyDigest: noContext },
      ...{ stateViewPolicyDigest: noContext, decompositionPolicyDigest },
    },
    toolRequests: requestedChecks.map((id) => ({ toolCallId: id, toolName: "check" })),
    toolResults: results.map(({ checkId, exitCode, failureClass = "check_failed" }) => ({
      toolCallId: checkId,
      payload: { checkId, exitCode },
      ...(exitCode === 0
        ? { status: "ok" }
        : {
            status: "error",
            errorCode: failureClass,
            retryable: false,
            errorMessage: `ended with ${exitCode}`,
          }),
    })),
    toolUse: results.map(({ checkId }) => ({ toolCallId: checkId, disposition: "observed" })),
    protocolState: { stopReason: "end_turn", continuationAllowed: false },
    sessionRefs: [...refs.sessionRefs],
    trajectoryRefs: [...refs.trajectoryRefs],
  };
  const joined = joinCheck({ evidence });
  if (isRefusal(joined))
    throw new Error(`the turn of ${instructionId} has no normal form: ${joined.message}`);
  const { joinSetDigest } = joined.witness.digests;
  return {
    joinClosed: joined.joinClosed,
    joinFailureClasses: joined.failureClasses,
    joinEvidence: { evidence },
    joinWitnessRef: joinRef(instructionId, joinSetDigest),
  };
}
