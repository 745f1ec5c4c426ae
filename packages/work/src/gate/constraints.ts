/** What whoever asks for a join check wants to hold beyond the evidence, read from the input. */
import { present } from "@bridle/record";
import type { Fields } from "./fields.js";
import type { Constraints } from "./types.js";

/** Throws `EvidenceInvalid`. */
export function constraintsOf(input: Fields): Constraints {
  return present({
    governanceProfile: input.part("governanceProfile", governanceOf),
    protocolConstraints: input.part("protocolConstraints", (fields) =>
      present({ parallelTransportOrderValid: fields.maybeFlag("parallelTransportOrderValid") }),
    ),
    handoffConstraints: input.part("handoffConstraints", (fields) =>
      present({
        requiredArtifactRefs: fields.texts("requiredArtifactRefs"),
        allowedTargets: fields.texts("allowedTargets"),
        requireReturnPath: fields.maybeFlag("requireReturnPath"),
      }),
    ),
    truncationConstraints: input.part("truncationConstraints", (fields) =>
      present({ required: fields.maybeFlag("required"), valid: fields.maybeFlag("valid") }),
    ),
    decompositionConstraints: input.part("decompositionConstraints", (fields) =>
      present({
        admissible: fields.maybeFlag("admissible"),
        expectedExecutionPattern: fields.maybeText("expectedExecutionPattern"),
        expectedPolicyDigest: fields.maybeText("expectedPolicyDigest"),
      }),
    ),
  });
}

function governanceOf(profile: Fields): NonNullable<Constraints["governanceProfile"]> {
  const provenance = (fields: Fields) =>
    present({
      pinned: fields.flag("pinned"),
      packageRef: fields.maybeText("packageRef"),
      expectedDigest: fields.maybeText("expectedDigest"),
      boundDigest: fields.maybeText("boundDigest"),
    });
  return present({
    claimId: profile.maybeText("claimId"),
    claimed: profile.flag("claimed"),
    policyProvenance: profile.part("policyProvenance", provenance, "governanceProfile.policyProvenance"),
  });
}
