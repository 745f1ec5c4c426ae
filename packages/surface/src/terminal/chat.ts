/**
 * A conversation at the terminal.
 *
 *     › what you say
 *       plan, calls and what became of them, one line each
 *     the answer, as it comes
 *
 * Ctrl-C stops the turn, and the agent says what it has; Ctrl-C again ends the
 * program at once: the session is gone on with by `bridle chat --resume`. What is
 * typed while the agent works is told to it before its next step.
 */
import type { AgentEvent, Approver, SendResult } from "@bridle/agent";
import { type OwnCommand, ownCommands, ownCommandText } from "@bridle/extensions";
import type { Call, Paint } from "@bridle/operation";
import { defaultWords } from "../agent/default-words.js";
import { Failure } from "@bridle/record";
import { paintFor, wantsColour } from "../cli/paint.js";
import type { ProcessStreams } from "../agent/process-streams.js";
import { endText, EventLines, statusText } from "../agent/event-lines.js";
import { type AgentFlags, type OpenedAgent, openConversation } from "../agent/open.js";
import { visible, visibleLine } from "../agent/visible.js";
import { terminalApprover } from "./approval.js";
import { chatCommand, type ChatScene, commandNames } from "./commands.js";
import { completion } from "./completion.js";
import { lastExchange } from "./last-exchange.js";
import { editorOf } from "./own-editor.js";
import { withMentions, withoutMentions } from "./mentions.js";
import { loadPi } from "./pi.js";
import { Screen } from "./screen.js";
import { trustAtTerminal } from "./trust.js";

export interface TerminalChatOptions {
  readonly call: Call;
  readonly flags: AgentFlags;
  readonly streams: ProcessStreams;
}

/** Resolves when the person leaves, with the name of the session. */
export async function chatAtTerminal(options: TerminalChatOptions): Promise<string> {
  const { call, flags, streams } = options;
  if (call.env["TERM"] === "dumb") {
    throw new Failure("input_invalid", {
      message: "a conversation needs a terminal that can move its cursor, and TERM is dumb",
      hint: 'Ask one question as in `bridle chat "…"`, or pipe it in.',
    });
  }
  const colour = wantsColour(call.env, true);
  const paint = paintFor(colour);
  // They need each other; nothing happens before all of them are there.
  const made: { chat?: TerminalChat; approver?: Approver } = {};
  const early: string[] = [];
  const { input, output } = streams;
  const mayAsk = () => made.chat === undefined;
  const askTrust = trustAtTerminal({ input, output, paint, signal: call.signal, mayAsk });
  const open = (asked: AgentFlags) =>
    openConversation({
      ...{ call, flags: asked, askTrust },
      onEvent: (event) => made.chat?.heard(event),
      notice: (sentence) => {
        const line = paint.note(`  ! ${visibleLine(sentence, 400)}`);
        if (made.chat === undefined) early.push(line);
        else made.chat.say(line);
      },
      approver: (request, signal) => {
        if (made.approver === undefined) throw new Error("nobody is there yet");
        return made.approver(request, signal);
      },
    });
  const loading = loadPi();
  // A failure to open comes first, and is told on a terminal that nobody has touched.
  loading.catch(() => {});
  const opened = await open(flags);
  const pi = await loading;
  const screen = new Screen({
    ...{ pi, input: streams.input, output: streams.output, paint, colour },
    onLine: (text) => made.chat?.typed(text),
    onInterrupt: () => made.chat?.interrupted(),
    onEnd: () => made.chat?.ended(),
    onGone: () => made.chat?.leave(),
  });
  const { commands: own, faults } = await ownCommands(opened.workspace, {
    files: call.ports.files,
    taken: commandNames.map(({ name }) => name),
  });
  for (const fault of faults) early.push(paint.note(`  ! ${visibleLine(fault, 400)}`));
  screen.complete(completion(pi, { folder: opened.workspace, commands: [...commandNames, ...own] }));
  const edit = editorOf(call.env);
  made.approver = terminalApprover({
    ...{ screen, paint },
    nowMs: () => streams.nowMs(),
    tool: (name) => made.chat?.opened.agent.toolbox.all.get(name),
    ...(edit === undefined ? {} : { edit }),
  });
  const chat = new TerminalChat({ ...options, paint, screen, open, own }, opened);
  made.chat = chat;
  for (const line of early) chat.say(line);
  await chat.run();
  return chat.opened.agent.id;
}

interface Parts extends TerminalChatOptions {
  readonly paint: Paint;
  readonly screen: Screen;
  readonly own: readonly OwnCommand[];
  open(flags: AgentFlags): Promise<OpenedAgent>;
}

