/** Says the same of every episode and looks at nothing: what a policy must beat to be worth its reads. */
import type { DecisionClass } from "../types.js";
import type { Policy } from "./types.js";

export function always(policyId: string, decision: DecisionClass): Policy {
  return {
    policyId,
    params: {},
    nondeterministicComponents: [],
    begin: () => ({
      propose: () => ({
        action_args: {
          decision_class: decision,
          open_risks: [],
          retained_artifact_ids: [],
          stop_reason: "evidence_missing: decided without looking",
        },
        action_name: "finalize",
      }),
    }),
  };
}
