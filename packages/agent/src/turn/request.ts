/**
 * The next request of a send: what became of the results before it, what it has cost
 * so far, which notes it carries, which tools it offers, and room for it.
 */
import type { Message, TurnChange } from "@bridle/model";
import { sha256Hex } from "@bridle/record";
import { readContext } from "../context/meter.js";
import type { ContextUse } from "../outside/outside.js";
import { withNotes } from "../prompt/system.js";
import { policyDigests } from "../session/policies.js";
import type { At, NoteRecord, RowOf } from "../session/rows.js";
import type { AgentTool, EndReason } from "../types.js";
import { sendBound } from "./bounds.js";
import type { EndingFacts } from "./ending.js";
import type { LoopTools } from "./loop-tools.js";
import { queueRow, reduceNotes } from "./notes.js";
import { notesOf } from "./notes-of.js";
import type { SendProjection } from "./projection.js";
import type { SendLog } from "./send-log.js";
import type { Session } from "./session.js";
import type { Writing } from "./writing.js";

/** Providers that refuse a conversation with tool calls in it when no tools are named; calls are refused all the same. */
const wantsTools = /^(?:anthropic|amazon-bedrock)\//;

export interface RequestsOptions {
  readonly session: Session;
  readonly projection: SendProjection;
  readonly log: SendLog;
  readonly writing: Writing;
  readonly tools: LoopTools;
  facts(): EndingFacts;
}

export class Requests {
  private offered: readonly AgentTool[] | undefined;

  constructor(private readonly options: RequestsOptions) {}

  /** `pending`: messages that the loop will add to the conversation itself. */
  async prepare(pending: readonly Message[], closing?: EndReason): Promise<TurnChange> {
    const { session, projection, log, writing } = this.options;
    const { state } = projection;
    const at = { send: state.send, round: state.round + 1 };
    this.use("consumed", at);
    const { outside } = session;
    const measures = await outside.measure({ othersUsd: state.othersUsd, ...at });
    const { elapsedMs, othersUsd } = measures;
    const bound = () =>
      measures.closing === undefined ? this.bound(elapsedMs, othersUsd) : measures.closing.reason;
    const reason = closing ?? state.closing ?? bound();
    const before = this.contextUse(at);
    const compacted = (state.compress !== undefined || before.isFull) && (await this.compact(at));
    const { percent } = compacted ? this.contextUse(at) : before;
    const notes = reduceNotes(this.notes(at, reason, percent));
    this.prepared(viewRow(at, projection));
    this.prepared(queueRow(at, notes, policyDigests.reminderQueue));
    log.emit({
      type: "request",
      ...at,
      elapsedMs,
      ...(othersUsd > 0 ? { othersUsd } : {}),
      ...(reason === undefined ? {} : { closing: reason }),
    });
    if (writing.isDue(elapsedMs)) await writing.begin(elapsedMs);
    const told = log.tell({ type: "round_start", round: at.round });
    if (told !== undefined) await told;
    const heard = this.tellStatus();
    if (heard !== undefined) await heard;
    const change = this.change(reason, notes);
    return compacted ? { ...change, messages: this.without(pending) } : change;
  }

  /** The request that was on its way when the log ended, as it is written down. */
  again({ closing }: RowOf<"request">): TurnChange {
    return this.change(closing, this.options.projection.state.notes);
  }

  /** What became of the results of a round; written once. */
  use(disposition: "consumed" | "discarded", at: At): void {
    const { projection, log } = this.options;
    const { results, used } = projection.state;
    if (results.length === 0 || used) return;
    const uses = results.map(({ callId, digest }) => ({
      toolCallId: callId,
      disposition,
      resultDigest: digest,
    }));
    log.emit({ type: "tool_use", ...at, uses });
  }

  private notes(at: At, closing: EndReason | undefined, contextPercent: number) {
    const { session, projection, facts } = this.options;
    return notesOf(facts(), {
      closing,
      round: at.round,
      contextPercent,
      config: session.options.config,
      planText: projection.plan.text(),
      recall: () => session.outside.recall(at),
    });
  }

  /** Written once: a resume finds the rows that an earlier process had prepared for the same request. */
  private prepared(row: RowOf<"state_view"> | RowOf<"reminder_queue">): void {
    const { projection, log } = this.options;
    if (!projection.state.isPrepared(row)) log.emit(row);
  }

  private without(pending: readonly Message[]): readonly Message[] {
    const { messages } = this.options.session.conversation;
    return pending.length === 0 ? messages : messages.slice(0, -pending.length);
  }

  private change(closing: EndReason | undefined, notes: readonly NoteRecord[]): TurnChange {
    const { session, tools: loopTools } = this.options;
    const { toolbox, options, system } = session;
    const offered = closing === undefined || wantsTools.test(options.main.model) ? toolbox.offered : [];
    const tools = offered === this.offered ? undefined : offered.map((tool) => loopTools.of(tool));
    this.offered = offered;
    const texts = notes.map(({ text }) => text);
    return { system: withNotes(system, texts), ...(tools === undefined ? {} : { tools }) };
  }

  private bound(elapsedMs: number, othersUsd: number): EndReason | undefined {
    const { session, projection } = this.options;
    const { state, plan, progress } = projection;
    const { costUsd } = state.usage;
    const spent = { rounds: state.round, elapsedMs, costUsd };
    return (
      sendBound({ rounds: state.round, elapsedMs, costUsd: costUsd + othersUsd }, session.options.config)
        ?.reason ??
      (plan.overBounds(spent, state.round + 1) === undefined ? undefined : "contract_budget") ??
      (progress.stuck === undefined ? undefined : "no_progress")
    );
  }

  private contextUse(at: At): ContextUse {
    const { session } = this.options;
    const { tokens, max, percent } = readContext(session.contextStatus());
    const isFull = tokens >= (max * session.options.config.compressAtPercent) / 100;
    return session.outside.context(at, { percent, isFull });
  }

  private async compact(at: At): Promise<boolean> {
    const { session, projection, log } = this.options;
    const { messages, report } = await session.compacted(projection.state.compress ?? {});
    if (report.nothing !== undefined) return false;
    const { tokensBefore, tokensAfter, rounds, left } = report;
    log.emit({ type: "compacted", ...at, messages, tokensBefore, tokensAfter, rounds, left });
    await log.tell({ type: "context_compressed", tokensBefore, tokensAfter, rounds });
    return true;
  }

  private tellStatus(): void | Promise<void> {
    const { session, projection, log } = this.options;
    const { round, costUsd, toolCalls } = projection.state;
    const { tokens: contextTokens, max: contextMax } = session.contextStatus();
    const bounds = projection.plan.current?.bounds ?? {};
    return log.tell({ type: "status", round, contextTokens, contextMax, costUsd, toolCalls, bounds });
  }
}

/** What the harness holds true of the send at the moment of a request, as a digest over declared facts. */
function viewRow(at: At, { state, plan }: Pick<SendProjection, "state" | "plan">): RowOf<"state_view"> {
  const view = {
    changed: state.changed.size,
    costUsd: state.usage.costUsd,
    plan: plan.digest,
    resumes: state.resumes,
    round: at.round,
    toolCalls: state.toolCalls,
  };
  return {
    type: "state_view",
    ...at,
    viewId: `v-${at.send}-${at.round}`,
    // Members are in their order, so this is their canonical JSON.
    viewDigest: `sha256:${sha256Hex(JSON.stringify(view))}`,
    policyDigest: policyDigests.stateView,
    sourceRefs: [`send:${at.send}`],
  };
}
