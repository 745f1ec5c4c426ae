/**
 * How a send ends: every call has a result, there is an answer, if only the harness's
 * own, and a row that says so.
 */
import { type JsonObject, type Refusal, sha256Hex } from "@bridle/record";
import type { RowOf } from "../session/rows.js";
import type { EndReason, SendResult } from "../types.js";
import { sendBound } from "./bounds.js";
import { harnessAnswer } from "./harness-answer.js";
import type { Send } from "./send.js";

export interface Ending {
  readonly reason: EndReason;
  readonly refusal?: Refusal;
}

/** Why a call is in doubt. */
export const doubts = {
  broke: "the harness failed while this call may have run",
  stopped: "the turn was stopped while this call may have run",
  killed: "the harness was stopped while this call may have run; look at what it did before you repeat it",
};

/** Calls that the end of the turn left without a result. */
export function answerInterrupted(send: Send, why: string): void {
  for (const call of send.agent.conversation.unanswered().calls) doubt(send, call, why);
}

/** The effect of a call that had begun is in doubt and is never repeated silently. */
export function doubt(
  send: Send,
  { id, name }: { readonly id: string; readonly name: string },
  why: string,
): void {
  const begun = send.agent.begun(id);
  const text = begun
    ? `ERROR [in_doubt] ${why}.`
    : "ERROR [stopped] The turn was stopped before this call began. Nothing was done.";
  const digest = `sha256:${sha256Hex(text)}`;
  const code = begun ? "in_doubt" : "stopped";
  const result = { callId: id, tool: name, ok: false, text, digest, ran: begun, code };
  const row: RowOf<"tool_result"> = { type: "tool_result", ...send.at, ...result };
  send.emit(row);
  send.rendered(row);
}

export async function finish(send: Send, { reason, refusal }: Ending): Promise<SendResult> {
  const { state, agent } = send;
  send.requests.use("discarded", send.at);
  const said = reason === "error" || reason === "cancelled" ? "" : state.answer.trim();
  const text = said === "" ? account(send, { reason, ...(refusal && { refusal }) }) : state.answer;
  send.emit({
    type: "end",
    ...send.at,
    reason,
    text,
    toolCalls: state.toolCalls,
    ...(refusal === undefined ? {} : { refusal: refusal as unknown as JsonObject }),
  });
  await send.flush("synced");
  await agent.counted(state);
  const { round: rounds, toolCalls, usage } = state;
  const costUsd = usage.costUsd + childrenUsd(send);
  const why = refusal === undefined ? {} : { refusal };
  const result: SendResult = { reason, text, rounds, toolCalls, usage, costUsd, ...why };
  await send.tell({ type: "turn_end", send: state.send, result });
  return result;
}

/** A bug, or a disk that failed: the conversation is left in order; who calls this throws. */
export async function breakDown(send: Send, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  try {
    send.emit({ type: "stop", ...send.at, why: "broken", message });
    answerInterrupted(send, doubts.broke);
    await finish(send, { reason: "error", refusal: { refused: "internal_error", message } });
  } catch {
    // What it could not write down it says by throwing.
  }
}

/** Why a send ends, for the model and for the user. */
export function because(send: Send, { reason, refusal }: Ending): string {
  switch (reason) {
    case "ok":
      return "The model ended the turn without an answer.";
    case "cancelled":
      return "The turn was stopped.";
    case "error":
      return `The model could not answer: ${refusal?.message ?? "no reason was given"}.`;
    case "contract_budget":
      return `The turn ended at a bound of its plan: ${send.overBounds()?.message ?? "it was reached"}.`;
    default: {
      const { round: rounds, elapsedMs, costUsd } = send.state;
      return `The turn ended: ${sendBound({ rounds, elapsedMs, costUsd }, send.config)?.message ?? reason}.`;
    }
  }
}

function account(send: Send, ending: Ending): string {
  const { state, plan } = send;
  return harnessAnswer({
    reason: ending.reason,
    because: because(send, ending),
    plan: plan.current,
    changed: [...state.changed],
    toolCalls: state.toolCalls,
    lastError: state.lastError,
  });
}

function childrenUsd({ recorded, agent, state }: Send): number {
  return recorded === undefined ? agent.purse.below(agent.id) : agent.depth === 0 ? state.othersUsd : 0;
}