interface Turn {
  readonly stop: AbortController;
  readonly sinceMs: number;
  /** What the agent is at. */
  doing: string;
  status: string;
  /** It has its answer; what is typed now is for the next one. */
  over: boolean;
}

class TerminalChat implements ChatScene {
  readonly lines: EventLines;
  private turn: Turn | undefined;
  private leaving = false;
  private warned = false;
  /** Typed, and not yet said to the agent. */
  private readonly waiting: string[] = [];
  private wake: (() => void) | undefined;
  /** Of the model in this round. */
  private streamed = "";
  /** Told to the agent with what is said next. */
  private preface: string | undefined;
  private compacting = false;

  constructor(
    private readonly parts: Parts,
    public opened: OpenedAgent,
  ) {
    this.lines = new EventLines({ paint: parts.paint, tools: () => this.opened.agent.toolbox.all });
    for (const { role, content } of opened.agent.conversation.messages) {
      if (role !== "user") continue;
      for (const part of content) if (part.kind === "text") parts.screen.remember(withoutMentions(part.text));
    }
  }

  get paint(): Paint {
    return this.parts.paint;
  }
  get call(): Call {
    return this.parts.call;
  }
  get own(): readonly OwnCommand[] {
    return this.parts.own;
  }
  get isWorking(): boolean {
    return this.turn !== undefined;
  }

  say(line: string): void {
    this.parts.screen.say(line);
  }

  leave(): void {
    this.leaving = true;
    this.turn?.stop.abort();
    this.wake?.();
  }

  /** With what is said next, the agent hears this too. */
  tellNext(sentence: string): void {
    this.preface = this.preface === undefined ? sentence : `${this.preface}\n${sentence}`;
  }

  compactNext(): void {
    this.compacting = true;
  }

  /** The same session with another model; the one before goes on where that fails. */
  async changeModel(model: string): Promise<void> {
    const { call, flags, open } = this.parts;
    const { id } = this.opened.agent;
    const { model: before } = this.opened;
    const again = { ...flags, resume: id };
    if (call.signal.aborted) return;
    if (flags.tape !== undefined || flags.fromTape !== undefined) {
      throw new Failure("input_invalid", {
        message: "a tape is of one model, so another one cannot go on here",
        hint: "Leave, and go on with `bridle chat --resume --model <name>`.",
      });
    }
    await this.opened.close();
    try {
      this.opened = await open({ ...again, model });
    } catch (error) {
      this.opened = await open({ ...again, model: before });
      throw error;
    }
  }

  async run(): Promise<void> {
    const { call, streams, paint, screen, flags } = this.parts;
    const { agent, model, workspace, defaultOf } = this.opened;
    const outside = AbortSignal.any([call.signal, streams.closed]);
    outside.addEventListener("abort", () => this.leave(), { once: true });
    this.say(
      `  ${paint.strong("Bridle")} ${paint.dim(`${agent.id} · ${model}${defaultWords(defaultOf)} · ${workspace}`)}`,
    );
    this.say(paint.dim("  /help says what there is; Ctrl-C stops a turn, Ctrl-D leaves."));
    try {
      if (flags.resume !== undefined) await this.showEnd();
      if (agent.isInterrupted) {
        this.say(paint.note("  ! the session was interrupted; going on with what it was at"));
        await this.drive((signal) => this.opened.agent.resume({ signal }));
      }
      while (!this.leaving) await this.next();
    } finally {
      await this.opened.close();
      this.say(paint.dim(`  ${agent.id}; go on with \`bridle chat --resume\`.`));
      await screen.close();
    }
  }

  /** How the conversation ended that is gone on with. */
  private async showEnd(): Promise<void> {
    const { paint, screen, call } = this.parts;
    const last = await lastExchange(this.opened, call.ports);
    if (last === undefined) return;
    this.say(paint.dim(`  the end of ${last.sends === 1 ? "one ask" : `${last.sends} asks`}:`));
    this.echo(withoutMentions(last.asked));
    if (last.answer === undefined) return;
    screen.answer(last.answer);
    screen.endAnswer();
    if (last.reason !== "ok") this.say(paint.note(`  ${last.reason}`));
  }

  private async next(): Promise<void> {
    while (this.waiting.length === 0 && !this.leaving) await new Promise<void>((wake) => (this.wake = wake));
    const text = this.waiting.shift();
    if (text === undefined || this.leaving) return;
    this.warned = false;
    this.parts.screen.remember(text);
    this.echo(text);
    const own = ownCommandText(text, this.own);
    if (own !== undefined) this.echo(own);
    else if (await chatCommand(text, this)) return;
    const asked = await this.withFiles(own ?? text);
    const said = this.preface === undefined ? asked : `(${this.preface})\n\n${asked}`;
    const compact = this.compacting ? (true as const) : undefined;
    this.preface = undefined;
    this.compacting = false;
    await this.drive((signal) => this.opened.agent.send(said, { signal, compact }));
  }

