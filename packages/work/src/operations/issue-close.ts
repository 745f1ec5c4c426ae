/** `premath issue close`: done, by whoever holds it and with nothing left that it waits for. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { closeIssue } from "../memory/edit/close.js";
import { changedOutput, changeIssue, changeLine } from "./issue-changed.js";
import { issueIdInput, textInput } from "./issue-fields-input.js";
import { issuesInput } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { cell } from "./text-layout.js";

export const issueClose = defineOperation({
  names: {
    id: "op/issue.close",
    action: "issue.close",
    command: ["issue", "close"],
    tool: "issue_close",
  },
  family: "premath",
  effect: "mutate",
  needs: "verified-change",
  needsWhen: [{ input: "force", needs: "person" }],
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Close an issue.",
  description:
    "Refused while somebody else's lease is active, while anything that blocks it is not closed, and for an epic while " +
    "a child of it is open. --force overrules that; what was overruled, why, by whom and when stays in the row. An old fence is refused all the same. The lease " +
    "ends, the fence stays. A closed issue stays closed, and nothing is written.",
  examples: [
    {
      command: 'premath issue close bd-14 --fence 3 --reason "retried once, test added"',
      says: "closes what you hold by its claim",
    },
    {
      command: 'premath issue close bd-15 --actor ada --force "bd-11 was given up"',
      says: "closes it although bd-11 is open",
    },
  ],
  input: Type.Object(
    {
      id: issueIdInput,
      reason: Type.Optional(textInput("text", "How it ended.")),
      force: Type.Optional(
        textInput(
          "reason",
          "Close it although it is held, blocked or has open children, and say why; the reason is recorded.",
        ),
      ),
      ...issuesInput,
      ...mutationInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ...changedOutput("issue.close"),
    forced: Type.Array(Type.Object({ class: Type.String(), says: Type.String() }), {
      description: "Rules that were overruled.",
    }),
    unblocked: Type.Array(Type.String(), { description: "Issues that are ready now." }),
  }),
  async run(input, call) {
    const closed = await changeIssue("issue.close", input, call, closeIssue(input.id, asActor(input, call)));
    if (isRefusal(closed)) return closed;
    const { forced, unblocked } = closed.answer;
    return { ...closed.payload, forced: [...forced], unblocked: [...unblocked] };
  },
  present({ issue, changed, forced, unblocked }, paint) {
    return [
      changeLine(issue, changed ? "closed" : "was closed already", paint),
      ...forced.map(({ says }) => `  ${paint.bad("forced")}, although ${says}`),
      ...(unblocked.length === 0 ? [] : [`  ${paint.good("ready now")}: ${unblocked.map(cell).join(", ")}`]),
    ].join("\n");
  },
});
