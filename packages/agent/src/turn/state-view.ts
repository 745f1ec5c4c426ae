/** The state view of a request: what the harness holds true of the send at that moment, as a digest over declared facts. */
import { sha256Hex } from "@bridle/record";
import { policyDigests } from "../session/policies.js";
import type { RowOf } from "../session/rows.js";
import type { Send } from "./send.js";

export function viewRow(
  at: { readonly send: number; readonly round: number },
  send: Send,
): RowOf<"state_view"> {
  const { state, plan } = send;
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
