/** What the operations on leases are told. */
import type { Call } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { workLimits } from "../limits.js";
import { textInput } from "./issue-fields-input.js";
import { workerId } from "./mutation-input.js";

const { leaseTtlSecondsMin, leaseTtlSecondsMax, leaseTtlSecondsDefault } = workLimits;

export const leasedId = Type.String({
  minLength: 1,
  "x-position": 0,
  "x-placeholder": "issue-id",
  description: "The issue.",
});

export const assigneeInput = Type.Optional(
  textInput(
    "name",
    "Who holds the lease; PREMATH_WORKER_ID when left out.",
    "Who; PREMATH_WORKER_ID when left out.",
  ),
);

/** Who claims or holds: the call says it, or the environment. */
export function withAssignee<Input extends { readonly assignee?: string }>(
  input: Input,
  call: Call,
): (Input & { readonly assignee: string }) | Refusal {
  const assignee = input.assignee ?? workerId(call);
  if (assignee !== undefined) return { ...input, assignee };
  return refuse("lease_invalid_payload", {
    message: "--assignee is missing",
    hint: "Say who claims with --assignee <name>, or set PREMATH_WORKER_ID.",
  });
}

export const leaseIdInput = textInput("id", "The lease that the claim answered.");

export const newLeaseIdInput = textInput(
  "id",
  "Names the lease; made from issue and assignee when left out. A lease that is still yours keeps its own.",
  "Names the lease; made up when left out.",
);

export const requestIdInput = Type.String({
  maxLength: workLimits.requestIdCharsMax,
  "x-placeholder": "id",
  "x-brief": "With the same one, a repeated claim is the same claim.",
  description:
    "Names this claim: repeated with the same one it is answered the same and claims nothing twice.",
});

/** A number out of range is refused by the lease itself, with the class of the contract. */
export const termInput = {
  leaseTtlSeconds: Type.Optional(
    Type.Integer({
      "x-placeholder": "seconds",
      description: `How long the lease lasts, ${leaseTtlSecondsMin} to ${leaseTtlSecondsMax}; ${leaseTtlSecondsDefault} when left out.`,
    }),
  ),
  leaseExpiresAt: Type.Optional(textInput("time", "When it ends instead, RFC 3339.")),
} as const;
