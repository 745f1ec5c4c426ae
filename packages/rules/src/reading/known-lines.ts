/**
 * What is known of a file's lines from reads and searches.
 *
 * What a newcomer gets wrong: a read without line numbers begins at its offset,
 * and its last row may say how much is left instead of showing a line.
 */
import type { CallOutcome, ProposedCall } from "../types.js";
import { changedPart, type Replacement } from "./edits.js";

export class KnownLines {
  private readonly lines = new Map<number, string>();

  learn(call: ProposedCall, outcome: CallOutcome): void {
    if (call.tool === "grep_file") {
      for (const row of outcome.output.split("\n")) {
        const hit = /^(?:[^\s:]+:)?(\d+)[:-](?:\d+:)?(.*)$/.exec(row);
        if (hit !== null) this.lines.set(Number(hit[1]), hit[2]!);
      }
      return;
    }
    const { offset } = call.args;
    let line = typeof offset === "number" ? Math.max(1, offset) : 1;
    const numbered = call.args["line_numbers"] === true;
    for (const row of outcome.output.split("\n")) {
      const mark = numbered ? /^\s*(\d+)[\t|:→] ?(.*)$/.exec(row) : null;
      if (mark !== null) {
        const [, number, rest] = mark;
        this.lines.set(Number(number), /^\s*\d+\t/.test(row) ? row.slice(row.indexOf("\t") + 1) : rest!);
      } else if (!numbered && !/^…|more lines/.test(row)) this.lines.set(line, row);
      line++;
    }
  }

  /** The changed lines at every known place of the text; empty where none is known. */
  places(replacement: Replacement): { readonly first: number; readonly last: number }[] {
    const rows = replacement.search.split("\n");
    const part = changedPart(replacement);
    const found: { first: number; last: number }[] = [];
    for (const start of this.lines.keys()) {
      if (rows.every((row, index) => this.fits(row, start + index, index === 0, index === rows.length - 1))) {
        found.push({ first: start + part.first, last: start + part.last });
      }
    }
    return found;
  }

  private fits(row: string, number: number, first: boolean, last: boolean): boolean {
    const line = this.lines.get(number);
    // A search may end with the end of a line of which the next is not known.
    if (line === undefined) return last && !first && row === "";
    if (first && last) return row.trim() !== "" && line.includes(row);
    if (first) return line.trimEnd().endsWith(row.trimEnd());
    return last ? line.startsWith(row) : line.trimEnd() === row.trimEnd();
  }
}
