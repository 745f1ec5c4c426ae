/** `premath issue claim-next`: the most urgent issue that can be worked on is yours. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { decideClaimNext } from "../memory/claim.js";
import { repeatClaim, sinceThen } from "./issue-claim.js";
import { headCommit } from "./head-commit.js";
import { issuesInput, changingMemory } from "../calls/issues.js";
import { whileWanted, withLeaseFailures } from "./lease-failures.js";
import { assigneeInput, newLeaseIdInput, requestIdInput, termInput, withAssignee } from "./lease-input.js";
import { LeasedIssueSchema, LeaseProjectionSchema, repeatedMembers } from "./lease-schema.js";
import { mutationInput } from "./mutation-input.js";
import { heldLine } from "./present-lease.js";

const { actor, instructionId } = mutationInput;

export const issueClaimNext = defineOperation({
  names: {
    id: "op/transport.issue_claim_next",
    action: "issue.claim_next",
    command: ["issue", "claim-next"],
    tool: "issue_claim_next",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  invalidInput: "lease_invalid_payload",
  summary: "Claim the most urgent issue that is ready.",
  description:
    "By priority, then id, among the issues that are ready and nobody else's, and those that somebody left in progress " +
    "under a lease that has ended. That there is nothing to claim is an answer, not an error.",
  examples: [
    { command: "premath issue claim-next --assignee worker.1", says: "for an hour" },
    {
      command: "premath issue claim-next --assignee worker.1 --request-id worker.1-0042",
      says: "safe to repeat: the same issue again, not another one",
    },
  ],
  input: Type.Object(
    {
      assignee: assigneeInput,
      leaseId: Type.Optional(newLeaseIdInput),
      ...termInput,
      requestId: Type.Optional(requestIdInput),
      actor,
      instructionId,
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.claim_next"),
    issuesPath: Type.String(),
    claimed: Type.Boolean(),
    issue: Type.Union([LeasedIssueSchema, Type.Null()]),
    changed: Type.Boolean(),
    leaseProjection: Type.Optional(LeaseProjectionSchema),
    ...repeatedMembers,
  }),
  run: (input, call) =>
    withLeaseFailures({ inDoubt: repeatClaim(input) }, () =>
      changingMemory(input, call, async (memory, place) => {
        const request = withAssignee(input, call);
        if (isRefusal(request)) return request;
        const commit = await headCommit(call);
        const answer = await memory.change(whileWanted(call, decideClaimNext({ ...request, commit })));
        if (isRefusal(answer)) return answer;
        const head = { action: "issue.claim_next" as const, issuesPath: place.shown };
        if (answer === null) return { ...head, claimed: false, issue: null, changed: false };
        const since = sinceThen(answer);
        if (since !== undefined) call.warn(since);
        return { ...head, claimed: true, ...answer };
      }),
    ),
  present({ issue, leaseProjection, ...since }, paint) {
    if (issue === null) {
      return "  nothing to claim: what is open waits for something or is somebody's\n  `premath issue blocked` and `premath issue leases` say for what and whose";
    }
    return `${heldLine(issue, leaseProjection?.checkedAt ?? "", paint, since)}\n  ${paint.dim(issue.title)}`;
  },
});
