/**
 * What a project binds its turns to beyond ours: a governance profile that it claims, and how
 * work may be divided. Both stand under `policies/control/` and are read when a change is judged.
 *
 * They only ask for more: a project without them is held to our own rules, and a file that was
 * edited by hand refuses every change.
 */
import { join } from "node:path";
import {
  digest,
  isJsonObject,
  isRefusal,
  type JsonObject,
  type Ports,
  type Refusal,
  refuse,
} from "@bridle/record";
import { governanceClaimId } from "./join.js";
import { sealedDigest } from "../seal.js";
import { readSmallJson } from "../small-file.js";
import type { Constraints } from "./types.js";

export const capabilityRegistryPath = "policies/control/capability-registry-v1.json";
export const decompositionPolicyPath = "policies/control/decomposition-policy-v1.json";

export interface Bindings {
  readonly governancePolicyDigest: string;
  readonly decompositionPolicyDigest: string;
  readonly constraints: Constraints;
}

const noGovernance = digest("pol1_", { policyKind: "bridle.governance.none.v1", claims: [] });
const wholeWork = digest("pol1_", {
  policyKind: "bridle.decomposition.policy.v1",
  policyId: "policy.decomposition.none.v1",
});

export async function bindingsOf(root: string, ports: Ports): Promise<Bindings | Refusal> {
  const [governanceProfile, decomposition] = await Promise.all([
    profileOf(root, ports),
    decompositionOf(root, ports),
  ]);
  if (isRefusal(governanceProfile)) return governanceProfile;
  if (isRefusal(decomposition)) return decomposition;
  return {
    governancePolicyDigest: governanceProfile?.policyProvenance?.boundDigest ?? noGovernance,
    decompositionPolicyDigest: decomposition,
    constraints: {
      ...(governanceProfile === undefined ? {} : { governanceProfile }),
      decompositionConstraints: { expectedPolicyDigest: decomposition },
    },
  };
}

/** Undefined where no profile is claimed. */
async function profileOf(
  root: string,
  ports: Ports,
): Promise<Constraints["governanceProfile"] | Refusal | undefined> {
  const registry = await readSmallJson(join(root, capabilityRegistryPath), ports.files);
  if (registry === undefined) return undefined;
  if (!isJsonObject(registry))
    return refuse("governance.policy_package_unpinned", {
      message: `${capabilityRegistryPath} cannot be read as an object`,
      hint: "Mend it: until then nobody knows whether a governance profile is claimed.",
    });
  const { profileOverlayClaims: claims = [], policyProvenance: pin } = registry;
  if (!Array.isArray(claims) || !claims.includes(governanceClaimId)) return undefined;
  const { pinned, packageRef, expectedDigest } = isJsonObject(pin) ? pin : ({} as JsonObject);
  const ref = typeof packageRef === "string" ? packageRef : "";
  // A package elsewhere on the machine is not the project's.
  const inside = ref !== "" && !ref.startsWith("/") && !ref.split(/[/\\]/).includes("..");
  const found = inside ? await readSmallJson(join(root, ref), ports.files) : undefined;
  return {
    claimId: governanceClaimId,
    claimed: true,
    policyProvenance: {
      pinned: pinned === true,
      ...(ref === "" ? {} : { packageRef: ref }),
      ...(typeof expectedDigest === "string" ? { expectedDigest } : {}),
      ...(isJsonObject(found) ? { boundDigest: sealedDigest(found) } : {}),
    },
  };
}

async function decompositionOf(root: string, ports: Ports): Promise<string | Refusal> {
  const policy = await readSmallJson(join(root, decompositionPolicyPath), ports.files);
  if (policy === undefined) return wholeWork;
  const bound = isJsonObject(policy) ? sealedDigest(policy) : undefined;
  if (isJsonObject(policy) && policy["policyDigest"] === bound && bound !== undefined) return bound;
  return refuse("coordination.decomposition_policy_violation", {
    message: `${decompositionPolicyPath} is not what its policyDigest says${bound === undefined ? "" : `; it is ${bound}`}`,
    hint: "It was edited after it was sealed. Look at the change, and write its digest anew.",
  });
}
