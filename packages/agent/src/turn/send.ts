/**
 * One send: rounds on the loop of the model room until there is an answer.
 *
 * The loop is pi's; what it offers as hooks is used, and what it does not do is
 * here: the notes of each request, bounds that end in an answer, continuations of
 * what was cut off, answers that are sent back. See docs/decisions/012.
 *
 * What a newcomer gets wrong: `emit` is the only way to change what a send knows.
 * It writes a row and reduces it; a resume reduces the rows that are there and
 * goes on, so the two cannot differ.
 */
import {
  type LoopEvent,
  type LoopResult,
  type Message,
  type ModelCall,
  type ModelEvent,
  noUsage,
  runLoop,
  type Tool,
  type TurnChange,
  type Usage,
} from "@bridle/model";
import { type Durability, type JsonObject, type Refusal, sha256Hex } from "@bridle/record";
import type { ApprovalDesk } from "../dispatch/approval.js";
import type { Desk } from "../dispatch/desk.js";
import { Dispatch } from "../dispatch/dispatch.js";
import { Repeats } from "../dispatch/repeats.js";
import type { Call } from "../dispatch/types.js";
import { PlanState } from "../plan/state.js";
import type { CompactReport } from "../context/compact.js";
import { withNotes } from "../prompt/system.js";
import type { Finding } from "../rules/types.js";
import { type RuleFinding, RuleWatch } from "../rules/watch.js";
import { policies, policyDigests } from "../session/policies.js";
import type { NoteRecord, RowOf, SessionRow, StopPoint } from "../session/rows.js";
import type { AgentEvent, AgentTool, EndReason, SendResult } from "../types.js";
import type { Agent } from "./agent.js";
import { sendBound } from "./bounds.js";
import { uniqueCallIds } from "./call-ids.js";
import { continueCall, continuesText, continueText, tailOf } from "./cut-off.js";
import { harnessAnswer } from "./harness-answer.js";
import { queueRow, reduceNotes } from "./notes.js";
import { notesOf } from "./notes-of.js";
import { type CutCall, SendState, textIn } from "./state.js";
import { viewRow } from "./state-view.js";
import { Stops } from "./stops.js";
import { Streams } from "./streams.js";

