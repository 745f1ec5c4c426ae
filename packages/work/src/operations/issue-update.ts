/** `premath issue update`: some fields of an issue changed. */
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { updateIssue } from "../memory/edit/update.js";
import { changedOutput, changeIssue, changeLine } from "./issue-changed.js";
import { fieldsInput, issueIdInput, statusInput, textInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { readTextFile } from "./text-file.js";

export const issueUpdate = defineOperation({
  names: {
    id: "op/mcp.issue_update",
    action: "issue.update",
    command: ["issue", "update"],
    tool: "issue_update",
  },
  family: "premath",
  effect: "mutate",
  needs: "evidence",
  needsWhen: [{ input: "status", is: "closed", needs: "verified-change" }],
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Change fields of an issue.",
  description:
    "What is not named stays as it was, what is named empty is removed. While somebody's lease is active, only they may " +
    "change the status or the assignee: by name (--actor) or by the fence of their claim (--fence). Any status but " +
    "in_progress ends the lease; closing also needs every blocker closed. Members that this version does not know keep " +
    "their bytes.",
  examples: [
    {
      command: "premath issue update bd-14 --status blocked --fence 3",
      says: "under the claim with fence 3",
    },
    { command: "premath issue update bd-14 --notes-file notes.md", says: "with notes from a file" },
    { command: 'premath issue update bd-14 --assignee ""', says: "so that anybody may claim it" },
  ],
  input: Type.Object(
    {
      id: issueIdInput,
      title: Type.Optional(textInput("title", "What is to be done.")),
      ...fieldsInput,
      notesFile: Type.Optional(
        Type.String({
          "x-placeholder": "path",
          "x-path": true,
          "x-cli-only": true,
          description: "A file whose text becomes the notes; instead of --notes.",
        }),
      ),
      status: statusInput,
      ...issuesInput,
      ...mutationInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(changedOutput("issue.update")),
  async run(input, call) {
    const { notesFile, ...fields } = input;
    if (notesFile !== undefined && fields.notes !== undefined) {
      return refuse("input_invalid", {
        message: "both --notes and --notes-file were given",
        hint: "Give one of them.",
      });
    }
    const notes = notesFile === undefined ? undefined : await readTextFile(notesFile, call);
    if (isRefusal(notes)) return notes;
    const update = notes === undefined ? fields : { ...fields, notes };
    const updated = await changeIssue(
      "issue.update",
      input,
      call,
      updateIssue(input.id, update, asActor(input, call)),
    );
    return isRefusal(updated) ? updated : updated.payload;
  },
  present: ({ issue }, paint) => changeLine(issue, "updated", paint),
});
