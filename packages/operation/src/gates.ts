/**
 * The gates that every call passes, in order.
 *
 * A gate judges and changes nothing. The list is the seam: the join and the
 * mutation gate are added to it, not to the handlers.
 */
import { refuse } from "@bridle/record";
import type { Gate, Surface } from "./types.js";

/** A mutation says under which policy and on whose instruction, or it does not happen, on any surface. */
export const mutationEvidenceGate: Gate = {
  name: "mutation-evidence",
  async judge({ operation, authority, input }) {
    if (operation.effect !== "mutate") return undefined;
    const missing = [
      isBlank(authority.policyDigest) ? "policyDigest" : undefined,
      isBlank(authority.instructionRef) ? "instructionRef" : undefined,
    ].filter((name) => name !== undefined);
    if (missing.length === 0) return undefined;
    const unchecked = Object.hasOwn(input, "instructionId")
      ? "; the instructionId that came with it is no evidence, because nothing checks it yet"
      : "";
    return refuse("mutation.use_evidence_missing", {
      message: `${operation.names.action} changes state, but the call carries no ${missing.join(" and no ")}${unchecked}`,
      hint: hints[authority.surface] ?? "Link the call to an instruction.",
      detail: { missing },
    });
  },
};

/** What lets a mutation through, by the surface that it came in on. */
const hints: Partial<Record<Surface, string>> = {
  mcp: "Whoever starts the server allows changes with `--mutation-policy open`; docs/guides/mcp.md says what that means.",
};

export const standardGates: readonly Gate[] = [mutationEvidenceGate];

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
