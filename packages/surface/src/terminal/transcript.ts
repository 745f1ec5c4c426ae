/**
 * What was said and done, from top to bottom: lines of ours, and answers of the
 * model as Markdown, of which the last one may still grow.
 *
 * What a newcomer gets wrong: pi-tui compares every line of every frame, and lines
 * above the screen cannot be changed any more. So an answer is cut into pieces that
 * are over, and what lies far above is forgotten here; the terminal still has it.
 */
import type { Component, MarkdownTheme } from "@earendil-works/pi-tui";
import { safeText } from "../cli/paint.js";
import { visible } from "../agent/visible.js";
import type { Pi } from "./pi.js";

/** Lines that are drawn again when the window changes; beyond the larger number the oldest go. */
const linesKept = 2000;
const linesMax = 4000;
/** Of an answer that still grows: from here on, paragraphs that are over are no longer looked at. */
const growingCharsMax = 4000;
/** Without a place to cut it, such as one line of a megabyte, the rest is shown as it is. */
const uncutCharsMax = 8000;

/** From here on a line is cut by cells and not by words, which would take seconds. */
const lineCharsMax = 2000;
const unreadable = new RegExp(`[^\\n]{${lineCharsMax + 1}}`);

type Piece = { readonly kind: "line" | "markdown"; readonly text: string };

export interface TranscriptOptions {
  readonly pi: Pi;
  readonly theme: MarkdownTheme;
  readonly colour: boolean;
}

export class Transcript implements Component {
  private pieces: Piece[] = [];
  /** Of the pieces before `drawn`, at this width. */
  private lines: string[] = [];
  private drawn = 0;
  private width = 0;
  /** The answer as it arrives, without its pieces that are over. */
  private growing = "";
  private grown: { readonly text: string; readonly lines: readonly string[] } | undefined;

  constructor(private readonly options: TranscriptOptions) {}

  /** Ours, already made visible, with our colours; may be of several lines. */
  line(text: string): void {
    this.endAnswer();
    this.pieces.push({ kind: "line", text });
  }

  /** Of a model, as it arrives. */
  answer(delta: string): void {
    this.growing += delta;
    while (this.growing.length > growingCharsMax) {
      const cut = paragraphEnd(this.growing);
      if (cut > 0) this.over(cut, "markdown");
      else if (this.growing.length > uncutCharsMax) this.over(lastLineEnd(this.growing), "line");
      else break;
    }
  }

  endAnswer(): void {
    if (this.growing.trim() !== "") this.over(this.growing.length, "markdown");
    this.growing = "";
  }

  /** The provider begins again: what arrived of this answer counts no more. */
  dropAnswer(): void {
    this.growing = "";
  }

  invalidate(): void {
    this.width = 0;
  }

  render(width: number): string[] {
    if (width !== this.width) {
      this.width = width;
      this.lines = [];
      this.drawn = 0;
      this.grown = undefined;
    }
    for (; this.drawn < this.pieces.length; this.drawn++)
      this.lines.push(...this.linesOf(this.pieces[this.drawn] as Piece));
    this.forget();
    return [...this.lines, ...this.growingLines()];
  }

  private over(length: number, kind: Piece["kind"]): void {
    const text = this.growing.slice(0, length).replace(/^\n+|\s+$/g, "");
    this.growing = this.growing.slice(length);
    if (text !== "") this.pieces.push({ kind, text: kind === "line" ? visible(text) : text });
  }

  private forget(): void {
    if (this.lines.length <= linesMax) return;
    this.lines = this.lines.slice(-linesKept);
    // How many lines a piece has depends on the width; one has at least one.
    this.pieces = this.pieces.slice(-linesKept);
    this.drawn = this.pieces.length;
  }

  private growingLines(): readonly string[] {
    const text = this.growing.trim() === "" ? "" : this.growing;
    if (this.grown?.text !== text)
      this.grown = { text, lines: text === "" ? [] : this.linesOf({ kind: "markdown", text }) };
    return this.grown.lines;
  }

  private linesOf({ kind, text }: Piece): string[] {
    if (kind === "line") return wrapped(text, this.width, this.options.pi);
    return unreadable.test(text)
      ? wrapped(visible(text), this.width, this.options.pi)
      : this.markdownLines(text);
  }

  private markdownLines(text: string): string[] {
    const { pi, theme, colour } = this.options;
    const markdown = new pi.Markdown(visible(text), 0, 0, theme);
    // Nothing but our colours comes out of it, whatever a parser may make of what went in.
    return markdown
      .render(this.width)
      .map((line) => fitted(safeText(line.trimEnd(), colour), this.width, pi));
  }
}

// oxlint-disable-next-line no-control-regex
const colourCode = /\u001b\[[0-9;]*m/g;
// oxlint-disable-next-line no-control-regex
const indented = /^((?:\u001b\[[0-9;]*m)*)( *)(.*)$/su;

/** Lines of at most `width` cells; what goes on stands a little further in than what it belongs to. */
export function wrapped(text: string, width: number, pi: Pi): string[] {
  return text
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => {
      if (pi.visibleWidth(line) <= width) return [line];
      // Colours may stand before the spaces.
      const [, colours = "", spaces = "", rest = ""] = indented.exec(line) ?? [];
      const indent = Math.min(spaces.length, width >> 1);
      const room = Math.max(1, width - indent - 2);
      const parts =
        rest.length > lineCharsMax ? cut(rest, room, pi) : pi.wrapTextWithAnsi(colours + rest, room);
      return parts.map((part, i) => fitted(" ".repeat(indent + (i === 0 ? 0 : 2)) + part, width, pi));
    });
}

/** A line that nobody reads by words, such as a minified file: by cells alone, without its colours. */
function cut(line: string, room: number, pi: Pi): string[] {
  const text = line.replace(colourCode, "");
  if (/^[ -~]*$/.test(text)) return text.match(new RegExp(`.{1,${room}}`, "g")) ?? [];
  return (text.match(/[^]{1,500}/gu) ?? []).flatMap((part) => pi.wrapTextWithAnsi(part, room));
}

/** pi-tui ends the program over a line that is too long. */
function fitted(line: string, width: number, pi: Pi): string {
  return pi.visibleWidth(line) <= width ? line : pi.truncateToWidth(line, width, "");
}

/** Behind the last empty line that is not within a block of code; 0 where there is none. */
function paragraphEnd(text: string): number {
  for (let at = text.lastIndexOf("\n\n"); at > 0; at = text.lastIndexOf("\n\n", at - 1)) {
    const fences = text.slice(0, at).match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
    if (fences % 2 === 0) return at + 2;
  }
  return 0;
}

function lastLineEnd(text: string): number {
  const at = text.lastIndexOf("\n");
  return at < 0 ? text.length : at + 1;
}
