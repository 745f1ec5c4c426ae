/**
 * One send: rounds on the loop of the model room until there is an answer.
 *
 * The loop is pi's; what it offers as hooks is used, and what it does not do is in
 * the files beside this one: the notes of each request (request.ts), what an answer
 * leads to (after-answer.ts), stops and bounds that end in an answer (stops.ts,
 * ending.ts). See docs/decisions/012.
 *
 * What a newcomer gets wrong: `log.emit` (send-log.ts) is the only way to change what
 * a send knows. It writes a row and reduces it; a resume reduces the rows that are
 * there and goes on, so the two cannot differ.
 */
import {
  type LoopResult,
  type Message,
  type ModelCall,
  runLoop,
  type ToolOutcome,
  type TurnChange,
} from "@bridle/model";
import { type JsonObject, present } from "@bridle/record";
import type { RuleFinding } from "@bridle/rules";
import { continuesText } from "../dispatch/cut-off.js";
import { Dispatch } from "../dispatch/dispatch.js";
import { Streams } from "../dispatch/streams.js";
import type { RawCall } from "../outside/calls.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import type { AgentEvent, Commitment, EndReason, Plan, SendResult } from "../types.js";
import { callLines } from "../judge/judge.js";
import { afterAnswer, judgedRemedy, revisionFor } from "./after-answer.js";
import { uniqueCallIds } from "./call-ids.js";
import { doubtRow, doubts, type Ending, type EndingFacts, finalText } from "./ending.js";
import { LoopEvents } from "./loop-events.js";
import { LoopTools } from "./loop-tools.js";
import { SendProjection } from "./projection.js";
import { Requests } from "./request.js";
import { SendLog } from "./send-log.js";
import type { Session } from "./session.js";
import type { SendState } from "./state.js";
import { Stops } from "./stops.js";
import { Writing } from "./writing.js";

/** How long the answer may take that ends a turn which ran out of time. */
const closingMsMax = 60_000;
/** How often a send asks a model what to learn from a failed round. */
const lessonsMax = 3;
/** What a call that does not begin any more tells the loop; its result follows when all calls are over. */
const notBegun: ToolOutcome = { content: "", isError: true };

export interface SendOptions {
  readonly ask: string;
  /** Whoever started the send says with it that it is to stop. */
  readonly signal: AbortSignal;
  /** Ends whatever children still run. */
  settleChildren(): Promise<void>;
}

export class Send {
  readonly writing: Writing;
  private readonly projection: SendProjection;
  private readonly log: SendLog;
  private readonly stops: Stops;
  private readonly streams: Streams;
  private readonly dispatch: Dispatch;
  private readonly tools = new LoopTools((call) => this.answerCall(call));
  private readonly requests: Requests;
  private readonly loopEvents: LoopEvents;
  /** Messages that the loop takes when it asks for steering. */
  private pending: Message[] = [];
  private over = false;
  /** Whether a stop between two requests ended it. */
  private cutShort = false;

  constructor(
    private readonly session: Session,
    private readonly options: SendOptions,
  ) {
    const { outside, toolbox, conversation, untold, locks, artifacts } = session;
    const { config, secrets } = session.options;
    this.projection = new SendProjection({
      ask: options.ask,
      options: session.options,
      ...{ toolbox, conversation, untold },
      said: () => session.commitments,
    });
    const { state, plan, rules, repeats } = this.projection;
    const log = new SendLog(session, this.projection);
    this.log = log;
    this.stops = new Stops({ log, outside, signal: options.signal });
    this.writing = new Writing(session.journal);
    this.streams = new Streams(toolbox.all, outside);
    this.dispatch = new Dispatch({
      ...{ config, tools: toolbox.all, outside, log, rules, repeats, locks, artifacts, secrets },
      streams: this.streams,
      signal: this.stops.signal,
      isClosing: () => state.closing !== undefined,
      stopsAt: (point, callId) => this.stops.at(point, callId) !== undefined,
      continues: () => this.continues(),
      overBounds: () => this.overBounds(),
      brokenCommitment: ({ tool, intent: { changes, needs } }) =>
        plan.broken({ tool: tool.name, changes, needs }),
      mustAsk: ({ tool: { foreign } }) =>
        foreign === true && this.commitments.some(({ paths, needs }) => paths.length + needs.length > 0)
          ? "something is ruled out in this session, and nothing holds this tool to it"
          : undefined,
      keep: () => this.commitments.flatMap(({ paths }) => paths),
      flush: (durability) => this.writing.flush(durability),
    });
    this.requests = new Requests({
      ...{ session, log, projection: this.projection },
      ...{ writing: this.writing, tools: this.tools, facts: () => this.facts },
    });
    this.loopEvents = new LoopEvents({ log, streams: this.streams, answered: () => this.spent() });
  }

