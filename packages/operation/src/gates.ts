/**
 * The last word of the pipeline on a mutation: somebody answers for it, or it does not happen.
 *
 * A person answers for what they do at their own machine. For everybody else an earlier
 * gate must have checked instruction and evidence (`@bridle/work`, gate/); where a surface
 * brings none, nothing is let through.
 */
import { refuse, type Refusal } from "@bridle/record";
import { openAdmission } from "./policy.js";
import type { Admission, GateCall } from "./types.js";

/** Undefined for a read. */
export function lastWord(
  { operation, authority }: Pick<GateCall, "operation" | "authority">,
  checked: Admission | undefined,
): Admission | Refusal | undefined {
  if (operation.effect !== "mutate") return undefined;
  if (checked !== undefined && !isBlank(checked.policyDigest) && !isBlank(checked.instructionRef))
    return checked;
  if (authority.standing?.kind === "person") return openAdmission();
  return refuse("mutation.use_evidence_missing", {
    message: `${operation.names.action} changes state, and nobody answers for the call`,
    hint: "A person opens a lane for it with `premath lane open <name>`; docs/guides/how-a-change-becomes-done.md tells more.",
  });
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
