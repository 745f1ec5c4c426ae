/** Why a send ends, in words, and what the harness says of it where the model said nothing. */
import { type Refusal, sha256Hex } from "@bridle/record";
import type { AgentConfig } from "../config/table.js";
import type { At, RowOf } from "../session/rows.js";
import type { EndReason, Plan } from "../types.js";
import { sendBound } from "./bounds.js";
import type { SendState } from "./state.js";

export interface Ending {
  readonly reason: EndReason;
  readonly refusal?: Refusal;
}

/** What is known of a send that ends. */
export interface EndingFacts {
  readonly state: SendState;
  readonly config: Pick<AgentConfig, "roundsMax" | "sendTimeoutMs" | "costMaxUsd">;
  readonly plan: Plan | undefined;
  /** The bound of its plan that it has reached, in words. */
  overBounds(): { readonly message: string } | undefined;
  /** Why it gets nowhere, in words. */
  readonly stuck: string | undefined;
}

/** Why it is not known what a call did. */
export const doubts = {
  broke: "the harness failed while this call may have run",
  stopped: "the turn was stopped while this call may have run",
  killed: "the harness was stopped while this call may have run; look at what it did before you repeat it",
};

/** The result of a call that has none: the effect of one that had begun is in doubt and is never repeated silently. */
export function doubtRow(
  at: At,
  call: { readonly id: string; readonly name: string },
  { begun, why }: { readonly begun: boolean; readonly why: string },
): RowOf<"tool_result"> {
  const text = begun
    ? `ERROR [in_doubt] ${why}.`
    : "ERROR [stopped] The turn was stopped before this call began. Nothing was done.";
  const digest = `sha256:${sha256Hex(text)}`;
  const code = begun ? "in_doubt" : "stopped";
  const { id: callId, name: tool } = call;
  return { type: "tool_result", ...at, callId, tool, ok: false, text, digest, ran: begun, code };
}

/** What the user is told: the model's answer, or the harness's own account of what was done. */
export function finalText(facts: EndingFacts, ending: Ending): string {
  const { state } = facts;
  const { reason } = ending;
  const said = reason === "error" || reason === "cancelled" ? "" : state.answer.trim();
  return said === "" ? account(because(facts, ending), facts) : state.answer;
}

/** Why a send ends, for the model and for the user. */
export function because(
  { state, config, overBounds, stuck }: EndingFacts,
  { reason, refusal }: Ending,
): string {
  switch (reason) {
    case "ok":
    case "incomplete":
      return "The model ended the turn without an answer.";
    case "cancelled":
      return "The turn was stopped.";
    case "error":
      return `The model could not answer: ${refusal?.message ?? "no reason was given"}.`;
    case "no_progress":
      return `The turn went round in circles: ${stuck ?? "nothing new came of it"}.`;
    case "contract_budget":
      return `The turn ended at a bound of its plan: ${overBounds()?.message ?? "it was reached"}.`;
    case "timeout":
      return `The turn ended: the turn has used its ${config.sendTimeoutMs / 1000} s.`;
    default: {
      const { round: rounds, elapsedMs, costUsd } = state;
      return `The turn ended: ${sendBound({ rounds, elapsedMs, costUsd }, config)?.message ?? reason}.`;
    }
  }
}

const changedShown = 12;

/** Why the turn ended, what was done, what is left. */
function account(because: string, { state, plan }: EndingFacts): string {
  const { toolCalls, lastError } = state;
  const changed = [...state.changed];
  const lines = [because];
  const done = plan?.steps.filter(({ status }) => status === "done") ?? [];
  const left = plan?.steps.filter(({ status }) => status !== "done") ?? [];
  if (done.length > 0) lines.push(`Done: ${done.map(({ title }) => title).join("; ")}.`);
  if (left.length > 0) lines.push(`Left: ${left.map(({ title }) => title).join("; ")}.`);
  if (changed.length > 0) {
    const more = changed.length - changedShown;
    lines.push(
      `Changed: ${changed.slice(0, changedShown).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    );
  }
  if (plan === undefined && changed.length === 0) {
    lines.push(
      toolCalls === 0 ? "Nothing was done." : `${toolCalls} tool calls were made; nothing was changed.`,
    );
  }
  if (lastError !== undefined) lines.push(`The last error: ${lastError}`);
  return lines.join("\n");
}
