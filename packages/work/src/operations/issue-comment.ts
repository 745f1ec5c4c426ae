/** `premath issue comment`: a sentence for those who come after. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { commentIssue } from "../memory/edit/comment.js";
import { changedOutput, changeIssue } from "./issue-changed.js";
import { issueIdInput, textInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { cell } from "./text-layout.js";

export const issueComment = defineOperation({
  names: {
    id: "op/issue.comment",
    action: "issue.comment",
    command: ["issue", "comment"],
    tool: "issue_comment",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Add a comment to an issue.",
  description:
    "Anybody may comment, whoever holds the issue; a comment is never changed. One that names an old fence is refused.",
  examples: [
    {
      command: 'premath issue comment bd-14 "The upload fails only on retries" --author ada',
      says: "adds a comment by ada",
    },
  ],
  input: Type.Object(
    {
      id: issueIdInput,
      text: Type.String({ "x-position": 1, "x-placeholder": "text", description: "What there is to say." }),
      author: Type.Optional(textInput("name", "Who says it; --actor when left out.")),
      ...issuesInput,
      ...mutationInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...changedOutput("issue.comment"),
    comment: Type.Object({
      id: Type.Integer(),
      author: Type.String(),
      text: Type.String(),
      createdAt: Type.String(),
    }),
  }),
  async run(input, call) {
    const commented = await changeIssue(
      "issue.comment",
      input,
      call,
      commentIssue(input.id, asActor(input, call)),
    );
    return isRefusal(commented) ? commented : { ...commented.payload, comment: commented.answer.comment };
  },
  present({ issue, comment: { author, id, text } }, paint) {
    const by = author === "" ? "" : ` by ${cell(author)}`;
    return `  ${paint.strong(cell(issue.id))} comment ${id}${by}: ${cell(text)}`;
  },
});