/** How long the answer may take that ends a turn which ran out of time. */
const closingMsMax = 60_000;
/** Rules that a stage of dispatch enforces with the same logic as their detector. */
const enforcedByStages = ["R-DEDUP-TOOLS", "R-ONE-SHOT-RETRY", "R-CONTRACT-BOUNDS", "R-COMMITMENT-CHECK"];
/** Rounds that a model has to answer in once it gets no more tools. */
const closingsMax = 2;
/** Providers that refuse a conversation with tool calls in it when no tools are named; calls are refused all the same. */
const wantsTools = /^(?:anthropic|amazon-bedrock)\//;
/** A round with a real model takes longer than this, so each of them is written. */
const writeEveryMs = 5;
const emptyRender = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export class Send implements Desk {
  readonly state = new SendState();
  readonly repeats: Repeats;
  readonly rules: RuleWatch;
  readonly streams: Streams;
  readonly plan: PlanState;
  readonly approvals: ApprovalDesk;
  private readonly dispatch: Dispatch;
  private readonly stops: Stops;
  private readonly tools = new Map<AgentTool, Tool>();
  private pending: Message[] = [];
  private usage: Usage = noUsage;
  private offered: readonly AgentTool[] | undefined;
  private over = false;
  /** Ended by a stop between two requests. */
  private cutShort = false;
  private writing: Promise<void> = Promise.resolve();
  private writtenMs = -writeEveryMs;
  private clock = { startedMs: 0, beforeMs: 0 };
  /** Found in rows of before, and not yet written down when the log ended. */
  private due: RuleFinding[] = [];

  constructor(
    readonly agent: Agent,
    ask: string,
    outside: AbortSignal,
  ) {
    const { declaredPaths, world, approver, ports } = agent.options;
    const { recorded } = agent;
    this.stops = new Stops(this, outside);
    const declared = declaredPaths === undefined ? {} : { declaredPaths };
    this.rules = RuleWatch.begin(
      { text: ask, osUser: world.osUser, ...declared },
      { except: enforcedByStages },
    );
    this.state.told = agent.untold.map((told) => ({ ...told, earlier: true }));
    this.repeats = new Repeats();
    // What arrives in a replay is kept nowhere.
    this.streams = new Streams(recorded === undefined ? agent.toolbox.all : new Map());
    this.plan = new PlanState(ask, agent.options.commitments);
    this.dispatch = new Dispatch(this);
    this.approvals = {
      config: agent.options.config,
      approver,
      ...(recorded === undefined ? {} : { decided: (callId: string) => recorded.approval(callId) }),
      signal: this.signal,
      sleep: (ms, signal) => ports.clock.sleep(ms, signal),
      asked: ({ callId, tool, args, intent, timeoutMs }) =>
        this.tell({ type: "tool_approval", callId, name: tool, says: intent.says, args, timeoutMs }),
    };
  }

  // --- The desk ------------------------------------------------------------------------------------

  get config() {
    return this.agent.options.config;
  }
  get toolbox() {
    return this.agent.toolbox;
  }
  get locks() {
    return this.agent.locks;
  }
  get artifacts() {
    return this.agent.artifacts;
  }
  get signal(): AbortSignal {
    return this.stops.signal;
  }
  get at() {
    return { send: this.state.send, round: this.state.round };
  }
  get recorded() {
    return this.agent.recorded;
  }
  get secrets() {
    return this.agent.options.secrets;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.agent.options.ports.clock.sleep(ms, signal);
  }

  stopsAt(point: StopPoint, callId: string): boolean {
    return this.stops.at(point, callId) !== undefined;
  }

  continues(): boolean {
    return this.state.resumes < this.config.lengthResumeMax;
  }

  overBounds() {
    return this.plan.overBounds({ elapsedMs: this.state.elapsedMs, costUsd: this.state.usage.costUsd });
  }

  brokenCommitment({ tool, args, intent }: Call): string | undefined {
    return this.plan.broken({ tool: tool.name, args, intent });
  }

  found(rule: string, { what, remedy }: Finding, told: RowOf<"violation">["told"]): void {
    const prevented = told !== "note";
    this.emit({ type: "violation", ...this.at, rule, what, remedy, prevented, told });
    void this.tell({ type: "rule_violation", rule, what, prevented });
  }

  rendered({ callId, digest }: RowOf<"tool_result">): void {
    this.emit({
      type: "tool_render",
      ...this.at,
      toolCallId: callId,
      operatorPayloadDigest: digest,
      reminderRenderDigest: emptyRender,
      injectionPoint: policies.toolRender.injectionPoint,
      policyDigest: policyDigests.toolRender,
    });
  }

  emit(row: SessionRow): void {
    this.agent.journal.add(row);
    this.agent.conversation.apply(row);
    if (row.type === "tool_call") this.agent.noteBegun(row.callId);
    for (const { rule, finding } of this.apply(row)) this.found(rule.id, finding, "note");
    if (row.type === "tool_result" && row.tool === "plan" && row.ok && this.plan.current !== undefined)
      void this.tell({ type: "plan", plan: this.plan.current });
  }

  /** What the row changes; findings are for a live send, a resume has their rows. */
  apply(row: SessionRow): ReturnType<RuleWatch["proposed"]> {
    this.state.apply(row);
    switch (row.type) {
      case "request":
        this.plan.round(row);
        return [];
      case "assistant": {
        const text = textIn(row.message);
        const calls = row.message.content.some(({ kind }) => kind === "tool_call");
        return calls && text !== "" ? this.rules.said(text) : [];
      }
      case "tool_result":
        return this.reduceResult(row);
      case "compacted":
        this.repeats.compacted(row.left);
        return [];
      case "stop":
        this.stops.apply(row);
        return [];
      case "end":
        this.agent.untold = this.state.told;
        return [];
      default:
        return [];
    }
  }

  /** As `apply`, for rows of before: what the guard asked is asked again, and its findings have rows already. */
  again(row: SessionRow): void {
    if (row.type === "approval" && row.proposed !== undefined) {
      const call = this.agent.conversation.callNamed(row.callId);
      if (call !== undefined) this.rules.proposed({ round: row.round, tool: call, args: row.proposed });
    }
    if (row.type === "tool_result" && row.args !== undefined && row.code !== "cut_off")
      this.rules.proposed({ round: row.round, tool: row.tool, args: row.args });
    if (row.type === "violation")
      this.due = this.due.filter(({ rule, finding }) => rule.id !== row.rule || finding.what !== row.what);
    this.due.push(...this.apply(row));
  }

  private reduceResult(row: RowOf<"tool_result">): ReturnType<RuleWatch["ran"]> {
    const { tool: name, args, ok, text, ran, round, callId } = row;
    if (args === undefined) return [];
    const tool = this.toolbox.all.get(name);
    // Of a file that was shown in part, its own size counts.
    const bytes = row.facts?.["bytes"] ?? row.facts?.["chars"];
    const outcome = {
      ok,
      output: text,
      ...(typeof bytes === "number" ? { bytes } : {}),
      ...(ran ? {} : { ran: false as const }),
    };
    const call = { round, tool: name, args };
    if (tool !== undefined && row.code !== "cut_off") {
      this.toolbox.activate(tool.family);
      if (ok && name === "activate_tool_family") this.toolbox.activate(String(args["family"]));
      this.repeats.record({ id: callId, ...call, intent: tool.intent(args) }, outcome);
      this.plan.result(row, this.state.usage.costUsd);
    }
    return this.rules.ran(call, outcome);
  }

  async flush(durability?: Durability): Promise<void> {
    await this.writing;
    await this.agent.journal.flush(durability);
  }

  /**
   * Writes while the model thinks: a kill may take a round with it that changed nothing. Rounds
   * that follow each other faster than a disk are written together.
   */
  private async writeOn(elapsedMs: number): Promise<void> {
    if (elapsedMs - this.writtenMs < writeEveryMs) return;
    this.writtenMs = elapsedMs;
    await this.writing;
    this.writing = this.agent.journal.flush();
    // Whoever waits for it next is told.
    this.writing.catch(() => {});
  }

  /** For what came from outside and cannot be had again. */
  writeNow(): void {
    this.writing = Promise.all([this.writing, this.agent.journal.flush()]).then(() => {});
    this.writing.catch(() => {});
  }

  tell(event: AgentEvent): void | Promise<void> {
    return this.agent.options.onEvent?.(event);
  }

  // --- For tools -----------------------------------------------------------------------------------

  contextStatus(): { readonly tokens: number; readonly max: number } {
    return { tokens: this.agent.conversation.tokens + this.agent.systemTokens, max: this.agent.contextMax };
  }

  /** It takes effect before the next request, when every call of this round has its result. */
  async askToCompress(summary: string): Promise<CompactReport> {
    return (await this.agent.compacted({ summary })).report;
  }

  // --- The course of a send ------------------------------------------------------------------------

  async run(): Promise<SendResult> {
    const { ports } = this.agent.options;
    if (this.agent.depth === 0) this.agent.purse.empty();
    this.agent.purse.set(this.agent.id, this.state.usage.costUsd);
    this.clock = { startedMs: await ports.clock.monotonic(), beforeMs: this.state.elapsedMs };
    const { sendTimeoutMs } = this.config;
    this.stops.begin(sendTimeoutMs > 0 ? Math.max(0, sendTimeoutMs - this.clock.beforeMs) : undefined);
    const { send, ask: text } = this.state;
    await this.tell({ type: "send_start", send, text, depth: this.agent.depth });
    try {
      const ending = await this.rounds();
      // What they still say comes before the end of the turn, which is the last thing that is told.
      await this.agent.settleChildren();
      return await this.finish(ending);
    } catch (error) {
      await this.broken(error);
      throw error;
    } finally {
      this.over = true;
      this.stops.end();
      await this.streams.dropAll();
      await this.agent.settleChildren();
    }
  }

  stop(): void {
    this.stops.stop();
  }

  private async rounds(): Promise<Ending> {
    if (this.stops.before !== undefined) return this.stopAgain();
    const first = await this.first();
    const result = first === undefined ? undefined : await this.loop(first);
    this.answerInterrupted(stoppedHere);
    if (result?.ending !== "failed" && !this.cutShort) return { reason: this.state.closing ?? "ok" };
    const why = this.stops.at("over");
    if (why === "timeout") return this.closeLate();
    if (why !== undefined) return { reason: "cancelled" };
    return { reason: "error", ...(result?.refusal === undefined ? {} : { refusal: result.refusal }) };
  }

  /** The log ended behind the row of a stop: what was left to do then is done now. */
  private async stopAgain(): Promise<Ending> {
    const { before, brokenBy } = this.stops;
    if (this.state.unrendered !== undefined) this.rendered(this.state.unrendered);
    this.answerInterrupted(before === "broken" ? brokeHere : stoppedHere);
    if (before === "broken")
      return { reason: "error", refusal: { refused: "internal_error", message: brokenBy } };
    const answered = this.agent.conversation.messages.at(-1)?.role === "assistant";
    if (answered && this.state.open === undefined) await this.afterAnswer();
    if (this.over) return { reason: this.state.closing ?? "ok" };
    return before === "user" ? { reason: "cancelled" } : this.closeLate();
  }

  private async first(): Promise<TurnChange | undefined> {
    return this.state.open === undefined ? this.takeUp() : this.askAgain(this.state.open);
  }

  /** From where the rows end to the next request; undefined when there is none. A new send has only begun. */
  private async takeUp(): Promise<TurnChange | undefined> {
    for (const { rule, finding } of this.due.splice(0)) this.found(rule.id, finding, "note");
    if (this.state.unrendered !== undefined) this.rendered(this.state.unrendered);
    await this.answerLeft();
    const last = this.agent.conversation.messages.at(-1);
    return last?.role === "user" ? this.nextRequest() : this.next();
  }

  /** Calls without a result: one that may have begun is in doubt, the others are carried out now. */
  private async answerLeft(): Promise<void> {
    const { stop = "none", calls } = this.agent.conversation.unanswered();
    for (const { id, name, argumentsText } of calls) {
      if (this.agent.begun(id)) this.doubt({ id, name }, wasStopped);
      else {
        this.streams.again({ id, name, argumentsText });
        const last = id === calls.at(-1)?.id;
        await this.dispatch.answer({ id, name, argumentsText, stop, last, round: this.state.round });
      }
    }
  }

  /** The request that was on its way, as it is written down. */
  private askAgain({ closing }: RowOf<"request">): TurnChange {
    return this.change(closing, this.state.notes);
  }

  /** Out of time in the middle of something: one more answer, without tools. */
  private async closeLate(): Promise<Ending> {
    const over = this.stops.close(closingMsMax);
    this.over = false;
    try {
      const change = await (this.state.late ? this.first() : this.prepare("timeout"));
      if (change !== undefined) await this.loop(change);
      this.answerInterrupted(stoppedHere);
      return { reason: this.stops.at("closed") === "user" ? "cancelled" : "timeout" };
    } finally {
      over();
    }
  }

  /** A tape keeps it by its place in the session. */
  private readonly ask: ModelCall = (request, options) => {
    const { main } = this.agent.options;
    return main.call({ ...request, place: this.agent.conversation.requests }, options);
  };

  private async loop(change: TurnChange): Promise<LoopResult> {
    const { main, secrets } = this.agent.options;
    // The conversation has them already.
    this.pending = [];
    const messages = this.agent.conversation.messages;
    const { completionTokensMax } = this.config;
    return runLoop({
      call: uniqueCallIds(this.ask, (id) => this.agent.conversation.hasCall(id)),
      model: main.model,
      prompts: [messages.at(-1) as Message],
      history: messages.slice(0, -1),
      system: change.system ?? "",
      tools: change.tools ?? [],
      session: this.agent.id,
      ...(completionTokensMax > 0 ? { maxOutputTokens: completionTokensMax } : {}),
      ...(main.thinking === undefined ? {} : { thinking: main.thinking }),
      ...(secrets === undefined ? {} : { secrets }),
      signal: this.stops.speaking,
      turnsMax: Number.MAX_SAFE_INTEGER,
      unknownTool: (name) => this.toolNamed(name),
      hooks: {
        steer: async () => this.pending.splice(0),
        prepareNextTurn: () => this.next(),
        shouldStopAfterTurn: async () => this.over,
      },
      onEvent: (event) => this.heard(event),
    });
  }

  // --- Between two requests ------------------------------------------------------------------------

  private async next(): Promise<TurnChange | undefined> {
    const stopped = this.stops.at("answered") !== undefined;
    if (stopped) this.answerInterrupted(stoppedHere);
    if (!stopped || this.state.results.length === 0) await this.afterAnswer();
    return this.nextRequest();
  }

  /** Undefined when there is none. */
  private async nextRequest(): Promise<TurnChange | undefined> {
    if (this.stops.at("judged") === undefined) {
      this.steered();
      if (!this.over) return this.prepare();
    }
    this.cutShort = !this.over;
    this.over = true;
    return undefined;
  }

  /** What an answer leads to: more rounds, or the end. */
  private async afterAnswer(): Promise<void> {
    const { state } = this;
    const { cut } = state;
    if (state.closing !== undefined) this.over = state.results.length === 0 || state.closings >= closingsMax;
    else if (cut !== undefined) await this.goOn(continueCall(cut.tool, cut.kept), cut);
    else if (state.results.length === 0) await this.judgeAnswer();
    else if (state.reflexion === undefined && state.results.every(({ ok }) => !ok)) await this.reflect();
  }

  private async judgeAnswer(): Promise<void> {
    const { state } = this;
    const { lastText, lastStop = "stop" } = state;
    if (continuesText(lastStop, lastText) && (await this.goOn(continueText(tailOf(lastText))))) return;
    if (lastText.trim() === "" && state.answer.trim() === "" && (await this.goOn(saidNothing))) return;
    const findings = this.rules.answered(state.answer);
    const blocking = findings.filter(({ rule }) => rule.kind === "block");
    const sendBack = blocking.length > 0 && !state.revised;
    for (const { rule, finding } of findings)
      this.found(rule.id, finding, sendBack && rule.kind === "block" ? "message" : "note");
    if (!sendBack) {
      this.over = true;
      return;
    }
    const points = blocking.map(({ rule, finding }) => `- ${rule.id}: ${finding.what} ${finding.remedy}`);
    this.say(
      "revise",
      `[REVISE] The harness did not deliver this answer:\n${points.join("\n")}\nDo that, then answer again.`,
    );
  }

  /** False when there are no continuations left. */
  private async goOn(text: string, cut?: CutCall): Promise<boolean> {
    const of = this.config.lengthResumeMax;
    if (!this.continues()) return false;
    this.say("continue", text);
    const kept = cut?.kept === undefined ? {} : { cut: cut.kept };
    await this.tell({ type: "length_resume", resume: this.state.resumes, of, ...kept });
    return true;
  }

  private say(origin: RowOf<"user">["origin"], text: string): void {
    this.emit({ type: "user", ...this.at, origin, text });
    this.pending.push({ role: "user", content: [{ kind: "text", text }] });
  }

  private steered(): void {
    for (const text of this.recorded?.steering() ?? this.agent.takeSteering()) {
      this.over = false;
      this.say("steer", text);
    }
  }

  private async reflect(): Promise<void> {
    const text = await this.agent.reflect(this.state, this.signal);
    if (text !== undefined) this.emit({ type: "reflexion", ...this.at, text });
  }

  // --- The next request ----------------------------------------------------------------------------

  private async prepare(closing?: EndReason): Promise<TurnChange> {
    const { state } = this;
    const at = { send: state.send, round: state.round + 1 };
    this.use("consumed", at);
    const elapsedMs = await this.elapsedMs(at);
    const othersUsd = this.othersUsd(at);
    const torn = this.recorded?.torn(at);
    const bound = () => (torn === undefined ? this.bound(elapsedMs, othersUsd) : torn.closing);
    const reason = closing ?? state.closing ?? bound();
    const compacted = await this.compact(at);
    const notes = reduceNotes(notesOf(this, { closing: reason, round: at.round }));
    this.prepared(viewRow(at, this));
    this.prepared(queueRow(at, notes, policyDigests.reminderQueue));
    this.emit({
      type: "request",
      ...at,
      elapsedMs,
      ...(othersUsd > 0 ? { othersUsd } : {}),
      ...(reason === undefined ? {} : { closing: reason }),
    });
    await this.writeOn(elapsedMs);
    await this.tell({ type: "round_start", round: at.round });
    await this.status();
    return {
      ...this.change(reason, notes),
      ...(compacted ? { messages: this.withoutPending() } : {}),
    };
  }

  /** Where the log ended within these rows, those that are there and say the same count. */
  private prepared(row: RowOf<"state_view"> | RowOf<"reminder_queue">): void {
    if (!this.state.isPrepared(row)) this.emit(row);
  }

  /** The conversation without its end that the loop is about to be told. */
  private withoutPending(): readonly Message[] {
    const { messages } = this.agent.conversation;
    return this.pending.length === 0 ? messages : messages.slice(0, -this.pending.length);
  }

  private change(closing: EndReason | undefined, notes: readonly NoteRecord[]): TurnChange {
    const { agent } = this;
    const offered =
      closing === undefined || wantsTools.test(agent.options.main.model) ? this.toolbox.offered : [];
    const tools = offered === this.offered ? undefined : offered.map((tool) => this.asTool(tool));
    this.offered = offered;
    return {
      system: withNotes(
        agent.system,
        notes.map(({ text }) => text),
      ),
      ...(tools === undefined ? {} : { tools }),
    };
  }

  private async elapsedMs(at: { readonly send: number; readonly round: number }): Promise<number> {
    const { recorded } = this;
    if (recorded !== undefined) return recorded.elapsedMs(at);
    const nowMs = await this.agent.options.ports.clock.monotonic();
    return Math.round(this.clock.beforeMs + nowMs - this.clock.startedMs);
  }

  /** It never becomes less, also where a resume knows nothing of the children of before. */
  private othersUsd(at: { readonly send: number; readonly round: number }): number {
    const { recorded, agent } = this;
    if (recorded !== undefined) return recorded.othersUsd(at);
    return Math.max(this.state.othersUsd, agent.purse.others(agent.id));
  }

  private bound(elapsedMs: number, othersUsd: number): EndReason | undefined {
    const { costUsd } = this.state.usage;
    const spent = { rounds: this.state.round, elapsedMs, costUsd };
    return (
      sendBound({ ...spent, costUsd: costUsd + othersUsd }, this.config)?.reason ??
      (this.plan.overBounds(spent, this.state.round + 1) === undefined ? undefined : "contract_budget")
    );
  }

  private async compact(at: { readonly send: number; readonly round: number }): Promise<boolean> {
    const { tokens, max } = this.contextStatus();
    const full = tokens >= (max * this.config.compressAtPercent) / 100;
    const { compress } = this.state;
    if (!full && compress === undefined) return false;
    const { messages, report } = await this.agent.compacted(compress ?? {});
    if (report.nothing !== undefined) return false;
    const { tokensBefore, tokensAfter, rounds, left } = report;
    this.emit({ type: "compacted", ...at, messages, tokensBefore, tokensAfter, rounds, left });
    await this.tell({ type: "context_compressed", tokensBefore, tokensAfter, rounds });
    return true;
  }

  private use(
    disposition: "consumed" | "discarded",
    at: { readonly send: number; readonly round: number },
  ): void {
    const { results } = this.state;
    if (results.length === 0 || this.state.used) return;
    const uses = results.map(({ callId, digest }) => ({
      toolCallId: callId,
      disposition,
      resultDigest: digest,
    }));
    this.emit({ type: "tool_use", ...at, uses });
  }

  private async status(): Promise<void> {
    const { tokens, max } = this.contextStatus();
    await this.tell({
      type: "status",
      round: this.state.round,
      contextTokens: tokens,
      contextMax: max,
      costUsd: this.state.costUsd,
      toolCalls: this.state.toolCalls,
      bounds: this.plan.current?.bounds ?? {},
    });
  }

  // --- Tools for the loop --------------------------------------------------------------------------

  private asTool(tool: AgentTool): Tool {
    const known = this.tools.get(tool);
    if (known !== undefined) return known;
    const { name, description, parameters } = tool;
    const made: Tool = { ...this.toolNamed(name), description, parameters };
    this.tools.set(tool, made);
    return made;
  }

  private toolNamed(name: string): Tool {
    return {
      name,
      description: "",
      parameters: {},
      unchecked: true,
      execute: ({ id, argumentsText, stop, last }) =>
        // What does not begin any more has its result when all of them are over.
        this.stopsAt("call", id)
          ? Promise.resolve(notBegun)
          : this.dispatch.answer({ id, name, argumentsText, stop, last, round: this.state.round }),
    };
  }

  // --- What the loop says --------------------------------------------------------------------------

  private heard(event: LoopEvent): void | Promise<void> {
    if (event.type === "model") return this.heardModel(event.event);
    if (event.type !== "message" || event.message.role !== "assistant") return undefined;
    // Written with what follows: before a call that changes something, or with the next request.
    this.emit({ type: "assistant", ...this.at, message: event.message, usage: this.usage });
    this.agent.purse.set(this.agent.id, this.state.usage.costUsd);
    return undefined;
  }

  private heardModel(event: ModelEvent): void | Promise<void> {
    const callId = this.streams.hear(event);
    switch (event.type) {
      case "done":
        this.usage = event.response.usage;
        return;
      case "retry":
        return this.beginAgain(event);
      case "text_delta":
        return this.tell({ type: "text", delta: event.delta, channel: "user" });
      case "thinking_delta":
        return this.tell({ type: "text", delta: event.delta, channel: "thinking" });
      case "part_start":
        if (callId !== undefined) return this.tell({ type: "tool_start", callId, name: event.name ?? "" });
        return;
      case "arguments_delta":
        if (callId !== undefined) return this.tell({ type: "tool_delta", callId, argsDelta: event.delta });
        return;
      default:
    }
  }

  private async beginAgain(event: Extract<ModelEvent, { readonly type: "retry" }>): Promise<void> {
    await this.streams.dropAll();
    const { attempt, delayMs: backoffMs, because } = event;
    await this.tell({ type: "provider_retry", attempt, backoffMs, message: because.message });
  }

  // --- The end -------------------------------------------------------------------------------------

  /** Calls that the end of the turn left without a result. */
  private answerInterrupted(why: string): void {
    for (const call of this.agent.conversation.unanswered().calls) this.doubt(call, why);
  }

  /** The effect of a call that had begun is in doubt and is never repeated silently. */
  private doubt({ id, name }: { readonly id: string; readonly name: string }, why: string): void {
    const begun = this.agent.begun(id);
    const text = begun
      ? `ERROR [in_doubt] ${why}.`
      : "ERROR [stopped] The turn was stopped before this call began. Nothing was done.";
    const digest = `sha256:${sha256Hex(text)}`;
    const code = begun ? "in_doubt" : "stopped";
    const result = { callId: id, tool: name, ok: false, text, digest, ran: begun, code };
    const row: RowOf<"tool_result"> = { type: "tool_result", ...this.at, ...result };
    this.emit(row);
    this.rendered(row);
  }

  private async finish({ reason, refusal }: Ending): Promise<SendResult> {
    const { state } = this;
    this.use("discarded", this.at);
    const said = reason === "error" || reason === "cancelled" ? "" : state.answer.trim();
    const text = said === "" ? this.account(reason, refusal) : state.answer;
    this.emit({
      type: "end",
      ...this.at,
      reason,
      text,
      toolCalls: state.toolCalls,
      ...(refusal === undefined ? {} : { refusal: refusal as unknown as JsonObject }),
    });
    await this.flush("synced");
    await this.agent.counted(state);
    const { round: rounds, toolCalls, usage } = state;
    const result: SendResult = {
      reason,
      text,
      rounds,
      toolCalls,
      usage,
      ...(refusal === undefined ? {} : { refusal }),
    };
    await this.tell({ type: "turn_end", send: state.send, result });
    return result;
  }

  private account(reason: EndReason, refusal: Refusal | undefined): string {
    return harnessAnswer({
      reason,
      because: this.because(reason, refusal),
      plan: this.plan.current,
      changed: [...this.state.changed],
      toolCalls: this.state.toolCalls,
      lastError: this.state.lastError,
    });
  }

  because(reason: EndReason, refusal: Refusal | undefined): string {
    switch (reason) {
      case "ok":
        return "The model ended the turn without an answer.";
      case "cancelled":
        return "The turn was stopped.";
      case "error":
        return `The model could not answer: ${refusal?.message ?? "no reason was given"}.`;
      case "contract_budget":
        return `The turn ended at a bound of its plan: ${this.overBounds()?.message ?? "it was reached"}.`;
      default: {
        const spent = {
          rounds: this.state.round,
          elapsedMs: this.state.elapsedMs,
          costUsd: this.state.costUsd,
        };
        return `The turn ended: ${sendBound(spent, this.config)?.message ?? reason}.`;
      }
    }
  }

  /** A bug, or a disk that failed: the conversation is left in order, and then it is thrown. */
  private async broken(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    try {
      this.emit({ type: "stop", ...this.at, why: "broken", message });
      this.answerInterrupted(brokeHere);
      const refusal: Refusal = { refused: "internal_error", message };
      await this.finish({ reason: "error", refusal });
    } catch {
      // What it could not write down it says by throwing.
    }
  }
}

interface Ending {
  readonly reason: EndReason;
  readonly refusal?: Refusal;
}

const notBegun = { content: "", isError: true };
const brokeHere = "the harness failed while this call may have run";
const stoppedHere = "the turn was stopped while this call may have run";
const wasStopped =
  "the harness was stopped while this call may have run; look at what it did before you repeat it";

const saidNothing = "[CONTINUE] You said nothing. Go on with the task, or answer the user.";
