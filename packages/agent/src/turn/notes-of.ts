/** What the state of a send has to say to the model before its next request. */
import { failureHint } from "../lesson/failure-hint.js";
import type { AgentConfig } from "../config/table.js";
import { closingNote, contextNote, recallNote } from "../session/policies.js";
import type { EndReason } from "../types.js";
import { because, type EndingFacts } from "./ending.js";
import type { Note } from "./notes.js";

/** The request that the notes are for. */
export interface NextRequest {
  readonly round: number;
  readonly closing: EndReason | undefined;
  readonly config: Pick<AgentConfig, "ruleRecall" | "writeIntegrityNudge">;
  /** The plan with its marks, as the model reads it. */
  readonly planText: string | undefined;
  /** How much of the context is used. */
  readonly contextPercent: number;
  /** The rules, in the order of how often they were broken. */
  recall(): string;
}

export function notesOf(facts: EndingFacts, next: NextRequest): Note[] {
  const { state } = facts;
  const { config, planText: plan } = next;
  const notes: Note[] = [];
  const note = (kind: Note["kind"], id: string, text: string) => notes.push({ kind, id, text });
  if (next.closing !== undefined)
    note("closing", closingNote(next.closing), closingText(next.closing, facts));
  if (next.round === 2 && config.ruleRecall) note("recall", recallNote, next.recall());
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
  const context = contextText(next.contextPercent);
  if (context !== undefined) note("context", contextNote, context);
  return notes;
}

function closingText(reason: EndReason, facts: EndingFacts): string {
  const why = because(facts, { reason });
  return `[CLOSING] ${why} No tool is offered any more. Answer the user now: what was done, what was found, what is left and what is not known. Do not claim what no tool result shows.`;
}

function integrityText(path: string): string {
  return `[WRITE INTEGRITY] The last write of ${path} was complete as a call, and its content looks cut off (likely_truncated=true). Look at its end; append the rest if something is missing.`;
}

const highPercent = 60;

function contextText(percent: number): string | undefined {
  if (percent < highPercent) return undefined;
  return `[CONTEXT] ${percent} % of the context is used. Finish what is open, or call compress_context with what must not be lost.`;
}
