/** What the changes of one issue answer, and how a person reads it. */
import type { Call, Paint } from "@bridle/operation";
import { isRefusal, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import type { Changed } from "../memory/edit/changed.js";
import type { Decide } from "../memory/types.js";
import { IssueSummary, issueSummary } from "./issue-payload.js";
import { type IssuesInput, changingMemory } from "../calls/issues.js";
import { cell } from "./text-layout.js";
import { inDoubt } from "./in-doubt.js";

const doubtHint = "The change may be there or not: look with `premath issue list` before you make it again.";

export const changedOutput = <Action extends string>(action: Action) => ({
  action: Type.Literal(action),
  issuesPath: Type.String(),
  issue: IssueSummary,
  changed: Type.Boolean({ description: "False when it was as asked for already; nothing was written." }),
});

/** The payload that all of them share, and the whole answer for those who add to it. */
export async function changeIssue<Action extends string, Answer extends Changed>(
  action: Action,
  input: IssuesInput,
  call: Call,
  decide: Decide<Answer>,
  options: { readonly create?: boolean } = {},
) {
  return changingMemory(input, call, async (memory, place) => {
    const answer: Answer | Refusal = await memory.change(decide, options).catch((error: unknown) => {
      throw inDoubt(error, doubtHint);
    });
    if (isRefusal(answer)) return answer;
    const { issue, changed } = answer;
    return { answer, payload: { action, issuesPath: place.shown, issue: issueSummary(issue), changed } };
  });
}

/** `bd-14 added: Retry the flaky upload once (open, P1, ada).` */
export function changeLine(issue: IssueSummary, did: string, paint: Paint): string {
  const { id, title, status, priority, assignee } = issue;
  const facts = [status, `P${priority}`, assignee].filter((fact) => fact !== "").map(cell);
  return `  ${paint.strong(cell(id))} ${did}: ${cell(title)} ${paint.dim(`(${facts.join(", ")})`)}`;
}
