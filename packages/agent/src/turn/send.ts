/**
 * One send: rounds on the loop of the model room until there is an answer.
 *
 * The loop is pi's; what it offers as hooks is used, and what it does not do is in
 * the files beside this one: the notes of each request (request.ts), continuations
 * of what was cut off and answers that are sent back (after-answer.ts), bounds that
 * end in an answer (ending.ts). See docs/decisions/012.
 *
 * What a newcomer gets wrong: `emit` is the only way to change what a send knows.
 * It writes a row and reduces it; a resume reduces the rows that are there and
 * goes on, so the two cannot differ.
 */
import { type LoopResult, type Message, type ModelCall, runLoop, type TurnChange } from "@bridle/model";
import type { Durability } from "@bridle/record";
import type { ApprovalDesk } from "../dispatch/approval.js";
import type { Desk } from "../dispatch/desk.js";
import { Dispatch } from "../dispatch/dispatch.js";
import type { Call } from "../dispatch/types.js";
import type { CompactReport } from "../context/compact.js";
import type { Finding } from "@bridle/rules";
import { policies, policyDigests } from "../session/policies.js";
import type { RowOf, SessionRow, StopPoint } from "../session/rows.js";
import type { AgentEvent, EndReason, SendResult } from "../types.js";
import { afterAnswer } from "./after-answer.js";
import type { Agent } from "./agent.js";
import { uniqueCallIds } from "./call-ids.js";
import { answerInterrupted, breakDown, doubt, doubts, type Ending, finish } from "./ending.js";
import { Hearing } from "./hearing.js";
import { Known } from "./known.js";
import { LoopTools } from "./loop-tools.js";
import { Requests } from "./request.js";
import { Stops } from "./stops.js";
import { Streams } from "./streams.js";
import { Writing } from "./writing.js";

