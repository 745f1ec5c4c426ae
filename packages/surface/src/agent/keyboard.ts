/**
 * The person at the keyboard: lines with history, questions in between, Ctrl-C.
 *
 * What a newcomer gets wrong: the terminal is read all the time, also while the
 * agent works, or Ctrl-C would not be heard. What is typed meanwhile is not shown
 * until it is a whole line; then it is for the agent at work.
 */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";

export interface KeyboardOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Oldest first. */
  readonly history: readonly string[];
  /** A line while nobody asked for one. */
  onAside(text: string): void;
  onInterrupt(): void;
}

export interface Question {
  /** Asked anew each second: it may count down. */
  prompt(): string;
  readonly signal?: AbortSignal;
  /** Stands there to be edited. */
  readonly prefill?: string;
  /** Kept for the arrow keys. */
  readonly remember?: boolean;
}

export class Keyboard {
  private waiting: ((text: string | undefined) => void) | undefined;
  private gathered: string[] = [];
  private muted = true;
  private closed = false;
  /** What the arrow keys bring back, newest first. */
  private kept: readonly string[];

  private constructor(
    private readonly lines: Interface,
    private readonly options: KeyboardOptions,
    private readonly mute: (muted: boolean) => void,
  ) {
    this.kept = [...this.history];
    lines.on("line", (line) => this.heard(line));
    lines.on("SIGINT", () => options.onInterrupt());
    lines.on("close", () => {
      this.closed = true;
      this.answer(undefined);
    });
  }

  static open(options: KeyboardOptions): Keyboard {
    const { input, output, history } = options;
    let muted = true;
    const door = new Writable({
      write(chunk: Buffer, _encoding, taken) {
        if (!muted) output.write(chunk);
        taken();
      },
    });
    Object.defineProperty(door, "columns", { get: () => output.columns || 80 });
    const lines = createInterface({
      input,
      output: door,
      terminal: true,
      historySize: 200,
      history: [...history].reverse(),
      prompt: "",
      // Before a lone Escape is taken for one; pasted sequences come in one piece.
      escapeCodeTimeout: 100,
    });
    return new Keyboard(lines, options, (value) => (muted = value));
  }

  /** Undefined when there will be no more lines, or the question was given up. */
  async ask({ prompt, signal, prefill, remember = false }: Question): Promise<string | undefined> {
    if (this.closed || signal?.aborted === true) return undefined;
    this.setMuted(false);
    this.lines.setPrompt(prompt());
    this.lines.prompt();
    if (prefill !== undefined) this.lines.write(prefill);
    const ticking = setInterval(() => this.redraw(prompt()), 1000);
    let givenUp = false;
    const over = () => {
      givenUp = true;
      this.answer(undefined);
    };
    signal?.addEventListener("abort", over, { once: true });
    try {
      return await new Promise<string | undefined>((resolve) => (this.waiting = resolve));
    } finally {
      clearInterval(ticking);
      signal?.removeEventListener("abort", over);
      if (givenUp) this.options.output.write("\n");
      if (remember) this.kept = [...this.history];
      else this.forget();
      this.setMuted(true);
    }
  }

  get isAsking(): boolean {
    return this.waiting !== undefined;
  }

  /** Whether something was typed that is not sent yet; it is taken away. */
  clearLine(): boolean {
    const typed = this.lines.line !== "";
    if (typed) {
      this.lines.write(null, { ctrl: true, name: "e" });
      this.lines.write(null, { ctrl: true, name: "u" });
    }
    return typed;
  }

  redraw(prompt?: string): void {
    if (this.waiting === undefined || this.closed || this.muted) return;
    if (prompt !== undefined && prompt === this.lines.getPrompt()) return;
    if (prompt !== undefined) this.lines.setPrompt(prompt);
    this.lines.prompt(true);
  }

  /** Gives the terminal to another program, and takes it back. */
  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.lines.pause();
    this.options.input.setRawMode?.(false);
    try {
      return await use();
    } finally {
      if (!this.closed) {
        this.options.input.setRawMode?.(true);
        this.lines.resume();
      }
    }
  }

  close(): void {
    this.lines.close();
    this.options.input.pause();
    this.options.input.unref?.();
  }

  /** Lines that come at once were pasted: they are one text. */
  private heard(line: string): void {
    this.gathered.push(line);
    if (this.gathered.length > 1) return;
    setImmediate(() => {
      const text = this.gathered.join("\n");
      this.gathered = [];
      if (this.waiting !== undefined) this.answer(text);
      else if (text.trim() !== "") {
        this.forget();
        this.options.onAside(text);
      }
    });
  }

  private answer(text: string | undefined): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.(text);
  }

  private setMuted(muted: boolean): void {
    this.muted = muted;
    this.mute(muted);
  }

  private get history(): string[] {
    return (this.lines as Interface & { history?: string[] }).history ?? [];
  }

  /** Answers to questions are none of the things that one says again. */
  private forget(): void {
    this.history.splice(0, this.history.length, ...this.kept);
  }
}
