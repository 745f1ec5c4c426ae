/** The evidence of a work command that wrote none of its own: the command is the one tool call of the turn. */
import { digest, type JsonObject } from "@bridle/record";
import type { Claimed, StepState } from "../types.js";

const policy = (says: string) => digest("pol1_", { policyKind: "bridle.runner.turn.v1", says });

export function commandTurn(step: StepState & { readonly claimed: Claimed }): JsonObject {
  const { done, id } = step;
  const work = done.get("work") ?? {};
  const call = `${id}.work`;
  return {
    evidence: {
      callSpec: {
        ...{ callId: id, modelRef: "model://work-command", actionMode: "code", executionPattern: "single" },
        normalizerId: "nf.v1",
        mutationPolicyDigest: policy("instruction-linked"),
        governancePolicyDigest: policy("none"),
        toolRenderProtocolDigest: policy("not rendered"),
        reminderQueuePolicyDigest: policy("no queue"),
        stateViewPolicyDigest: policy("journal"),
        decompositionPolicyDigest: policy("single"),
      },
      toolRequests: [{ toolCallId: call, toolName: "work_command" }],
      toolResults: [{ toolCallId: call, status: "ok", payload: work }],
      toolUse: [{ toolCallId: call, disposition: "observed" }],
      protocolState: { stopReason: "end_turn", continuationAllowed: false },
      sessionRefs: [`session://step/${id}`],
      trajectoryRefs: [`trajectory://step/${id}`],
    },
  };
}
