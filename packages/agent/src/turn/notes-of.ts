/** What the state of a send has to say to the model before its next request. */
import { failureHint } from "../lesson/failure-hint.js";
import { closingNote, recallNote } from "../session/policies.js";
import type { EndReason } from "../types.js";
import { because } from "./ending.js";
import type { Note } from "./notes.js";
import type { Send } from "./send.js";

export function notesOf(
  send: Send,
  next: { readonly round: number; readonly closing: EndReason | undefined },
): Note[] {
  const { state, config, agent } = send;
  const notes: Note[] = [];
  const note = (kind: Note["kind"], id: string, text: string) => notes.push({ kind, id, text });
  if (next.closing !== undefined) note("closing", closingNote(next.closing), closingText(next.closing, send));
  if (next.round === 2 && config.ruleRecall) {
    const { send: number } = state;
    const recalled = agent.recorded?.recall({ send: number, round: next.round });
    note("recall", recallNote, recalled ?? agent.recall);
  }
  const plan = send.plan.text();
  if (plan !== undefined) note("plan", "plan", plan);
  for (const { rule, what, remedy, earlier } of state.told)
    note(
      "violation",
      `${rule}-${what}`,
      `[${rule}] ${earlier ? "In the turn before: " : ""}${what} ${remedy}`,
    );
  if (config.writeIntegrityNudge && state.integrityNudge !== undefined)
    note("integrity", "write-integrity", integrityText(state.integrityNudge));
  if (state.reflexion !== undefined) note("failures", "reflexion", state.reflexion);
  if (state.failuresByTool.size > 0)
    for (const { tool } of state.results) {
      const hint = failureHint(tool, state.failuresByTool.get(tool) ?? 0);
      if (hint !== undefined) note("failures", `hint-${tool}`, hint);
    }
  const context = contextText(send);
  if (context !== undefined) note("context", "context", context);
  return notes;
}

function closingText(reason: EndReason, send: Send): string {
  const why = because(send, { reason });
  return `[CLOSING] ${why} No tool is offered any more. Answer the user now: what was done, what was found, what is left and what is not known. Do not claim what no tool result shows.`;
}

function integrityText(path: string): string {
  return `[WRITE INTEGRITY] The last write of ${path} was complete as a call, and its content looks cut off (likely_truncated=true). Look at its end; append the rest if something is missing.`;
}

const highPercent = 60;

function contextText(send: Send): string | undefined {
  const { tokens, max } = send.contextStatus();
  const percent = Math.floor((tokens * 100) / max);
  if (percent < highPercent) return undefined;
  return `[CONTEXT] ${percent} % of the context is used. Finish what is open, or call compress_context with what must not be lost.`;
}
