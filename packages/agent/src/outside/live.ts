/** What a turn hears from outside while it runs: the machine's clock, the people who are there, the tools themselves. */
import { Failure } from "@bridle/record";
import type { AgentConfig } from "../config/table.js";
import { lastSettings, type SessionSettings } from "../session/settings.js";
import type { At, SessionRow, StopPoint, StopWhy } from "../session/rows.js";
import type { JudgedSend, Judgement } from "../judge/judge.js";
import type { AgentOptions, AgentTool, ArgumentStream, Commitment, Intent, ToolReport } from "../types.js";
import { type ApprovalOptions, askPeople, needsApproval } from "./approval.js";
import { type CallAnswer, type CheckedCall, refused } from "./calls.js";
import type {
  ContextUse,
  Decision,
  FailedRound,
  Lesson,
  Measures,
  Outside,
  RuleUse,
  RunOptions,
} from "./outside.js";
import { Patience } from "./patience.js";
import type { Purse } from "./purse.js";

/** A command that runs so long is waited for; how long is a fact of its report. */
const waitingMsMin = 5_000;

export interface LiveOptions {
  readonly session: string;
  /** What the session's log holds already. */
  readonly rows: readonly SessionRow[];
  /** 0 for the root. */
  readonly depth: number;
  readonly config: Pick<AgentConfig, "approvalTimeoutMs" | "autoApproveTools" | "shellUnasked" | "yolo">;
  readonly ports: Pick<AgentOptions["ports"], "clock">;
  readonly approver: AgentOptions["approver"];
  readonly onEvent: AgentOptions["onEvent"];
  /** Shared with its parent and its children. */
  readonly purse: Purse;
  /** Asked when a send begins, so that counts which change meanwhile make no difference to it. */
  recall(): string | Promise<string>;
  lesson(failed: FailedRound, signal: AbortSignal): Promise<Lesson | undefined>;
  /** Left out where nobody is to judge. */
  readonly judge?: (send: JudgedSend, signal: AbortSignal) => Promise<Judgement>;
  count(use: RuleUse): Promise<void>;
}

export class LiveOutside implements Outside {
  /** The reminder of the rules for this send, also for its children. */
  recalled = "";
  private saidSettings: SessionSettings | undefined;
  private startedMs = 0;
  private beforeMs = 0;
  private patience: { readonly signal: AbortSignal; readonly with: Patience } | undefined;

  constructor(private readonly options: LiveOptions) {
    this.saidSettings = lastSettings(options.rows);
  }

  settings(now: SessionSettings): { readonly under?: SessionSettings } {
    if (JSON.stringify(this.saidSettings) === JSON.stringify(now)) return {};
    this.saidSettings = now;
    return { under: now };
  }

  async begin({ elapsedMs, othersUsd }: { readonly elapsedMs: number; readonly othersUsd: number }) {
    const { recall, depth, purse, session, ports } = this.options;
    this.recalled = await recall();
    if (depth === 0) purse.begin(session, othersUsd);
    this.beforeMs = elapsedMs;
    this.startedMs = await ports.clock.monotonic();
  }

  ended(use: RuleUse): Promise<void> {
    return this.options.count(use);
  }

  async measure({ othersUsd }: { readonly othersUsd: number }): Promise<Measures> {
    const { purse, session, ports } = this.options;
    const nowMs = await ports.clock.monotonic();
    return {
      elapsedMs: Math.round(this.beforeMs + nowMs - this.startedMs),
      othersUsd: Math.max(othersUsd, purse.others(session)),
    };
  }

  spent(costUsd: number): void {
    this.options.purse.set(this.options.session, costUsd);
  }

  childrenUsd(): number {
    return this.options.purse.below(this.options.session);
  }

  timer(ms: number, signal: AbortSignal): Promise<void> {
    return this.options.ports.clock.sleep(ms, signal);
  }

  stop(_point: StopPoint, _callId: string | undefined, noticed: () => StopWhy | undefined) {
    return noticed();
  }

  steering(waiting: readonly string[]): readonly string[] {
    return waiting;
  }

  commitments(said: readonly Commitment[]): readonly Commitment[] {
    return said;
  }

