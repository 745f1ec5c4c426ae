/**
 * With what authority a call comes in: the server names it, a client cannot.
 *
 * Under `instruction-linked` nothing is claimed, so the gate refuses mutations
 * that bring no evidence of their own. Under `open` the person who started the
 * server this way is the one who asks, and the envelope says so.
 */
import { type Authority, commandLineInstructionRef, openMutationPolicyDigest } from "@bridle/operation";
import type { MutationPolicy } from "./types.js";

export function authorityUnder(policy: MutationPolicy): Authority {
  switch (policy) {
    case "instruction-linked":
      return { surface: "mcp" };
    case "open":
      return {
        surface: "mcp",
        policyDigest: openMutationPolicyDigest(),
        instructionRef: commandLineInstructionRef,
      };
  }
}
