/** `premath issue reopen`: not done after all. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { reopenIssue } from "../memory/edit/close.js";
import { changedOutput, changeIssue, changeLine } from "./issue-changed.js";
import { issueIdInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";

export const issueReopen = defineOperation({
  names: {
    id: "op/issue.reopen",
    action: "issue.reopen",
    command: ["issue", "reopen"],
    tool: "issue_reopen",
  },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Open a closed issue again.",
  description: "Its fence goes on from where it was, so claims from before it was closed stay too old.",
  examples: [{ command: "premath issue reopen bd-14", says: "sets it back to open" }],
  input: Type.Object({ id: issueIdInput, ...issuesInput, ...mutationInput }, { additionalProperties: false }),
  output: Type.Object(changedOutput("issue.reopen")),
  async run(input, call) {
    const reopened = await changeIssue(
      "issue.reopen",
      input,
      call,
      reopenIssue(input.id, asActor(input, call)),
    );
    return isRefusal(reopened) ? reopened : reopened.payload;
  },
  present: ({ issue }, paint) => changeLine(issue, "reopened", paint),
});
