/**
 * The next request of a send: what became of the results before it, what it has cost
 * so far, which notes it carries, which tools it offers, and room for it.
 */
import type { Message, TurnChange } from "@bridle/model";
import { withNotes } from "../prompt/system.js";
import { policyDigests } from "../session/policies.js";
import type { NoteRecord, RowOf } from "../session/rows.js";
import type { AgentTool, EndReason } from "../types.js";
import { sendBound } from "./bounds.js";
import type { LoopTools } from "./loop-tools.js";
import { queueRow, reduceNotes } from "./notes.js";
import { notesOf } from "./notes-of.js";
import type { Send } from "./send.js";
import { viewRow } from "./state-view.js";

/** Providers that refuse a conversation with tool calls in it when no tools are named; calls are refused all the same. */
const wantsTools = /^(?:anthropic|amazon-bedrock)\//;

interface At {
  readonly send: number;
  readonly round: number;
}

export class Requests {
  private offered: readonly AgentTool[] | undefined;
  private clock = { startedMs: 0, beforeMs: 0 };

  constructor(
    private readonly send: Send,
    private readonly tools: LoopTools,
  ) {}

  /** The send begins, or is gone on with, at this time of the machine's clock. */
  begin(startedMs: number): void {
    this.clock = { startedMs, beforeMs: this.send.state.elapsedMs };
  }

  /** `pending`: what the loop is about to be told itself. */
  async prepare(pending: readonly Message[], closing?: EndReason): Promise<TurnChange> {
    const { send } = this;
    const { state } = send;
    const at = { send: state.send, round: state.round + 1 };
    this.use("consumed", at);
    const elapsedMs = send.recorded?.elapsedMs(at) ?? (await this.elapsedMs());
    const othersUsd = this.othersUsd(at);
    const reason = closing ?? state.closing ?? this.bound(at, elapsedMs, othersUsd);
    const compacted = this.wantsRoom() && (await this.compact(at));
    const notes = reduceNotes(notesOf(send, { closing: reason, round: at.round }));
    this.prepared(viewRow(at, send));
    this.prepared(queueRow(at, notes, policyDigests.reminderQueue));
    send.emit({
      type: "request",
      ...at,
      elapsedMs,
      ...(othersUsd > 0 ? { othersUsd } : {}),
      ...(reason === undefined ? {} : { closing: reason }),
    });
    if (send.writing.isDue(elapsedMs)) await send.writing.begin(elapsedMs);
    const told = send.tell({ type: "round_start", round: at.round });
    if (told !== undefined) await told;
    const heard = this.status();
    if (heard !== undefined) await heard;
    const change = this.change(reason, notes);
    return compacted ? { ...change, messages: this.without(pending) } : change;
  }

  /** The request that was on its way, as it is written down. */
  again({ closing }: RowOf<"request">): TurnChange {
    return this.change(closing, this.send.state.notes);
  }

  /** What became of the results of a round; written once. */
  use(disposition: "consumed" | "discarded", at: At): void {
    const { results, used } = this.send.state;
    if (results.length === 0 || used) return;
    const uses = results.map(({ callId, digest }) => ({
      toolCallId: callId,
      disposition,
      resultDigest: digest,
    }));
    this.send.emit({ type: "tool_use", ...at, uses });
  }

  /** Where the log ended within these rows, those that are there and say the same count. */
  private prepared(row: RowOf<"state_view"> | RowOf<"reminder_queue">): void {
    if (!this.send.state.isPrepared(row)) this.send.emit(row);
  }

  private without(pending: readonly Message[]): readonly Message[] {
    const { messages } = this.send.agent.conversation;
    return pending.length === 0 ? messages : messages.slice(0, -pending.length);
  }

  private change(closing: EndReason | undefined, notes: readonly NoteRecord[]): TurnChange {
    const { agent, toolbox } = this.send;
    const offered = closing === undefined || wantsTools.test(agent.options.main.model) ? toolbox.offered : [];
    const tools = offered === this.offered ? undefined : offered.map((tool) => this.tools.of(tool));
    this.offered = offered;
    return {
      system: withNotes(
        agent.system,
        notes.map(({ text }) => text),
      ),
      ...(tools === undefined ? {} : { tools }),
    };
  }

  private async elapsedMs(): Promise<number> {
    const nowMs = await this.send.agent.options.ports.clock.monotonic();
    return Math.round(this.clock.beforeMs + nowMs - this.clock.startedMs);
  }

  /** It never becomes less, also where a resume knows nothing of the children of before. */
  private othersUsd(at: At): number {
    const { recorded, agent, state } = this.send;
    if (recorded !== undefined) return recorded.othersUsd(at);
    return Math.max(state.othersUsd, agent.purse.others(agent.id));
  }

  private bound(at: At, elapsedMs: number, othersUsd: number): EndReason | undefined {
    const { state, config, plan, recorded } = this.send;
    const torn = recorded?.torn(at);
    if (torn !== undefined) return torn.closing;
    const { costUsd } = state.usage;
    const spent = { rounds: state.round, elapsedMs, costUsd };
    return (
      sendBound({ ...spent, costUsd: costUsd + othersUsd }, config)?.reason ??
      (plan.overBounds(spent, state.round + 1) === undefined ? undefined : "contract_budget")
    );
  }

  private wantsRoom(): boolean {
    const { state, config } = this.send;
    const { tokens, max } = this.send.contextStatus();
    return state.compress !== undefined || tokens >= (max * config.compressAtPercent) / 100;
  }

  private async compact(at: At): Promise<boolean> {
    const { send } = this;
    const { messages, report } = await send.agent.compacted(send.state.compress ?? {});
    if (report.nothing !== undefined) return false;
    const { tokensBefore, tokensAfter, rounds, left } = report;
    send.emit({ type: "compacted", ...at, messages, tokensBefore, tokensAfter, rounds, left });
    await send.tell({ type: "context_compressed", tokensBefore, tokensAfter, rounds });
    return true;
  }

  private status(): void | Promise<void> {
    const { send } = this;
    const { round, costUsd, toolCalls } = send.state;
    const { tokens: contextTokens, max: contextMax } = send.contextStatus();
    const bounds = send.plan.current?.bounds ?? {};
    return send.tell({ type: "status", round, contextTokens, contextMax, costUsd, toolCalls, bounds });
  }
}