  // --- For the agent and its own tools -------------------------------------------------------------

  get plan(): Plan | undefined {
    return this.projection.plan.current;
  }
  /** What holds now: said by whoever started it, by the user, and in the plan. */
  get commitments(): readonly Commitment[] {
    return this.projection.plan.commitments;
  }
  tell(event: AgentEvent): void | Promise<void> {
    return this.log.tell(event);
  }
  stop(): void {
    this.stops.stop();
  }
  /** The first row of the send, or of the process that goes on with it. */
  begin(row: RowOf<"send"> | RowOf<"resume">): void {
    this.log.emit(row);
  }
  /** A row that another process wrote. */
  takeUp(row: SessionRow): void {
    if (row.type === "stop") this.stops.apply(row);
    this.log.takeUp(row);
  }
  get number(): number {
    return this.state.send;
  }

  // --- The course of a send ------------------------------------------------------------------------

  async run(): Promise<SendResult> {
    const { outside, options, depth } = this.session;
    const { send, ask: text, elapsedMs, othersUsd } = this.state;
    await outside.begin({ elapsedMs, othersUsd });
    this.spent();
    const { sendTimeoutMs } = options.config;
    this.stops.begin(sendTimeoutMs > 0 ? Math.max(0, sendTimeoutMs - elapsedMs) : undefined);
    await this.tell({ type: "send_start", send, text, depth });
    try {
      const ending = await this.rounds();
      // What children still say comes before the end of the turn, which is the last event.
      await this.options.settleChildren();
      return await this.finish(ending);
    } catch (error) {
      await this.breakDown(error);
      throw error;
    } finally {
      this.over = true;
      this.stops.end();
      await this.streams.dropAll();
      await this.options.settleChildren();
    }
  }

  private async rounds(): Promise<Ending> {
    if (this.stops.before !== undefined) return this.stopAgain();
    const first = await this.firstRequest();
    const result = first === undefined ? undefined : await this.loop(first);
    this.answerInterrupted(doubts.stopped);
    if (result?.ending !== "failed" && !this.cutShort) return { reason: this.reason };
    const why = this.stops.at("over");
    if (why === "timeout") return this.outOfTime();
    if (why !== undefined) return { reason: "cancelled" };
    return { reason: "error", ...present({ refusal: result?.refusal }) };
  }

  /** The log ended behind the row of a stop: what was left to do then is done now. */
  private async stopAgain(): Promise<Ending> {
    const { before, brokenBy } = this.stops;
    if (this.state.unrendered !== undefined) this.log.rendered(this.state.unrendered);
    this.answerInterrupted(before === "broken" ? doubts.broke : doubts.stopped);
    if (before === "broken")
      return { reason: "error", refusal: { refused: "internal_error", message: brokenBy } };
    const answered = this.session.conversation.messages.at(-1)?.role === "assistant";
    if (answered && this.state.open === undefined) await this.followAnswer();
    if (this.over) return { reason: this.reason };
    return before === "user" ? { reason: "cancelled" } : this.outOfTime();
  }

  private async firstRequest(): Promise<TurnChange | undefined> {
    return this.state.open === undefined ? this.afterLastRow() : this.requests.again(this.state.open);
  }

  /** From where the rows end to the next request; undefined when there is none. A new send has only begun. */
  private async afterLastRow(): Promise<TurnChange | undefined> {
    for (const { rule, finding } of this.projection.takeDue()) this.log.found(rule.id, finding, "note");
    if (this.state.unrendered !== undefined) this.log.rendered(this.state.unrendered);
    await this.answerLeft();
    const last = this.session.conversation.messages.at(-1);
    return last?.role === "user" ? this.nextRequest() : this.next();
  }

  /** Calls without a result: one that may have begun is in doubt, the others are carried out now. */
  private async answerLeft(): Promise<void> {
    for (const call of this.session.conversation.unanswered()) {
      if (this.session.hasBegun(call.id)) this.doubt(call, doubts.killed);
      else {
        this.streams.again(call);
        await this.dispatch.answer({ ...call, round: this.state.round });
      }
    }
  }

