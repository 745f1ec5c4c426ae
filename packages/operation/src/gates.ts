/**
 * The gates that every call passes, in order.
 *
 * A gate judges and changes nothing. The list is the seam: the join and the
 * mutation gate are added to it, not to the handlers.
 */
import { refuse } from "@bridle/record";
import type { Gate } from "./types.js";

/** A mutation says under which policy and on whose instruction, or it does not happen, on any surface. */
export const mutationEvidenceGate: Gate = {
  name: "mutation-evidence",
  async judge({ operation, authority }) {
    if (operation.effect !== "mutate") return undefined;
    const missing = [
      isBlank(authority.policyDigest) ? "policyDigest" : undefined,
      isBlank(authority.instructionRef) ? "instructionRef" : undefined,
    ].filter((name) => name !== undefined);
    if (missing.length === 0) return undefined;
    return refuse("mutation.use_evidence_missing", {
      message: `${operation.names.action} changes state, but the call carries no ${missing.join(" and no ")}`,
      hint: "Link the call to an instruction, or let the surface run under an open mutation policy.",
      detail: { missing },
    });
  },
};

export const standardGates: readonly Gate[] = [mutationEvidenceGate];

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
