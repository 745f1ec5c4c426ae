/**
 * A unified diff as a model writes it, taken apart into hunks.
 *
 * What a newcomer gets wrong: the counts in a hunk's header are guesses. They
 * are believed only where they help, to tell a removed line `-- x` from the
 * header of another file; a hunk ends where its lines do.
 */
import { Failure } from "@bridle/record";

export interface HunkLine {
  readonly kind: " " | "-" | "+";
  readonly text: string;
  /** `\ No newline at end of file` follows it. */
  readonly bare: boolean;
}

export interface Hunk {
  /** Line in the old file, from 1; undefined when the header does not say. */
  readonly line: number | undefined;
  readonly lines: readonly HunkLine[];
}

interface Open {
  readonly line: number | undefined;
  readonly lines: HunkLine[];
  /** Lines of each side that the header still promises; undefined when it promises nothing. */
  left: { old: number; now: number } | undefined;
  /** Empty rows at the end, which may be context whose space was lost, or nothing. */
  blanks: number;
}

const header = /^@@(?: -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@)?/;

export function parseDiff(diff: string): readonly Hunk[] {
  const rows = diff.split(/\r?\n/);
  if (rows.at(-1) === "") rows.pop();
  const hunks: Open[] = [];
  for (const [i, row] of rows.entries()) {
    const found = header.exec(row);
    const hunk = hunks.at(-1);
    if (found !== null) hunks.push(opened(found));
    else if (hunk !== undefined) take(hunk, rows, i);
  }
  const done = hunks.map(closed);
  if (done.length === 0 || done.some(({ lines }) => lines.every(({ kind }) => kind === " "))) {
    throw invalid(
      "the diff has no hunk, or one that changes nothing",
      "Write `@@ -line,count +line,count @@` and below it the lines, each with ` `, `-` or `+` in front.",
    );
  }
  return done;
}

function opened([, line, old = "1", now = "1"]: RegExpExecArray): Open {
  if (line === undefined) return { line: undefined, lines: [], left: undefined, blanks: 0 };
  return { line: Number(line), lines: [], left: { old: Number(old), now: Number(now) }, blanks: 0 };
}

function take(hunk: Open, rows: readonly string[], i: number): void {
  const row = rows[i] as string;
  const promised = hunk.left !== undefined && (hunk.left.old > 0 || hunk.left.now > 0);
  if (!promised) requireSameFile(rows, i);
  const kind = row[0];
  if (kind === "\\") markBare(hunk.lines);
  else if (kind === undefined) hunk.blanks++;
  else if (kind === " " || kind === "-" || kind === "+") {
    takeBlanks(hunk);
    add(hunk, { kind, text: row.slice(1), bare: false });
  } else if (!/^(?:index |Index: |=+$|```)/.test(row)) {
    throw invalid(
      `line ${i + 1} of the diff, ${JSON.stringify(row.slice(0, 80))}, is no line of a hunk`,
      "Put ` `, `-` or `+` in front of every line.",
    );
  }
}

function add(hunk: Open, line: HunkLine): void {
  hunk.lines.push(line);
  if (hunk.left === undefined) return;
  if (line.kind !== "+") hunk.left.old--;
  if (line.kind !== "-") hunk.left.now--;
}

function takeBlanks(hunk: Open): void {
  for (; hunk.blanks > 0; hunk.blanks--) add(hunk, { kind: " ", text: "", bare: false });
}

function closed(hunk: Open): Hunk {
  const { left, blanks } = hunk;
  if (left !== undefined && left.old === left.now && left.old > 0 && left.old <= blanks) {
    hunk.blanks = left.old;
    takeBlanks(hunk);
  }
  return { line: hunk.line, lines: hunk.lines };
}

function requireSameFile(rows: readonly string[], i: number): void {
  const row = rows[i] as string;
  const isHeader =
    row.startsWith("diff --git ") || (row.startsWith("--- ") && rows[i + 1]?.startsWith("+++ ") === true);
  if (isHeader) throw invalid("the diff is about more than one file", "Make one call for each file.");
}

function markBare(lines: HunkLine[]): void {
  const last = lines.pop();
  if (last !== undefined) lines.push({ ...last, bare: true });
}

function invalid(message: string, hint: string): Failure {
  return new Failure("edit_invalid", { message: `${message}; nothing was changed`, hint });
}