  approval(call: CheckedCall, signal: AbortSignal, must: string | undefined) {
    if (must !== undefined) return this.askPeople(call, signal, must);
    const { config } = this.options;
    const needed = needsApproval(call, config);
    const { tool, args } = call;
    if (tool.asks === undefined || config.yolo) return needed ? this.askPeople(call, signal) : undefined;
    return tool
      .asks(args)
      .then((because) =>
        needed || because !== undefined ? this.askPeople(call, signal, because) : undefined,
      );
  }

  private askPeople(call: CheckedCall, signal: AbortSignal, because?: string): Promise<Decision> {
    const { config, approver, onEvent } = this.options;
    const options: ApprovalOptions = {
      ...{ config, approver, signal },
      sleep: (ms, until) => this.timer(ms, until),
      asked: ({ callId, tool: name, args, intent: { says }, timeoutMs }) =>
        onEvent?.({ type: "tool_approval", callId, name, says, args, timeoutMs }),
    };
    return askPeople(call, options, because);
  }

  stream(tool: AgentTool | undefined, callId: string): ArgumentStream | undefined {
    return tool?.stream?.(callId);
  }

  async kept(_callId: string, stream: ArgumentStream | undefined) {
    return stream?.cut();
  }

  forbidden({ args, intent }: CheckedCall): CallAnswer | undefined {
    if (intent.forbidden === undefined) return undefined;
    const { code, because, remedy } = intent.forbidden;
    return { ...refused({ code, message: because, remedy }), args, forbidden: true };
  }

  announced({ intent }: CheckedCall): string | undefined {
    return intent.changes === undefined ? undefined : intent.says;
  }

  run(call: CheckedCall, options: RunOptions): Promise<CallAnswer> {
    return call.tool.family === "shell" ? this.timed(call, options) : this.answerOf(call, options);
  }

  private async timed(call: CheckedCall, options: RunOptions): Promise<CallAnswer> {
    const { clock } = this.options.ports;
    const startedMs = await clock.monotonic();
    const answer = await this.answerOf(call, options);
    const tookMs = Math.round((await clock.monotonic()) - startedMs);
    if (tookMs < waitingMsMin) return answer;
    const { report } = answer;
    return { ...answer, report: { ...report, facts: { ...report.facts, tookMs } } };
  }

  private async answerOf(
    { id: callId, round, tool, args, intent }: CheckedCall,
    { signal, keep, update }: RunOptions,
  ): Promise<CallAnswer> {
    try {
      const running = tool.run(args, { callId, round, signal, keep, update });
      const report = await this.patienceFor(signal).orStopped(running);
      if (report === undefined) return { ...refused(heedless(tool.name)), ran: true, args };
      return { report: withChanges(report, intent), ran: true, args };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { failureClass: code, message, hint: remedy = "Try something else" } = error;
      return { ...refused({ code, message, remedy }), ran: true, args };
    }
  }

  context(_at: At, measured: ContextUse): ContextUse {
    return measured;
  }

  recall(_at: At): string {
    return this.recalled;
  }

  lesson(failed: FailedRound, signal: AbortSignal): Promise<Lesson | undefined> {
    return this.options.lesson(failed, signal);
  }

  async judgement(send: JudgedSend, signal: AbortSignal): Promise<Judgement | undefined> {
    return this.options.judge?.(send, signal);
  }

  /** One for all calls of a send. */
  private patienceFor(signal: AbortSignal): Patience {
    if (this.patience?.signal !== signal)
      this.patience = { signal, with: new Patience(signal, (ms, until) => this.timer(ms, until)) };
    return this.patience.with;
  }
}

/** What a success changed is a fact for whoever reads the log. */
function withChanges(report: ToolReport, { changes }: Intent): ToolReport {
  if (!report.ok || changes === undefined || changes === "anything") return report;
  if (report.facts?.["changed"] !== undefined) return report;
  return { ...report, facts: { ...report.facts, changed: changes } };
}

function heedless(tool: string) {
  return {
    code: "in_doubt",
    message: `${tool} did not stop when the turn was stopped; what it did is not known`,
    remedy: "Look at what is there before it is repeated",
  };
}
