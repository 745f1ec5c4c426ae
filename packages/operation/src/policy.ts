/**
 * The built-in open mutation policy, and the authority of a person at a terminal.
 *
 * "Open" does not mean "unrecorded": an open mutation still carries the digest
 * of the policy that let it through and says who asked.
 */
import { digest, type JsonObject } from "@bridle/record";
import type { Admission, Authority } from "./types.js";

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
export function openAdmission(): Admission {
  return {
    mutationPolicy: "open",
    // Made when it is asked for: hashing loads a good part of Node.
    get policyDigest() {
      return openMutationPolicyDigest();
    },
    instructionRef: commandLineInstructionRef,
  };
}

export function commandLineAuthority(): Authority {
  return { surface: "cli", standing: { kind: "person" } };
}