  /** One more answer, without tools; not of a model that spoke until the time was over. */
  private async outOfTime(): Promise<Ending> {
    if (this.state.givenUp) return { reason: "timeout" };
    const over = this.stops.close(closingMsMax);
    this.over = false;
    try {
      const change = await (this.state.late ? this.firstRequest() : this.prepare("timeout"));
      if (change !== undefined) await this.loop(change);
      this.answerInterrupted(doubts.stopped);
      return { reason: this.stops.at("closed") === "user" ? "cancelled" : "timeout" };
    } finally {
      over();
    }
  }

  /** A tape files each request by its number in the session. */
  private readonly ask: ModelCall = (request, options) => {
    const { main } = this.session.options;
    return main.call({ place: this.session.conversation.requests, ...request }, options);
  };

  private async loop(change: TurnChange): Promise<LoopResult> {
    const { conversation, id } = this.session;
    const { main, secrets, config } = this.session.options;
    // They are part of the messages that the loop begins with.
    this.pending = [];
    const { messages } = conversation;
    const { completionTokensMax } = config;
    return runLoop({
      call: this.ask,
      rewriter: () => uniqueCallIds((callId) => conversation.hasCall(callId)),
      model: main.model,
      prompts: [messages.at(-1) as Message],
      history: messages.slice(0, -1),
      system: change.system ?? "",
      tools: change.tools ?? [],
      session: id,
      ...(completionTokensMax > 0 ? { maxOutputTokens: completionTokensMax } : {}),
      ...present({ thinking: main.thinking, secrets }),
      signal: this.stops.speaking,
      turnsMax: Number.MAX_SAFE_INTEGER,
      unknownTool: (name) => this.tools.named(name),
      hooks: {
        steer: () => this.pending.splice(0),
        prepareNextTurn: () => this.next(),
        shouldStopAfterTurn: () => this.over,
      },
      onEvent: (event) => this.loopEvents.hear(event),
    });
  }

  private answerCall(call: Omit<RawCall, "round">): Promise<ToolOutcome> {
    if (this.stops.at("call", call.id) !== undefined) return Promise.resolve(notBegun);
    return this.dispatch.answer({ round: this.state.round, ...call });
  }

  // --- Between two requests ------------------------------------------------------------------------

  private async next(): Promise<TurnChange | undefined> {
    const stopped = this.stops.at("answered") !== undefined;
    if (stopped) this.answerInterrupted(doubts.stopped);
    if (!stopped || this.state.results.length === 0) {
      const following = this.followAnswer();
      if (following !== undefined) await following;
    }
    return this.nextRequest();
  }

  /** Nothing to wait for where the results are simply shown. */
  private followAnswer(): undefined | Promise<void> {
    const { rules } = this.projection;
    const after = afterAnswer(this.state, { rules, mayContinue: this.continues() });
    switch (after.kind) {
      case "request":
        return undefined;
      case "continue":
        this.say("continue", after.text);
        return this.tellResume(after.cut);
      case "learn":
        return this.learn();
      case "revise":
        for (const { rule, finding } of after.findings)
          this.log.found(rule.id, finding, rule.held === "refused" ? "message" : "note");
        this.say("revise", after.text);
        return undefined;
      case "end":
        return after.judge ? this.endJudged(after.findings) : this.end(after.findings);
    }
  }

  private end(findings: readonly RuleFinding[]): undefined {
    for (const { rule, finding } of findings) this.log.found(rule.id, finding, "note");
    this.over = true;
  }

  /** Once a send, before its answer is delivered: a model looks at the rules that only a reader can judge. */
  private async endJudged(findings: readonly RuleFinding[]): Promise<void> {
    const { ask, answer } = this.state;
    const { outside, conversation } = this.session;
    if (this.state.judgement === undefined) {
      const calls = callLines(conversation.messages, ask);
      const judged = await outside.judgement({ ...this.log.at, ask, calls, answer }, this.stops.signal);
      if (judged !== undefined) {
        const { broken, unheard, usage } = judged;
        this.log.emit({ type: "judgement", ...this.log.at, broken, ...present({ unheard, usage }) });
        this.spent();
      }
    }
    const revision = revisionFor(this.state);
    if (revision === undefined) return this.end(findings);
    for (const { rule, finding } of findings) this.log.found(rule.id, finding, "note");
    for (const { rule, why } of revision.broken)
      this.log.found(rule, { what: why, remedy: judgedRemedy }, "message");
    this.say("revise", revision.text);
  }

