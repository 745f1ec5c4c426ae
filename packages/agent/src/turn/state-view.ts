/** The state view of a request: what the harness holds true of the send at that moment, as a digest over declared facts. */
import { sha256Hex } from "@bridle/record";
import { policyDigests } from "../session/policies.js";
import type { RowOf } from "../session/rows.js";
import type { At } from "../outside/outside.js";
import type { PlanState } from "../plan/state.js";
import type { SendState } from "./state.js";

export function viewRow(
  at: At,
  { state, plan }: { readonly state: SendState; readonly plan: Pick<PlanState, "digest"> },
): RowOf<"state_view"> {
  const view = {
    changed: state.changed.size,
    costUsd: state.usage.costUsd,
    plan: plan.digest,
    resumes: state.resumes,
    round: at.round,
    toolCalls: state.toolCalls,
  };
  return {
    type: "state_view",
    ...at,
    viewId: `v-${at.send}-${at.round}`,
    // Members are in their order, so this is their canonical JSON.
    viewDigest: `sha256:${sha256Hex(JSON.stringify(view))}`,
    policyDigest: policyDigests.stateView,
    sourceRefs: [`send:${at.send}`],
  };
}
