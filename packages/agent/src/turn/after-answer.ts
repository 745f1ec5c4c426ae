/**
 * What an answer of the model leads to: it is gone on with, sent back, learnt from,
 * or it is the end of the send. Decided here from what the send knows; carried out
 * by the send.
 */
import { continueCall, continuesText, continueText, tailOf } from "../dispatch/cut-off.js";
import type { RuleFinding, RuleWatch } from "../rules/watch.js";
import type { CutCall, SendState } from "./state.js";

/** Rounds that a model has to answer in once it gets no more tools. */
const closingsMax = 2;
const saidNothing = "[CONTINUE] You said nothing. Go on with the task, or answer the user.";

export type AfterAnswer =
  /** The next request shows the results. */
  | { readonly kind: "request" }
  | { readonly kind: "end"; readonly findings: readonly RuleFinding[] }
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
      ? { kind: "end", findings: [] }
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
  const blocking = findings.filter(({ rule }) => rule.kind === "block");
  const sendBack = blocking.length > 0 && !state.revised;
  if (!sendBack) return { kind: "end", findings };
  const points = blocking.map(({ rule, finding }) => `- ${rule.id}: ${finding.what} ${finding.remedy}`);
  const text = `[REVISE] The harness did not deliver this answer:\n${points.join("\n")}\nDo that, then answer again.`;
  return { kind: "revise", text, findings };
}
