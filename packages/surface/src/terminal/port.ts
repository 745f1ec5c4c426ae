/**
 * The terminal that pi-tui draws on: the process's own streams.
 *
 * What a newcomer gets wrong: pi-tui clears the terminal's history when it draws
 * everything anew. What stood there before the conversation began is not ours, so
 * that history is never cleared: at the same width only the screen is drawn again,
 * and at another width the whole conversation is written below what is there. When
 * the terminal was lent to another program, its screen is not cleared either.
 */
import type { StdinBuffer, Terminal } from "@earendil-works/pi-tui";
import type { Pi } from "./pi.js";

const clearEverything = "\u001b[2J\u001b[H\u001b[3J";
const clearScreen = "\u001b[2J\u001b[H";
/** pi-tui closes a link at the end of each line; we open none. */
const closeLink = "\u001b]8;;\u0007";
/** A window that is being dragged says so many times. */
const resizeMs = 80;
/** After an Escape alone, before it is taken for one. */
const escapeMs = 50;

export interface PortOptions {
  readonly pi: Pi;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** The person is gone. */
  onGone(): void;
}

export class TerminalPort implements Terminal {
  readonly kittyProtocolActive = false;
  private stdin: StdinBuffer | undefined;
  private stopping: (() => void) | undefined;
  private drawnWidth = 0;
  private started = false;
  private takenBack = false;

  constructor(private readonly options: PortOptions) {
    this.drawnWidth = this.columns;
  }

  get columns(): number {
    return this.options.output.columns || 80;
  }

  get rows(): number {
    return this.options.output.rows || 24;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { pi, input, output, onGone } = this.options;
    this.takenBack = this.started;
    this.started = true;
    const stdin = new pi.StdinBuffer({ timeout: escapeMs });
    stdin.on("data", onInput);
    stdin.on("paste", (text) => onInput(`\u001b[200~${text}\u001b[201~`));
    const heard = (data: string | Buffer) => stdin.process(data);
    let resizing: NodeJS.Timeout | undefined;
    const resized = () => {
      clearTimeout(resizing);
      resizing = setTimeout(onResize, resizeMs);
    };
    input.setRawMode?.(true);
    input.setEncoding("utf8");
    input.on("data", heard);
    input.on("end", onGone);
    input.resume();
    output.on("resize", resized);
    // What is pasted comes in one piece, marked as pasted.
    output.write("\u001b[?2004h");
    this.stdin = stdin;
    this.stopping = () => {
      clearTimeout(resizing);
      output.off("resize", resized);
      input.off("data", heard);
      input.off("end", onGone);
      output.write("\u001b[?2004l");
      input.pause();
      input.setRawMode?.(false);
    };
  }

  stop(): void {
    this.stopping?.();
    this.stopping = undefined;
    this.stdin?.destroy();
    this.stdin = undefined;
  }

  async drainInput(): Promise<void> {
    // Only keys of the kitty protocol come late, and it is not asked for.
  }

  write(data: string): void {
    this.options.output.write(this.kept(data).replaceAll(closeLink, ""));
  }

  private kept(data: string): string {
    const at = data.indexOf(clearEverything);
    if (at < 0) return data;
    const before = data.slice(0, at) + (this.takenBack ? "" : clearScreen);
    this.takenBack = false;
    const lines = data.slice(at + clearEverything.length).split("\r\n");
    const sameWidth = this.drawnWidth === this.columns;
    this.drawnWidth = this.columns;
    return before + (sameWidth ? lines.slice(-this.rows) : lines).join("\r\n");
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`);
  }
  hideCursor(): void {
    this.write("\u001b[?25l");
  }
  showCursor(): void {
    this.write("\u001b[?25h");
  }
  clearLine(): void {
    this.write("\u001b[K");
  }
  clearFromCursor(): void {
    this.write("\u001b[J");
  }
  clearScreen(): void {
    this.write(clearScreen);
  }
  setTitle(): void {
    // The window's title belongs to the shell.
  }
  setProgress(): void {
    // The status line says how far it is.
  }
}
