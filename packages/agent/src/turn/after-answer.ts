/**
 * What an answer of the model leads to: it is gone on with, sent back, learnt from,
 * or it is the end of the send.
 */
import type { Send } from "./send.js";
import { continueCall, continuesText, continueText, tailOf } from "./cut-off.js";
import type { CutCall } from "./state.js";

/** Rounds that a model has to answer in once it gets no more tools. */
const closingsMax = 2;
const saidNothing = "[CONTINUE] You said nothing. Go on with the task, or answer the user.";

/** Nothing to wait for where the results are simply shown. */
export function afterAnswer(send: Send): undefined | Promise<unknown> {
  const { state } = send;
  const { cut, results } = state;
  if (state.closing !== undefined) {
    if (results.length === 0 || state.closings >= closingsMax) send.end();
  } else if (cut !== undefined) return goOn(send, continueCall(cut.tool, cut.kept), cut);
  else if (results.length === 0) return judged(send);
  else if (state.reflexion === undefined && results.every(({ ok }) => !ok)) return reflect(send);
  return undefined;
}

async function judged(send: Send): Promise<void> {
  const { state } = send;
  const { lastText, lastStop = "stop" } = state;
  if (continuesText(lastStop, lastText) && (await goOn(send, continueText(tailOf(lastText))))) return;
  if (lastText.trim() === "" && state.answer.trim() === "" && (await goOn(send, saidNothing))) return;
  const findings = send.rules.answered(state.answer);
  const blocking = findings.filter(({ rule }) => rule.held === "refused");
  const sendBack = blocking.length > 0 && !state.revised;
  for (const { rule, finding } of findings)
    send.found(rule.id, finding, sendBack && rule.held === "refused" ? "message" : "note");
  if (!sendBack) return send.end();
  const points = blocking.map(({ rule, finding }) => `- ${rule.id}: ${finding.what} ${finding.remedy}`);
  send.say(
    "revise",
    `[REVISE] The harness did not deliver this answer:\n${points.join("\n")}\nDo that, then answer again.`,
  );
}

/** False when there are no continuations left. */
async function goOn(send: Send, text: string, cut?: CutCall): Promise<boolean> {
  if (!send.continues()) return false;
  send.say("continue", text);
  const kept = cut?.kept === undefined ? {} : { cut: cut.kept };
  const { state, config } = send;
  await send.tell({ type: "length_resume", resume: state.resumes, of: config.lengthResumeMax, ...kept });
  return true;
}

async function reflect(send: Send): Promise<void> {
  const reflected = await send.agent.reflect(send.state, send.signal);
  if (reflected === undefined) return;
  const { text, usage } = reflected;
  send.emit({ type: "reflexion", ...send.at, text, ...(usage === undefined ? {} : { usage }) });
  send.spent();
}
