/** What binds a witness or a decision to its normalizer and policy, whatever else it says. */
import { sha256Hex } from "@bridle/record";

export const requiredNormalizer = "normalizer.ci.required.v1";

/** Each part is followed by a NUL byte, so that no two lists of parts run together. */
export function typedCoreDigest(
  authorityPayloadDigest: string,
  normalizerId: string,
  policyDigest: string,
): string {
  return `ev1_${sha256Hex([authorityPayloadDigest, normalizerId, policyDigest].map((part) => `${part}\0`).join(""))}`;
}

/** The four members that projection, witness, delta and decision share. */
export function boundMembers(projectionDigest: string, policyDigest: string) {
  return {
    normalizerId: requiredNormalizer,
    policyDigest,
    authorityPayloadDigest: projectionDigest,
    typedCoreProjectionDigest: typedCoreDigest(projectionDigest, requiredNormalizer, policyDigest),
  };
}
