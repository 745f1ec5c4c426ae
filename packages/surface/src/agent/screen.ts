/**
 * The terminal of a conversation: text that streams, lines, and below them one
 * line of status that gives way to whatever comes.
 */
import { displayWidth } from "@bridle/operation";
import { VisibleStream } from "./visible.js";

export interface ScreenOptions {
  write(text: string): void;
  columns(): number;
  /** Draws again what stood at the bottom before something was written above it. */
  redraw?(): void;
}

export class Screen {
  /** Whether the cursor stands behind text that has not ended its line. */
  private midLine = false;
  private hasStatus = false;
  private stream = new VisibleStream();
  /** While a person is asked something, lines go above the question. */
  asking = false;

  constructor(private readonly options: ScreenOptions) {}

  /** Of a model, as it arrives. */
  text(delta: string): void {
    const shown = this.stream.take(delta);
    if (shown === "") return;
    this.clearStatus();
    this.options.write(shown);
    this.midLine = !shown.endsWith("\n");
  }

  /** Our own, already made visible. */
  line(text: string): void {
    this.clearStatus();
    this.endLine();
    if (this.asking) this.options.write("\r\u001b[2K");
    this.options.write(`${text}\n`);
    if (this.asking) this.options.redraw?.();
  }

  /** Only where nothing is in the way. */
  status(text: string): void {
    if (this.midLine || this.asking) return;
    const room = Math.max(10, this.options.columns() - 1);
    this.options.write(`\r\u001b[2K\u001b[2m${clipped(`  ${text}`, room)}\u001b[22m`);
    this.hasStatus = true;
  }

  clearStatus(): void {
    if (!this.hasStatus) return;
    this.hasStatus = false;
    this.options.write("\r\u001b[2K");
  }

  /** The text so far is over. */
  endLine(): void {
    this.stream = new VisibleStream();
    if (this.midLine) this.options.write("\n");
    this.midLine = false;
  }
}

function clipped(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return `${text.slice(0, Math.max(0, columns - 1))}…`;
}