/** How long the answer may take that ends a turn which ran out of time. */
const closingMsMax = 60_000;
const emptyRender = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export class Send implements Desk {
  readonly streams: Streams;
  readonly approvals: ApprovalDesk;
  readonly writing: Writing;
  readonly requests: Requests;
  private readonly known: Known;
  private readonly dispatch: Dispatch;
  private readonly tools: LoopTools;
  private readonly stops: Stops;
  private readonly hearing = new Hearing(this);
  /** Told to the loop when it asks for it. */
  private pending: Message[] = [];
  private over = false;
  /** Ended by a stop between two requests. */
  private cutShort = false;

  constructor(
    readonly agent: Agent,
    ask: string,
    outside: AbortSignal,
  ) {
    const { approver, config } = agent.options;
    const { recorded } = agent;
    this.known = new Known(agent, ask);
    this.stops = new Stops(this, outside);
    this.writing = new Writing(agent.journal);
    // What arrives in a replay is kept nowhere.
    this.streams = new Streams(recorded === undefined ? agent.toolbox.all : new Map());
    this.approvals = {
      config,
      approver,
      ...(recorded === undefined ? {} : { decided: (callId: string) => recorded.approval(callId) }),
      signal: this.signal,
      sleep: (ms, signal) => this.sleep(ms, signal),
      asked: ({ callId, tool, args, intent, timeoutMs }) =>
        this.tell({ type: "tool_approval", callId, name: tool, says: intent.says, args, timeoutMs }),
    };
    this.dispatch = new Dispatch(this);
    this.tools = new LoopTools(this, this.dispatch);
    this.requests = new Requests(this, this.tools);
  }

  // --- The desk ------------------------------------------------------------------------------------

  get state() {
    return this.known.state;
  }
  get plan() {
    return this.known.plan;
  }
  get repeats() {
    return this.known.repeats;
  }
  get rules() {
    return this.known.rules;
  }
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

  brokenCommitment({ tool, intent }: Call): string | undefined {
    const { changes, needs } = intent;
    return this.plan.broken({
      tool: tool.name,
      ...(changes === undefined ? {} : { changes }),
      ...(needs === undefined ? {} : { needs }),
    });
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
    this.agent.apply(row);
    if (row.type === "tool_call") this.agent.noteBegun(row.callId);
    if (row.type === "stop") this.stops.apply(row);
    const findings = this.known.apply(row);
    if (findings.length > 0) for (const { rule, finding } of findings) this.found(rule.id, finding, "note");
    if (row.type === "tool_result" && row.tool === "plan" && row.ok && this.plan.current !== undefined)
      void this.tell({ type: "plan", plan: this.plan.current });
  }

  /** A row of before. */
  again(row: SessionRow): void {
    if (row.type === "stop") this.stops.apply(row);
    this.known.again(row);
  }

  flush(durability?: Durability): Promise<void> {
    return this.writing.flush(durability);
  }

  tell(event: AgentEvent): void | Promise<void> {
    return this.agent.options.onEvent?.(event);
  }

  /** So that everybody who works on this send knows. */
  spent(): void {
    this.agent.purse.set(this.agent.id, this.state.usage.costUsd);
  }

  // --- For tools -----------------------------------------------------------------------------------

  contextStatus(): { readonly tokens: number; readonly max: number } {
    return { tokens: this.agent.contextTokens, max: this.agent.contextMax };
  }

  /** It takes effect before the next request, when every call of this round has its result. */
  async askToCompress(summary: string): Promise<CompactReport> {
    return (await this.agent.compacted({ summary })).report;
  }

  // --- The course of a send ------------------------------------------------------------------------

  async run(): Promise<SendResult> {
    const { ports } = this.agent.options;
    const { send, ask: text, elapsedMs, othersUsd } = this.state;
    if (this.agent.depth === 0) this.agent.purse.begin(this.agent.id, othersUsd);
    this.spent();
    this.requests.begin(await ports.clock.monotonic());
    const { sendTimeoutMs } = this.config;
    this.stops.begin(sendTimeoutMs > 0 ? Math.max(0, sendTimeoutMs - elapsedMs) : undefined);
    await this.tell({ type: "send_start", send, text, depth: this.agent.depth });
    try {
      const ending = await this.rounds();
      // What they still say comes before the end of the turn, which is the last thing that is told.
      await this.agent.settleChildren();
      return await finish(this, ending);
    } catch (error) {
      await breakDown(this, error);
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

  /** There is nothing more to ask. */
  end(): void {
    this.over = true;
  }

  private async rounds(): Promise<Ending> {
    if (this.stops.before !== undefined) return this.stopAgain();
    const first = await this.first();
    const result = first === undefined ? undefined : await this.loop(first);
    answerInterrupted(this, doubts.stopped);
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
    answerInterrupted(this, before === "broken" ? doubts.broke : doubts.stopped);
    if (before === "broken")
      return { reason: "error", refusal: { refused: "internal_error", message: brokenBy } };
    const answered = this.agent.conversation.messages.at(-1)?.role === "assistant";
    if (answered && this.state.open === undefined) await afterAnswer(this);
    if (this.over) return { reason: this.state.closing ?? "ok" };
    return before === "user" ? { reason: "cancelled" } : this.closeLate();
  }

  private async first(): Promise<TurnChange | undefined> {
    return this.state.open === undefined ? this.takeUp() : this.requests.again(this.state.open);
  }

  /** From where the rows end to the next request; undefined when there is none. A new send has only begun. */
  private async takeUp(): Promise<TurnChange | undefined> {
    for (const { rule, finding } of this.known.takeDue()) this.found(rule.id, finding, "note");
    if (this.state.unrendered !== undefined) this.rendered(this.state.unrendered);
    await this.answerLeft();
    const last = this.agent.conversation.messages.at(-1);
    return last?.role === "user" ? this.nextRequest() : this.next();
  }

  /** Calls without a result: one that may have begun is in doubt, the others are carried out now. */
  private async answerLeft(): Promise<void> {
    const { stop = "none", calls } = this.agent.conversation.unanswered();
    for (const { id, name, argumentsText } of calls) {
      if (this.agent.begun(id)) doubt(this, { id, name }, doubts.killed);
      else {
        this.streams.again({ id, name, argumentsText });
        const last = id === calls.at(-1)?.id;
        await this.dispatch.answer({ id, name, argumentsText, stop, last, round: this.state.round });
      }
    }
  }

  /** Out of time in the middle of something: one more answer, without tools. */
  private async closeLate(): Promise<Ending> {
    const over = this.stops.close(closingMsMax);
    this.over = false;
    try {
      const change = await (this.state.late ? this.first() : this.prepare("timeout"));
      if (change !== undefined) await this.loop(change);
      answerInterrupted(this, doubts.stopped);
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
      call: this.ask,
      rewriter: () => uniqueCallIds((id) => this.agent.conversation.hasCall(id)),
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
      unknownTool: (name) => this.tools.named(name),
      hooks: {
        steer: () => this.pending.splice(0),
        prepareNextTurn: () => this.next(),
        shouldStopAfterTurn: () => this.over,
      },
      onEvent: (event) => this.hearing.heard(event),
    });
  }

  // --- Between two requests ------------------------------------------------------------------------

  private async next(): Promise<TurnChange | undefined> {
    const stopped = this.stops.at("answered") !== undefined;
    if (stopped) answerInterrupted(this, doubts.stopped);
    if (!stopped || this.state.results.length === 0) {
      const following = afterAnswer(this);
      if (following !== undefined) await following;
    }
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

  private prepare(closing?: EndReason): Promise<TurnChange> {
    return this.requests.prepare(this.pending, closing);
  }

  say(origin: RowOf<"user">["origin"], text: string): void {
    this.emit({ type: "user", ...this.at, origin, text });
    this.pending.push({ role: "user", content: [{ kind: "text", text }] });
  }

  private steered(): void {
    for (const text of this.recorded?.steering() ?? this.agent.takeSteering()) {
      this.over = false;
      this.say("steer", text);
    }
  }
}
