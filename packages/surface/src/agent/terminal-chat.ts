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
import type { Call, Paint } from "@bridle/operation";
import { paintFor, wantsColour } from "../cli/paint.js";
import { terminalApprover } from "./approval.js";
import { type ChatScene, chatCommand } from "./chat-commands.js";
import type { ChatDesk } from "./desk.js";
import { editorOf } from "./editor.js";
import { endText, EventLines, statusText } from "./event-lines.js";
import { Keyboard } from "./keyboard.js";
import { type AgentFlags, type OpenedAgent, openConversation } from "./open.js";
import { Screen } from "./screen.js";
import { visible, visibleLine } from "./visible.js";

export interface TerminalChatOptions {
  readonly call: Call;
  readonly flags: AgentFlags;
  readonly desk: ChatDesk;
}

/** Resolves when the person leaves, with the name of the session. */
export async function chatAtTerminal(options: TerminalChatOptions): Promise<string> {
  const { call, flags, desk } = options;
  const paint = paintFor(wantsColour(call.env, true));
  // They need each other; nothing happens before all of them are there.
  const made: { chat?: TerminalChat; approver?: Approver } = {};
  const screen = new Screen({
    write: (text) => void desk.output.write(text),
    columns: () => desk.output.columns || 80,
    redraw: () => made.chat?.keyboard.redraw(),
  });
  const opened = await openConversation({
    call,
    flags,
    onEvent: (event) => made.chat?.heard(event),
    notice: (sentence) => screen.line(paint.note(`  ! ${visibleLine(sentence, 400)}`)),
    approver: (request, signal) => {
      if (made.approver === undefined) throw new Error("nobody is there yet");
      return made.approver(request, signal);
    },
  });
  const keyboard = Keyboard.open({
    input: desk.input,
    output: desk.output,
    history: opened.agent.conversation.messages.flatMap((message) =>
      message.role === "user"
        ? message.content.flatMap((part) => (part.kind === "text" ? [part.text] : []))
        : [],
    ),
    onAside: (text) => made.chat?.aside(text),
    onInterrupt: () => made.chat?.interrupted(),
  });
  const edit = editorOf(call.env);
  made.approver = terminalApprover({
    keyboard,
    paint,
    say: (line) => screen.line(line),
    asking: (asking) => (screen.asking = asking),
    nowMs: () => desk.nowMs(),
    ...(edit === undefined ? {} : { edit }),
  });
  made.chat = new TerminalChat({ ...options, paint, screen, keyboard, opened });
  await made.chat.run();
  return opened.agent.id;
}

interface Parts extends TerminalChatOptions {
  readonly paint: Paint;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly opened: OpenedAgent;
}

class TerminalChat implements ChatScene {
  readonly lines: EventLines;
  costUsd = 0;
  private turn: AbortController | undefined;
  private leaving = false;
  private warned = false;
  /** Of the model in this round. */
  private streamed = "";

  constructor(private readonly parts: Parts) {
    this.lines = new EventLines({ paint: parts.paint, tools: () => parts.opened.agent.toolbox.all });
  }

  get keyboard(): Keyboard {
    return this.parts.keyboard;
  }
  get paint(): Paint {
    return this.parts.paint;
  }
  get opened(): OpenedAgent {
    return this.parts.opened;
  }
  get call(): Call {
    return this.parts.call;
  }

  say(line: string): void {
    this.parts.screen.line(line);
  }

  leave(): void {
    this.leaving = true;
    this.turn?.abort();
    this.keyboard.close();
  }

  async run(): Promise<void> {
    const { call, desk, opened, paint, screen } = this.parts;
    const { agent } = opened;
    const outside = AbortSignal.any([call.signal, desk.closed]);
    outside.addEventListener("abort", () => this.leave(), { once: true });
    this.say(
      `  ${paint.strong("Bridle")} ${paint.dim(`${agent.id} · ${opened.model} · ${opened.workspace}`)}`,
    );
    this.say(paint.dim("  /help says what there is; Ctrl-C stops a turn, Ctrl-D leaves."));
    try {
      if (agent.isInterrupted) {
        this.say(paint.note("  ! the session was interrupted; going on with what it was at"));
        await this.drive((signal) => agent.resume({ signal }));
      }
      while (!this.leaving) await this.next();
    } finally {
      screen.clearStatus();
      this.keyboard.close();
      await opened.close();
    }
    this.say(paint.dim(`  ${agent.id}; go on with \`bridle chat --resume\`.`));
  }

  private async next(): Promise<void> {
    const { paint, screen } = this.parts;
    screen.asking = true;
    const text = await this.keyboard.ask({ prompt: () => paint.strong("› "), remember: true });
    screen.asking = false;
    if (text === undefined) {
      if (!this.leaving) this.parts.desk.output.write("\n");
      this.leaving = true;
      return;
    }
    this.warned = false;
    const said = text.trim();
    if (said === "") return;
    if (/^\/\w*$/.test(said)) await chatCommand(said.slice(1), this);
    else await this.drive((signal) => this.opened.agent.send(text, { signal }));
  }

  private async drive(begin: (signal: AbortSignal) => Promise<SendResult | undefined>): Promise<void> {
    const turn = new AbortController();
    this.turn = turn;
    try {
      await begin(turn.signal);
    } finally {
      this.turn = undefined;
      this.parts.screen.clearStatus();
    }
  }

  // --- What the person does meanwhile --------------------------------------------------------------

  interrupted(): void {
    const { desk, screen, paint } = this.parts;
    if (this.turn !== undefined) {
      if (this.turn.signal.aborted) {
        // Nothing is lost: the log has every row that counted.
        this.keyboard.close();
        screen.clearStatus();
        desk.quit(130);
      }
      this.turn.abort();
      this.say(paint.note("  ! stopping; Ctrl-C again quits at once"));
      return;
    }
    if (this.keyboard.clearLine()) return;
    if (this.warned) {
      this.leave();
      return;
    }
    this.warned = true;
    this.say(paint.dim("  Ctrl-C again leaves."));
  }

  aside(text: string): void {
    if (this.turn === undefined || this.turn.signal.aborted) return;
    this.opened.agent.steer(text);
    this.say(this.paint.dim(`  › ${visibleLine(text)}  (told before the next step)`));
  }

  // --- What happens --------------------------------------------------------------------------------

  heard(event: AgentEvent): void {
    const { screen, paint } = this.parts;
    for (const line of this.lines.of(event)) this.say(line);
    switch (event.type) {
      case "round_start":
      case "provider_retry":
        this.streamed = "";
        screen.endLine();
        return;
      case "text":
        if (event.channel !== "user") return;
        this.streamed += event.delta;
        screen.text(event.delta);
        return;
      case "status":
        screen.status(statusText(event, this.opened.config.roundsMax));
        return;
      case "turn_end":
        this.ended(event.result);
        return;
      case "approval_decision":
        if (event.decision === "timeout") this.say(paint.note(`  ! ${visibleLine(event.reason ?? "")}`));
        return;
      default:
    }
  }

  private ended(result: SendResult): void {
    const { screen, paint } = this.parts;
    screen.endLine();
    const shown = this.streamed.trim();
    if (shown === "" || !result.text.trimEnd().endsWith(shown)) this.say(visible(result.text.trimEnd()));
    this.costUsd += result.costUsd;
    const how = `  ${endText(result)}`;
    this.say(result.reason === "ok" ? paint.dim(how) : paint.note(how));
  }
}
