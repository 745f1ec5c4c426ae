/** The mutation policies beside the open one, by their digests. */
import { digest, type JsonObject } from "@bridle/record";

const policyOf = (name: string, mode: string, requires: readonly string[]): JsonObject => ({
  schema: 1,
  policyKind: "bridle.mutation.policy.v1",
  policyId: `policy.mutation.${name}.v1`,
  mode,
  requires,
});

/** `pol1_…`: a lane, a run or a witness allows the action, and evidence goes with it as the operation declares. */
export const linkedPolicyDigest = digest(
  "pol1_",
  policyOf("instruction_linked", "instruction-linked", [
    ...["policyDigest", "instructionRef", "closedJoin", "verifiedChange"],
  ]),
);

export const overridePolicyDigest = digest(
  "pol1_",
  policyOf("human_override", "human-override", ["policyDigest", "instructionRef", "reason", "expiry"]),
);

/** Longest time of a human override. */
export const overrideMsMax = 24 * 3_600_000;