  private async tellResume(kept: Extract<AgentEvent, { readonly type: "length_resume" }>["cut"]) {
    const { lengthResumeMax: of } = this.session.options.config;
    await this.tell({ type: "length_resume", resume: this.state.resumes, of, ...present({ cut: kept }) });
  }

  private async learn(): Promise<void> {
    const { ask, results, violations, lessons, lessonFailed } = this.state;
    const failures = results.map(({ tool, text: error }) => ({ tool, error }));
    const mayAsk = lessons < lessonsMax && !lessonFailed;
    const failed = { ...this.log.at, ask, failures, mayAsk, countedRules: new Set(violations.keys()) };
    const lesson = await this.session.outside.lesson(failed, this.stops.signal);
    if (lesson === undefined) return;
    const { text, usage } = lesson;
    this.log.emit({ type: "reflexion", ...this.log.at, text, ...present({ usage }) });
    this.spent();
  }

  /** Undefined when the send is over. */
  private async nextRequest(): Promise<TurnChange | undefined> {
    if (this.stops.at("judged") === undefined) {
      for (const text of [...this.session.steering]) {
        this.over = false;
        this.say("steer", text);
      }
      if (!this.over) return this.prepare();
    }
    this.cutShort = !this.over;
    this.over = true;
    return undefined;
  }

  private prepare(closing?: EndReason): Promise<TurnChange> {
    return this.requests.prepare(this.pending, closing);
  }

  private say(origin: RowOf<"user">["origin"], text: string): void {
    this.log.emit({ type: "user", ...this.log.at, origin, text });
    this.pending.push({ role: "user", content: [{ kind: "text", text }] });
  }

  // --- The end -------------------------------------------------------------------------------------

  private async finish(ending: Ending): Promise<SendResult> {
    const { state, log } = this;
    const { outside } = this.session;
    this.requests.use("discarded", log.at);
    const text = finalText(this.facts, ending);
    const { reason, refusal } = ending;
    const { round: rounds, toolCalls, usage } = state;
    const row: RowOf<"end"> = { type: "end", ...log.at, reason, text, toolCalls };
    log.emit(refusal === undefined ? row : { ...row, refusal: refusal as unknown as JsonObject });
    await this.writing.flush("synced");
    await outside.ended(state);
    const costUsd = usage.costUsd + outside.childrenUsd(state.othersUsd);
    const said = { reason, text, rounds, toolCalls, usage, costUsd };
    const result: SendResult = { ...said, ...present({ refusal }) };
    await this.tell({ type: "turn_end", send: state.send, result });
    return result;
  }

  /** After a bug or a disk that failed: leaves the conversation in order. The caller throws the error on. */
  private async breakDown(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    try {
      this.stops.broke(message);
      this.answerInterrupted(doubts.broke);
      await this.finish({ reason: "error", refusal: { refused: "internal_error", message } });
    } catch {
      // The error that led here is thrown on, so this one is not lost on anybody.
    }
  }

  /** Calls that the end of the turn left without a result. */
  private answerInterrupted(why: string): void {
    for (const call of this.session.conversation.unanswered()) this.doubt(call, why);
  }

  private doubt(call: { readonly id: string; readonly name: string }, why: string): void {
    const row = doubtRow(this.log.at, call, { begun: this.session.hasBegun(call.id), why });
    this.log.emit(row);
    this.log.rendered(row);
  }

  // --- What is known -------------------------------------------------------------------------------

  private get state(): SendState {
    return this.projection.state;
  }

  private get facts(): EndingFacts {
    const { state, plan, progress } = this.projection;
    const { config } = this.session.options;
    const { stuck } = progress;
    return { state, config, plan: plan.current, stuck, overBounds: () => this.overBounds() };
  }

  /** Of a send that ended by itself. */
  private get reason(): EndReason {
    const { closing, answer, lastStop = "stop", lastText } = this.state;
    const isWhole = answer.trim() !== "" && !continuesText(lastStop, lastText);
    return closing ?? (isWhole ? "ok" : "incomplete");
  }

  private continues(): boolean {
    return this.state.resumes < this.session.options.config.lengthResumeMax;
  }

  private overBounds() {
    const { elapsedMs, usage } = this.state;
    return this.projection.plan.overBounds({ elapsedMs, costUsd: usage.costUsd });
  }

  /** Tells whoever else works on this send what it has cost itself. */
  private spent(): void {
    this.session.outside.spent(this.state.usage.costUsd);
  }
}
