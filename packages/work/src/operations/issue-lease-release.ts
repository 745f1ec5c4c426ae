/** `premath issue lease-release`: the issue is free for somebody else. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { decideRelease } from "../memory/lease-change.js";
import { issuesInput, changingMemory } from "../calls/issues.js";
import { whileWanted, withLeaseFailures } from "./lease-failures.js";
import { assigneeInput, leasedId, leaseIdInput } from "./lease-input.js";
import { leaseAnswerMembers } from "./lease-schema.js";
import { mutationInput, workerId } from "./mutation-input.js";

export const issueLeaseRelease = defineOperation({
  names: {
    id: "op/mcp.issue_lease_release",
    action: "issue.lease_release",
    command: ["issue", "lease-release"],
    tool: "issue_lease_release",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  invalidInput: "lease_invalid_payload",
  summary: "Give a lease back.",
  description:
    "The issue has no lease and no assignee, and is open again if it was in progress; its fence stays. While the lease " +
    "is active, say whose it is: by assignee, lease id or fence. One that has ended anybody may clear away.",
  examples: [
    {
      command: "premath issue lease-release bd-14 --assignee ada",
      says: "ada is done with it, or gives it up",
    },
    { command: "premath issue lease-release bd-14 --fence 3", says: "by the fence of the claim" },
  ],
  input: Type.Object(
    {
      id: leasedId,
      assignee: assigneeInput,
      leaseId: Type.Optional(leaseIdInput),
      ...mutationInput,
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("issue.lease_release"), ...leaseAnswerMembers }),
  run: (input, call) =>
    withLeaseFailures(
      { inDoubt: "Look with `premath issue leases` whether it is still there.", missing: "lease_not_found" },
      () =>
        changingMemory(input, call, async (memory, place) => {
          const assignee = input.assignee ?? input.actor ?? workerId(call);
          const request = { ...input, ...(assignee === undefined ? {} : { assignee }) };
          const answer = await memory.change(whileWanted(call, decideRelease(input.id, request)));
          if (isRefusal(answer)) return answer;
          return { action: "issue.lease_release" as const, issuesPath: place.shown, ...answer };
        }),
    ),
  present: ({ issue, changed }, paint) =>
    changed
      ? `  ${paint.strong(issue.id)} is free again (${issue.status}, fence ${issue.fence}).`
      : `  ${paint.strong(issue.id)} has no lease; nothing was changed.`,
});
