/**
 * What an answer of the model leads to: it is gone on with, sent back, learnt from,
 * or it is the end of the send. Decided here from what the send knows; carried out
 * by the send.
 */
import { continueCall, continuesText, continueText, tailOf } from "../dispatch/cut-off.js";
import { oneLine } from "../prompt/lines.js";
import type { RuleFinding, RuleWatch } from "@bridle/rules";
import type { CutCall, SendState } from "./state.js";

/** Rounds that a model has to answer in once it gets no more tools. */
const closingsMax = 2;
const saidNothing = "[CONTINUE] You said nothing. Go on with the task, or answer the user.";

export type AfterAnswer =
  /** The next request shows the results. */
  | { readonly kind: "request" }
  /** `judge`: somebody may still object to the answer, once. */
  | { readonly kind: "end"; readonly findings: readonly RuleFinding[]; readonly judge: boolean }
  | { readonly kind: "continue"; readonly text: string; readonly cut?: CutCall["kept"] }
  | { readonly kind: "revise"; readonly text: string; readonly findings: readonly RuleFinding[] }
  /** Every call failed: a lesson, then the next request. */
  | { readonly kind: "learn" };

/** `mayContinue`: whether there is a continuation left. */
export function afterAnswer(
  state: SendState,
  { rules, mayContinue }: { readonly rules: Pick<RuleWatch, "answered">; readonly mayContinue: boolean },
): AfterAnswer {
  const { cut, results } = state;
  if (state.closing !== undefined)
    return results.length === 0 || state.closings >= closingsMax
      ? { kind: "end", findings: [], judge: false }
      : { kind: "request" };
  if (cut !== undefined) {
    if (!mayContinue) return { kind: "request" };
    const kept = cut.kept === undefined ? {} : { cut: cut.kept };
    return { kind: "continue", text: continueCall(cut.tool, cut.kept), ...kept };
  }
  if (results.length === 0) return judged(state, rules, mayContinue);
  return state.reflexion === undefined && results.every(({ ok }) => !ok)
    ? { kind: "learn" }
    : { kind: "request" };
}

/** An answer without calls. */
function judged(state: SendState, rules: Pick<RuleWatch, "answered">, mayContinue: boolean): AfterAnswer {
  const { lastText, lastStop = "stop" } = state;
  if (mayContinue && continuesText(lastStop, lastText))
    return { kind: "continue", text: continueText(tailOf(lastText)) };
  if (mayContinue && lastText.trim() === "" && state.answer.trim() === "")
    return { kind: "continue", text: saidNothing };
  const findings = rules.answered(state.answer);
  const blocking = findings.filter(({ rule }) => rule.held === "refused");
  const sendBack = blocking.length > 0 && !state.revised;
  if (!sendBack) return { kind: "end", findings, judge: state.answer.trim() !== "" };
  const points = blocking.map(({ rule, finding }) => `- ${rule.id}: ${finding.what} ${finding.remedy}`);
  return { kind: "revise", text: revised(points), findings };
}

export const judgedRemedy = "Mend that, and leave the rest as it is.";

/** What is said to an answer that the judge objected to; undefined when it did not, or to an earlier one. */
export function revisionFor({ judgement, round }: Pick<SendState, "judgement" | "round">) {
  if (judgement === undefined || judgement.round !== round || judgement.broken.length === 0) return undefined;
  const { broken } = judgement;
  return {
    broken,
    text: revised(broken.map(({ rule, why }) => `- ${rule}: ${oneLine(why)} ${judgedRemedy}`)),
  };
}

function revised(points: readonly string[]): string {
  return `[REVISE] The harness did not deliver this answer:\n${points.join("\n")}\nDo that, then answer again.`;
}