  /** With the files that it mentions; the person sees which. */
  private async withFiles(said: string): Promise<string> {
    const { call, paint } = this.parts;
    const { text, lines } = await withMentions(said, { folder: this.opened.workspace, ports: call.ports });
    for (const line of lines) this.say(paint.dim(`  ${line}`));
    return text;
  }

  private echo(text: string): void {
    const { paint } = this.parts;
    const [first = "", ...others] = visible(text).split("\n");
    this.say(`${paint.strong("›")} ${first}${others.map((line) => `\n  ${line}`).join("")}`);
  }

  private async drive(begin: (signal: AbortSignal) => Promise<SendResult | undefined>): Promise<void> {
    const { screen, streams } = this.parts;
    const stop = new AbortController();
    const turn: Turn = { stop, sinceMs: streams.nowMs(), doing: "", status: "", over: false };
    this.turn = turn;
    screen.working = true;
    screen.status(() => {
      const seconds = Math.floor((streams.nowMs() - turn.sinceMs) / 1000);
      const doing = turn.doing === "" ? `asking ${this.opened.model}` : turn.doing;
      return [`${seconds} s`, doing, turn.status].filter((part) => part !== "").join(" · ");
    });
    try {
      await begin(stop.signal);
    } finally {
      this.turn = undefined;
      screen.working = false;
      screen.status(undefined);
    }
  }

  // --- What the person does ------------------------------------------------------------------------

  typed(text: string): void {
    if (text.trim() === "") return;
    if (this.turn === undefined || this.turn.over) {
      this.waiting.push(text);
      this.wake?.();
    } else void this.aside(text);
  }

  /** A word to the agent at work, or a command that can be answered meanwhile. */
  private async aside(text: string): Promise<void> {
    const own = ownCommandText(text, this.own);
    if (own === undefined && (await chatCommand(text, this))) return;
    const said = await this.withFiles(own ?? text);
    if (this.turn === undefined || this.turn.stop.signal.aborted) return;
    this.opened.agent.steer(said);
    this.parts.screen.remember(text);
    this.say(this.paint.dim(`  › ${visibleLine(text)}  (told before the next step)`));
  }

  interrupted(): void {
    const { streams, screen, paint } = this.parts;
    if (this.turn !== undefined) {
      if (this.turn.stop.signal.aborted) {
        // Nothing is lost: the log has every row that counted.
        screen.abandon();
        streams.quit(130);
      }
      this.turn.stop.abort();
      this.say(paint.note("  ! stopping; Ctrl-C again quits at once"));
      return;
    }
    if (screen.clearTyped()) return;
    if (this.warned) {
      this.leave();
      return;
    }
    this.warned = true;
    this.say(paint.dim("  Ctrl-C again leaves."));
  }

  /** Ctrl-D. */
  ended(): void {
    this.leaving = true;
    this.wake?.();
    if (this.turn !== undefined) this.say(this.paint.dim("  leaves when the turn is over; Ctrl-C stops it"));
  }

  // --- What happens --------------------------------------------------------------------------------

  heard(event: AgentEvent): void {
    const { screen, paint } = this.parts;
    for (const line of this.lines.of(event)) this.say(line);
    switch (event.type) {
      case "round_start":
        this.streamed = "";
        screen.endAnswer();
        this.doing("");
        return;
      case "provider_retry":
        this.streamed = "";
        screen.dropAnswer();
        return;
      case "text":
        this.doing(event.channel === "user" ? "answering" : "thinking");
        if (event.channel !== "user") return;
        this.streamed += event.delta;
        screen.answer(event.delta);
        return;
      case "tool_start":
        this.doing(visibleLine(event.name, 40));
        return;
      case "status":
        if (this.turn !== undefined) this.turn.status = statusText(event, this.opened.config.roundsMax);
        return;
      case "turn_end":
        this.turnEnded(event.result);
        return;
      case "approval_decision":
        if (event.decision === "timeout") this.say(paint.note(`  ! ${visibleLine(event.reason ?? "")}`));
        return;
      default:
    }
  }

  private doing(what: string): void {
    if (this.turn !== undefined) this.turn.doing = what;
  }

  private turnEnded(result: SendResult): void {
    const { screen, paint } = this.parts;
    screen.endAnswer();
    const shown = this.streamed.trim();
    if (shown === "" || !result.text.trimEnd().endsWith(shown)) {
      screen.answer(result.text);
      screen.endAnswer();
    }
    const how = `  ${endText(result)}`;
    this.say(result.reason === "ok" ? paint.dim(how) : paint.note(how));
    if (this.turn !== undefined) this.turn.over = true;
  }
}
