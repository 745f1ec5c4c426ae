/**
 * The built-in open mutation policy, and the authority of a person at a terminal.
 *
 * "Open" does not mean "unrecorded": an open mutation still carries the digest
 * of the policy that let it through and says who asked.
 */
import { digest, type JsonObject } from "@bridle/record";
import type { Authority } from "./types.js";

export const openMutationPolicy: JsonObject = {
  schema: 1,
  policyKind: "bridle.mutation.policy.v1",
  policyId: "policy.mutation.open.v1",
  mode: "open",
  requires: ["policyDigest", "instructionRef"],
};

/** `pol1_…` of the open policy. */
export function openMutationPolicyDigest(): string {
  return (openDigest ??= digest("pol1_", openMutationPolicy));
}
let openDigest: string | undefined;

export const commandLineInstructionRef = "instruction://command-line/person";

/** Whoever can type a command here can edit the files anyway; the record says that a person did it. */
export function commandLineAuthority(): Authority {
  return {
    surface: "cli",
    // Made when a mutation asks for it: hashing loads a good part of Node, and a read does not need it.
    get policyDigest() {
      return openMutationPolicyDigest();
    },
    instructionRef: commandLineInstructionRef,
  };
}
