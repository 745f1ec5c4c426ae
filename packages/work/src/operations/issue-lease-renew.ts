/** `premath issue lease-renew`: the lease goes on. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { decideRenew } from "../memory/lease-change.js";
import { issuesInput, changingMemory } from "../calls/issues.js";
import { whileWanted, withLeaseFailures } from "./lease-failures.js";
import { assigneeInput, leasedId, leaseIdInput, termInput, withAssignee } from "./lease-input.js";
import { leaseAnswerMembers } from "./lease-schema.js";
import { mutationInput } from "./mutation-input.js";
import { heldLine } from "./present-lease.js";

export const issueLeaseRenew = defineOperation({
  names: {
    id: "op/mcp.issue_lease_renew",
    action: "issue.lease_renew",
    command: ["issue", "lease-renew"],
    tool: "issue_lease_renew",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  invalidInput: "lease_invalid_payload",
  summary: "Renew a lease before it ends.",
  description:
    "From now on, for the time that is asked for. The fence stays as it is. A lease that has ended is not renewed, " +
    "because somebody may have relied on that: claim the issue anew.",
  examples: [
    {
      command: "premath issue lease-renew bd-14 --assignee ada --lease-id lease1_bd-14_ada",
      says: "for another hour",
    },
  ],
  input: Type.Object(
    {
      id: leasedId,
      assignee: assigneeInput,
      leaseId: leaseIdInput,
      ...termInput,
      ...mutationInput,
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("issue.lease_renew"), ...leaseAnswerMembers }),
  run: (input, call) =>
    withLeaseFailures({ inDoubt: "Renew it again: that does no harm.", missing: "lease_not_found" }, () =>
      changingMemory(input, call, async (memory, place) => {
        const request = withAssignee(input, call);
        if (isRefusal(request)) return request;
        const answer = await memory.change(whileWanted(call, decideRenew(input.id, request)));
        if (isRefusal(answer)) return answer;
        return { action: "issue.lease_renew" as const, issuesPath: place.shown, ...answer };
      }),
    ),
  present: ({ issue, leaseProjection }, paint) => heldLine(issue, leaseProjection.checkedAt, paint),
});
