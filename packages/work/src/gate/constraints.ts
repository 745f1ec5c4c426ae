/** What whoever asks for a join check wants to hold beyond the evidence, read from the input. */
import { present } from "@bridle/record";
import { Fields } from "./fields.js";
import type { Constraints } from "./types.js";

/** Throws `EvidenceInvalid`. */
export function constraintsOf(input: Fields): Constraints {
  const part = (name: string) => {
    const value = input.raw(name);
    return value === undefined ? undefined : Fields.of(name, value);
  };
  return present({
    governanceProfile: governanceOf(part("governanceProfile")),
    protocolConstraints: read(part("protocolConstraints"), (fields) =>
      present({ parallelTransportOrderValid: fields.maybeFlag("parallelTransportOrderValid") }),
    ),
    handoffConstraints: read(part("handoffConstraints"), (fields) =>
      present({
        requiredArtifactRefs: fields.texts("requiredArtifactRefs"),
        allowedTargets: fields.texts("allowedTargets"),
        requireReturnPath: fields.maybeFlag("requireReturnPath"),
      }),
    ),
    truncationConstraints: read(part("truncationConstraints"), (fields) =>
      present({ required: fields.maybeFlag("required"), valid: fields.maybeFlag("valid") }),
    ),
    decompositionConstraints: read(part("decompositionConstraints"), (fields) =>
      present({
        admissible: fields.maybeFlag("admissible"),
        expectedExecutionPattern: fields.maybeText("expectedExecutionPattern"),
        expectedPolicyDigest: fields.maybeText("expectedPolicyDigest"),
      }),
    ),
  });
}

function read<Shape>(fields: Fields | undefined, as: (fields: Fields) => Shape): Shape | undefined {
  return fields === undefined ? undefined : as(fields);
}

function governanceOf(profile: Fields | undefined): Constraints["governanceProfile"] {
  if (profile === undefined) return undefined;
  const given = profile.raw("policyProvenance");
  const from = given === undefined ? undefined : Fields.of("governanceProfile.policyProvenance", given);
  return present({
    claimId: profile.maybeText("claimId"),
    claimed: profile.flag("claimed"),
    policyProvenance: read(from, (fields) =>
      present({
        pinned: fields.flag("pinned"),
        packageRef: fields.maybeText("packageRef"),
        expectedDigest: fields.maybeText("expectedDigest"),
        boundDigest: fields.maybeText("boundDigest"),
      }),
    ),
  });
}
