/** `premath issue label`: labels added and removed. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { labelIssue } from "../memory/edit/labels.js";
import { changedOutput, changeIssue } from "./issue-changed.js";
import { issueIdInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { cell } from "./text-layout.js";

const labelsInput = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { "x-placeholder": "label", description }));

export const issueLabel = defineOperation({
  names: {
    id: "op/issue.label",
    action: "issue.label",
    command: ["issue", "label"],
    tool: "issue_label",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Add and remove labels of an issue.",
  description:
    "Labels keep their order, new ones come last, and none stands twice. Adding one that is there or removing one that " +
    "is not changes nothing.",
  examples: [
    {
      command: "premath issue label bd-14 --add flaky --remove triage",
      says: "swaps one label for another",
    },
  ],
  input: Type.Object(
    {
      id: issueIdInput,
      add: labelsInput("A label to add; repeatable."),
      remove: labelsInput("A label to remove; repeatable."),
      ...issuesInput,
      ...mutationInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(changedOutput("issue.label")),
  async run(input, call) {
    const labelled = await changeIssue(
      "issue.label",
      input,
      call,
      labelIssue(input.id, asActor(input, call)),
    );
    return isRefusal(labelled) ? labelled : labelled.payload;
  },
  present({ issue: { id, labels }, changed }, paint) {
    const all = labels.length === 0 ? "none" : labels.map(cell).join(", ");
    return `  ${paint.strong(cell(id))} labels: ${all}${changed ? "" : paint.dim(" (as before)")}`;
  },
});
