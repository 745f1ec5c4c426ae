/**
 * The screen of a conversation, from top to bottom: what was said, a line of status
 * while the agent works, a question while there is one, and where one types.
 *
 * What a newcomer gets wrong: one can always type. A line goes to whoever asks a
 * question and to the conversation otherwise; what was half typed when a question
 * came is put aside and stands there again afterwards, so that no word meant for
 * the agent is taken for an answer.
 */
import type { AutocompleteProvider, Component, TUI } from "@earendil-works/pi-tui";
import type { Paint } from "@bridle/operation";
import type { Pi } from "./pi.js";
import { TerminalPort } from "./port.js";
import { Prompt } from "./prompt.js";
import { markdownTheme } from "./theme.js";
import { Transcript, wrapped } from "./transcript.js";

export interface ScreenOptions {
  readonly pi: Pi;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly paint: Paint;
  readonly colour: boolean;
  /** A line that nobody asked for. */
  onLine(text: string): void;
  onInterrupt(): void;
  /** Ctrl-D on an empty line. */
  onEnd(): void;
  /** There is no terminal any more. */
  onGone(): void;
}

export interface Question {
  /** Above where one types, drawn anew each second: it may count down. */
  lines(width: number): readonly string[];
  readonly mark?: string;
  /** Stands there to be edited. */
  readonly prefill?: string;
  readonly signal?: AbortSignal;
}

export class Screen {
  private readonly tui: TUI;
  private readonly port: TerminalPort;
  private readonly transcript: Transcript;
  private readonly prompt: Prompt;
  private statusText: (() => string) | undefined;
  private asking: { readonly question: Question; answer(text: string | undefined): void } | undefined;
  private draft = "";
  private readonly ticking: NodeJS.Timeout;
  private closed = false;
  private onFrame: (() => void) | undefined;
  /** Whether the agent is at work: then a line is a word to it on the way. */
  working = false;

  constructor(private readonly options: ScreenOptions) {
    const { pi, input, output, paint, colour, onGone } = options;
    this.port = new TerminalPort({ pi, input, output, onGone });
    this.tui = new pi.TUI(this.port, true);
    this.transcript = new Transcript({ pi, theme: markdownTheme(paint, colour), colour });
    this.prompt = new Prompt({
      ...{ pi, tui: this.tui, paint },
      mark: () => (this.asking === undefined && this.working ? "» " : (this.asking?.question.mark ?? "› ")),
      onLine: (text) => this.typed(text),
    });
    this.tui.addChild(this.transcript);
    this.tui.addChild(this.between());
    this.tui.addChild(this.prompt);
    this.tui.setFocus(this.prompt);
    this.tui.addInputListener((data) => this.heard(data));
    this.tui.start();
    this.ticking = setInterval(() => this.draw(), 1000);
  }

  get rows(): number {
    return this.port.rows;
  }
  get columns(): number {
    return this.port.columns;
  }

  /** Our own, already made visible. */
  say(line: string): void {
    this.transcript.line(line);
    this.draw();
  }

  /** Of a model, as it arrives. */
  answer(delta: string): void {
    this.transcript.answer(delta);
    this.draw();
  }

  endAnswer(): void {
    this.transcript.endAnswer();
  }

  dropAnswer(): void {
    this.transcript.dropAnswer();
  }

  /** Asked anew each second; undefined when there is nothing to say. */
  status(text: (() => string) | undefined): void {
    this.statusText = text;
    this.draw();
  }

  remember(text: string): void {
    this.prompt.remember(text);
  }

  complete(provider: AutocompleteProvider): void {
    this.prompt.complete(provider);
  }

  /** Undefined when the question was given up, or nobody is there any more. One at a time. */
  async ask(question: Question): Promise<string | undefined> {
    const { signal, prefill = "" } = question;
    if (this.closed || signal?.aborted === true) return undefined;
    this.draft = this.prompt.text;
    this.prompt.text = prefill;
    const over = () => this.asking?.answer(undefined);
    signal?.addEventListener("abort", over, { once: true });
    try {
      return await new Promise<string | undefined>((answer) => {
        this.asking = { question, answer };
        this.draw();
      });
    } finally {
      signal?.removeEventListener("abort", over);
      this.asking = undefined;
      this.prompt.text = this.draft;
      this.draft = "";
      this.draw();
    }
  }

  /** Whether something was typed that is not sent yet; it is taken away. */
  clearTyped(): boolean {
    const typed = this.prompt.text !== "";
    if (typed) this.prompt.text = "";
    this.draw();
    return typed;
  }

  /** Gives the terminal to another program, and takes it back. */
  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.tui.stop();
    try {
      return await use();
    } finally {
      if (!this.closed) this.takeBack();
    }
  }

  /** What was said stays there; where one typed is gone. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.statusText = undefined;
    this.asking?.answer(undefined);
    this.transcript.endAnswer();
    this.tui.removeChild(this.prompt);
    await this.drawn();
    this.abandon();
  }

  /** At once, with whatever is on the screen. */
  abandon(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.ticking);
    this.asking?.answer(undefined);
    this.tui.stop();
    this.options.input.unref?.();
  }

  /** Resolves when everything that was said is on the screen. */
  private async drawn(): Promise<void> {
    if (this.closed) return;
    const frame = new Promise<void>((done) => (this.onFrame = done));
    this.draw();
    await frame;
  }

  private takeBack(): void {
    this.tui.start();
    this.tui.requestRender(true);
  }

  private draw(): void {
    if (!this.closed) this.tui.requestRender();
  }

  private typed(text: string): void {
    if (this.asking === undefined) this.options.onLine(text);
    else this.asking.answer(text);
  }

  /** The keys that belong to nobody who types. */
  private heard(data: string): { readonly consume: true } | undefined {
    const { pi, onInterrupt, onEnd } = this.options;
    if (pi.matchesKey(data, "ctrl+c")) onInterrupt();
    else if (pi.matchesKey(data, "ctrl+d") && this.prompt.text === "") onEnd();
    else if (pi.matchesKey(data, "ctrl+z")) this.suspend();
    else return undefined;
    return { consume: true };
  }

  private suspend(): void {
    if (process.platform === "win32") return;
    this.tui.stop();
    process.once("SIGCONT", () => {
      if (!this.closed) this.takeBack();
    });
    process.kill(process.pid, "SIGTSTP");
  }

  /** Status and question, between what was said and where one types. */
  private between(): Component {
    const { pi, paint } = this.options;
    return {
      invalidate() {},
      render: (width) => {
        // It is written when every part has said its lines.
        if (this.onFrame !== undefined) setImmediate(this.onFrame);
        this.onFrame = undefined;
        if (this.asking !== undefined)
          return this.asking.question.lines(width).flatMap((line) => wrapped(line, width, pi));
        if (this.statusText === undefined) return [];
        return [paint.dim(pi.truncateToWidth(`  ${this.statusText()}`, width, "…"))];
      },
    };
  }
}
