/** `premath issue add`: a new issue, and issue memory with the first one. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { addIssue } from "../memory/edit/add.js";
import { changedOutput, changeIssue, changeLine } from "./issue-changed.js";
import { newIssueInput, statusInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { mutationInput } from "./mutation-input.js";

export const issueAdd = defineOperation({
  names: {
    id: "op/mcp.issue_add",
    action: "issue.add",
    command: ["issue", "add"],
    tool: "issue_add",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  needsWhen: [{ input: "status", is: "closed", needs: "verified-change" }],
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Add an issue.",
  description:
    "Makes issue memory when there is none. Without an id it gets the smallest free bd-<n>, decided under the file's " +
    "lock, so that two who add at once get two. An id that is taken, a blank title or an unknown status is refused and " +
    "nothing is written.",
  examples: [
    {
      command: 'premath issue add "Retry the flaky upload once" --priority 1',
      says: "adds an issue with the next free id",
    },
    {
      command:
        'premath issue add "Document the lease table" --description "Acceptance: a table in docs" --label docs',
      says: "with what its success is checked by",
    },
  ],
  input: Type.Object(
    {
      title: Type.String({ "x-position": 0, "x-placeholder": "title", description: "What is to be done." }),
      ...newIssueInput,
      status: statusInput,
      ...issuesInput,
      actor: mutationInput.actor,
      instructionId: mutationInput.instructionId,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(changedOutput("issue.add")),
  async run(input, call) {
    const added = await changeIssue("issue.add", input, call, addIssue(input), { create: true });
    return isRefusal(added) ? added : added.payload;
  },
  present: ({ issue }, paint) => changeLine(issue, "added", paint),
});
