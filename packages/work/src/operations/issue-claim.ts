/** `premath issue claim`: an issue is yours, until the lease ends. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { type ClaimAnswer, decideClaim } from "../memory/claim.js";
import { issuesInput, changingMemory } from "../calls/issues.js";
import { whileWanted, withLeaseFailures } from "./lease-failures.js";
import {
  assigneeInput,
  leasedId,
  newLeaseIdInput,
  requestIdInput,
  termInput,
  withAssignee,
} from "./lease-input.js";
import { leaseAnswerMembers, repeatedMembers } from "./lease-schema.js";
import { headCommit } from "./head-commit.js";
import { mutationInput } from "./mutation-input.js";
import { heldLine } from "./present-lease.js";

export const issueClaim = defineOperation({
  names: {
    id: "op/mcp.issue_claim",
    action: "issue.claim",
    command: ["issue", "claim"],
    tool: "issue_claim",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  invalidInput: "lease_invalid_payload",
  summary: "Claim an issue under a lease.",
  description:
    "The issue is in progress and yours until the lease ends; nobody else can claim it before. Its fence grows by one: " +
    "name it in later changes, and they are refused once somebody else has claimed the issue. Claiming what is yours " +
    "already renews the lease. A lease that has ended can be claimed by anybody. With --request-id the claim can be " +
    "repeated when it is not known whether it went through.",
  examples: [
    { command: "premath issue claim bd-14 --assignee ada", says: "for an hour" },
    {
      command: "premath issue claim bd-14 --assignee ada --lease-ttl-seconds 600 --request-id run-7.1",
      says: "for ten minutes, and safe to repeat",
    },
  ],
  input: Type.Object(
    {
      id: leasedId,
      assignee: assigneeInput,
      leaseId: Type.Optional(newLeaseIdInput),
      ...termInput,
      requestId: Type.Optional(requestIdInput),
      ...mutationInput,
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("issue.claim"), ...leaseAnswerMembers, ...repeatedMembers }),
  run: (input, call) =>
    withLeaseFailures({ inDoubt: repeatClaim(input), missing: "lease_not_found" }, () =>
      changingMemory(input, call, async (memory, place) => {
        const request = withAssignee(input, call);
        if (isRefusal(request)) return request;
        const commit = await headCommit(call);
        const answer = await memory.change(whileWanted(call, decideClaim(input.id, { ...request, commit })));
        if (isRefusal(answer)) return answer;
        const since = sinceThen(answer);
        if (since !== undefined) call.warn(since);
        return { action: "issue.claim" as const, issuesPath: place.shown, ...answer };
      }),
    ),
  present: (answer, paint) => heldLine(answer.issue, answer.leaseProjection.checkedAt, paint, answer),
});

/** Nobody knows whether the claim stands: what to do depends on whether it can be repeated. */
export function repeatClaim({ requestId }: { readonly requestId?: string }): string {
  return requestId === undefined
    ? "Whether it is claimed is not known: look with `premath issue leases`. A claim with --request-id can simply be repeated."
    : `Repeat it with the same --request-id ${requestId}: it is answered with the same lease, or claimed now.`;
}

/** What a repeated claim should know beyond its answer. */
export function sinceThen({ issue, superseded, released }: ClaimAnswer): string | undefined {
  if (superseded) return `${issue.id} was claimed again since; fence ${issue.fence} comes too late.`;
  if (released) return `${issue.id} was given back since; claim it anew with another --request-id.`;
  return undefined;
}
