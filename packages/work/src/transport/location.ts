/**
 * Locations: where work runs, named so that two that are the same have the same name, and whether
 * what two of them found fits together.
 *
 * A location says nothing about what is admissible. That its checks passed elsewhere is news here,
 * and no verdict.
 */
import { canonicalJson, compareCodePoints, digest, type JsonValue } from "@bridle/record";

export interface Location {
  readonly worldId: string;
  readonly runtimeProfile: string;
  /** In any order. */
  readonly capabilityVector: readonly string[];
  readonly substrateBindingRef: string;
}

/** `loc1_` and the digest of the descriptor, its capabilities sorted and each once. */
export function locationRef({
  worldId,
  runtimeProfile,
  capabilityVector,
  substrateBindingRef,
}: Location): string {
  return digest("loc1_", {
    worldId,
    runtimeProfile,
    capabilityVector: sortedSet(capabilityVector),
    substrateBindingRef,
  });
}

/** What two locations say about the same work. */
export interface Section {
  readonly kernelVerdict: string;
  readonly gateFailureClasses: readonly string[];
  readonly requiredChecks: readonly string[];
  readonly policyDigest: string;
  readonly projectionDigest: string;
}

/** Undefined where they agree. */
export function overlapFailure(left: Section, right: Section): "site_overlap_mismatch" | undefined {
  return said(left) === said(right) ? undefined : "site_overlap_mismatch";
}

function said({
  gateFailureClasses,
  requiredChecks,
  kernelVerdict,
  policyDigest,
  projectionDigest,
}: Section) {
  return canonicalJson({
    kernelVerdict,
    gateFailureClasses: [...gateFailureClasses].sort(compareCodePoints),
    requiredChecks: sortedSet(requiredChecks),
    policyDigest,
    projectionDigest,
  });
}

/** Proposals of how parts make a whole: there must be one, up to the order of what they list. */
export function glueFailure(
  proposals: readonly JsonValue[],
): "site_glue_missing" | "site_glue_non_contractible" | undefined {
  if (proposals.length === 0) return "site_glue_missing";
  const different = new Set(proposals.map((proposal) => canonicalJson(unordered(proposal))));
  return different.size === 1 ? undefined : "site_glue_non_contractible";
}

function unordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = new Map(value.map((item) => [canonicalJson(unordered(item)), unordered(item)]));
    return [...items].sort(([a], [b]) => compareCodePoints(a, b)).map(([, item]) => item);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, unordered(member as JsonValue)]),
  );
}

function sortedSet(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareCodePoints);
}
