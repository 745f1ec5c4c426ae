/** What the changes of one issue answer, and how a person reads it. */
import type { Call, Paint } from "@bridle/operation";
import { Failure, isRefusal, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import type { Changed } from "../memory/edit/changed.js";
import type { Decide } from "../memory/types.js";
import { IssueSummary, issueSummary } from "./issue-payload.js";
import { type IssuesInput, changingMemory } from "./issues.js";
import { cell } from "./text-layout.js";

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
      throw inDoubt(error);
    });
    if (isRefusal(answer)) return answer;
    const { issue, changed } = answer;
    return { answer, payload: { action, issuesPath: place.shown, issue: issueSummary(issue), changed } };
  });
}

/** In the words of the one who called: the log's own advice is for programs. */
function inDoubt(error: unknown): unknown {
  if (!(error instanceof Failure) || error.failureClass !== "row_in_doubt") return error;
  return new Failure("row_in_doubt", {
    message: error.message,
    hint: "The change may be there or not: look with `premath issue list` before you make it again.",
    cause: error,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
  });
}

/** `bd-14 added: Retry the flaky upload once (open, P1, ada).` */
export function changeLine(issue: IssueSummary, did: string, paint: Paint): string {
  const { id, title, status, priority, assignee } = issue;
  const facts = [status, `P${priority}`, assignee].filter((fact) => fact !== "").map(cell);
  return `  ${paint.strong(cell(id))} ${did}: ${cell(title)} ${paint.dim(`(${facts.join(", ")})`)}`;
}
