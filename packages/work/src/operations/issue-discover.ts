/** `premath issue discover`: work that was found while doing other work. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { discoverIssue } from "../memory/edit/discover.js";
import { changedOutput, changeIssue, changeLine } from "./issue-changed.js";
import { newIssueInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";

export const issueDiscover = defineOperation({
  names: {
    id: "op/mcp.issue_discover",
    action: "issue.discover",
    command: ["issue", "discover"],
    tool: "issue_discover",
  },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Add an issue that was discovered while working on another.",
  description:
    "The new issue is open and depends on the other as `discovered-from`, which blocks neither; both are written in one " +
    "row. A fence is that of the issue that you work on.",
  examples: [
    {
      command: 'premath issue discover bd-14 "Uploads have no timeout" --priority 1 --fence 3',
      says: "adds what was found while working on bd-14",
    },
  ],
  input: Type.Object(
    {
      parentIssueId: Type.String({
        minLength: 1,
        "x-position": 0,
        "x-placeholder": "id",
        description: "The issue that it was discovered from.",
      }),
      title: Type.String({ "x-position": 1, "x-placeholder": "title", description: "What is to be done." }),
      ...newIssueInput,
      ...issuesInput,
      ...mutationInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...changedOutput("issue.discover"),
    dependency: Type.Object({
      issueId: Type.String(),
      dependsOnId: Type.String(),
      type: Type.String(),
      createdBy: Type.Optional(Type.String()),
    }),
  }),
  async run(input, call) {
    const decide = discoverIssue(input.parentIssueId, input, asActor(input, call));
    const discovered = await changeIssue("issue.discover", input, call, decide);
    if (isRefusal(discovered)) return discovered;
    return { ...discovered.payload, dependency: { ...discovered.answer.dependency } };
  },
  present: ({ issue, dependency }, paint) =>
    changeLine(issue, `discovered from ${dependency.dependsOnId}`, paint),
});
