/**
 * `bridle chat --json`: every event as one line of JSON on stdout, and lines on
 * stdin as what is asked and decided. For programs that put another face on it.
 *
 * What a newcomer gets wrong: a line that cannot be understood is answered with
 * an `input_refused` and changes nothing; it neither ends the conversation nor
 * reaches the model.
 */
import { createInterface } from "node:readline";
import type { AgentEvent, ApprovalDecision, Approver, EndReason } from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { Failure } from "@bridle/record";
import type { ProcessStreams } from "./process-streams.js";
import { type ChatLine, type InputLine, readInputLine } from "./json-lines.js";
import { type AgentFlags, type OpenedAgent, openConversation } from "./open.js";

export interface JsonChatOptions {
  readonly call: Call;
  readonly flags: AgentFlags;
  readonly streams: ProcessStreams;
  /** The only thing that is asked; without it stdin says what, until it ends. */
  readonly message?: string;
}

export interface JsonChatEnd {
  readonly session: string;
  readonly sends: number;
  /** The first end that was not `ok`. */
  readonly reason: EndReason;
}

export async function chatInJson(options: JsonChatOptions): Promise<JsonChatEnd> {
  const { call, flags, streams } = options;
  const print = (line: ChatLine) => streams.out(`${JSON.stringify(line)}\n`);
  const approvals = new Approvals();
  let opened: OpenedAgent;
  try {
    opened = await openConversation({
      call,
      flags,
      approver: approvals.approver,
      onEvent(event: AgentEvent) {
        approvals.announce(event);
        return print(event);
      },
      notice: (sentence) => void print({ type: "notice", message: sentence }),
    });
  } catch (error) {
    if (error instanceof Failure) await print(failedLine(error));
    throw error;
  }
  const chat = new JsonChat(options, { opened, print, approvals });
  try {
    return await chat.run();
  } finally {
    await opened.close();
  }
}

interface Parts {
  readonly opened: OpenedAgent;
  readonly approvals: Approvals;
  print(line: ChatLine): Promise<void>;
}

class JsonChat {
  private readonly asked: string[] = [];
  private inputOver = false;
  private wake: () => void = () => {};
  private turn: AbortController | undefined;
  private sends = 0;
  private reason: EndReason = "ok";

  constructor(
    private readonly options: JsonChatOptions,
    private readonly parts: Parts,
  ) {}

  async run(): Promise<JsonChatEnd> {
    const { streams, call, message } = this.options;
    const { opened, print } = this.parts;
    const { agent, model, workspace } = opened;
    await print({ type: "session", session: agent.id, model, workspace, interrupted: agent.isInterrupted });
    const over = AbortSignal.any([call.signal, streams.closed]);
    over.addEventListener("abort", () => this.stop(), { once: true });
    const lines = createInterface({ input: streams.input, crlfDelay: Infinity });
    lines.on("line", (line) => this.heard(line));
    lines.on("close", () => {
      this.inputOver = true;
      this.parts.approvals.leave();
      this.wake();
    });
    try {
      if (agent.isInterrupted) await this.drive((signal) => agent.resume({ signal }));
      if (message !== undefined) await this.drive((signal) => agent.send(message, { signal }));
      else await this.answerAll(over);
    } finally {
      lines.close();
      streams.input.pause();
      streams.input.unref?.();
    }
    return { session: agent.id, sends: this.sends, reason: this.reason };
  }

  private async answerAll(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const text = this.asked.shift();
      if (text !== undefined) await this.drive((signal) => this.parts.opened.agent.send(text, { signal }));
      else if (this.inputOver) return;
      else await new Promise<void>((wake) => (this.wake = wake));
    }
  }

  private async drive(
    begin: (signal: AbortSignal) => Promise<{ readonly reason: EndReason } | undefined>,
  ): Promise<void> {
    this.turn = new AbortController();
    if (AbortSignal.any([this.options.call.signal, this.options.streams.closed]).aborted) this.turn.abort();
    try {
      const result = await begin(this.turn.signal);
      if (result === undefined) return;
      this.sends++;
      if (this.reason === "ok") this.reason = result.reason;
    } finally {
      this.turn = undefined;
    }
  }

  private stop(): void {
    this.turn?.abort();
    this.wake();
  }

  private heard(text: string): void {
    const line = readInputLine(text);
    if (line === undefined) return;
    const refused = this.take(line);
    if (refused !== undefined) void this.parts.print({ type: "input_refused", message: refused });
  }

  /** Why it was not taken, if it was not. */
  private take(line: InputLine): string | undefined {
    switch (line.kind) {
      case "refused":
        return line.message;
      case "ask":
        if (this.options.message !== undefined)
          return "one message was given on the command line, and no more are taken";
        this.asked.push(line.text);
        this.wake();
        return undefined;
      case "steer":
        if (this.turn === undefined) return "nothing runs that could be steered";
        this.parts.opened.agent.steer(line.text);
        return undefined;
      case "stop":
        if (this.turn === undefined) return "nothing runs that could be stopped";
        this.turn.abort();
        return undefined;
      case "approval":
        return this.parts.approvals.decide(line.callId, line.decision)
          ? undefined
          : `no call ${JSON.stringify(line.callId)} waits for an approval`;
    }
  }
}

/** Calls that wait for a yes, by their ids. */
class Approvals {
  private readonly waiting = new Map<string, (decision: ApprovalDecision) => void>();
  /** Announced and not yet asked for; a decision may come before the question is put. */
  private readonly early = new Map<string, ApprovalDecision | undefined>();
  private nobody = false;

  readonly approver: Approver = ({ callId }, signal) =>
    new Promise((resolve) => {
      const decided = this.early.get(callId);
      this.early.delete(callId);
      if (decided !== undefined || this.nobody) return resolve(decided ?? gone);
      const settle = (decision: ApprovalDecision) => {
        this.waiting.delete(callId);
        resolve(decision);
      };
      this.waiting.set(callId, settle);
      signal.addEventListener("abort", () => settle(gone), { once: true });
    });

  announce(event: AgentEvent): void {
    if (event.type === "subtask_event") this.announce(event.event);
    if (event.type === "tool_approval") this.early.set(event.callId, undefined);
  }

  decide(callId: string, decision: ApprovalDecision): boolean {
    const settle = this.waiting.get(callId);
    if (settle === undefined && this.early.has(callId)) {
      this.early.set(callId, decision);
      return true;
    }
    settle?.(decision);
    return settle !== undefined;
  }

  /** There will be no more decisions. */
  leave(): void {
    this.nobody = true;
    for (const settle of [...this.waiting.values()]) settle(gone);
  }
}

const gone: ApprovalDecision = { decision: "reject", reason: "nobody is there to approve it" };

function failedLine({ failureClass, message, hint }: Failure): ChatLine {
  return { type: "failed", failureClass, message, ...(hint === undefined ? {} : { hint }) };
}
