/**
 * A unified diff, as a model writes it: all hunks, applied together or not at all.
 *
 * What a newcomer gets wrong: line numbers and counts in such diffs are guesses.
 * A hunk is found by its lines: where it says, then near by, then anywhere if
 * there is only one such place. Lines of the file that stay keep every byte.
 */
import { Failure } from "@bridle/record";
import { linesAround, nearestTo } from "./nearest.js";

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

/** How far from its line a hunk is looked for before the whole file is. */
const nearLines = 120;

export function parseDiff(diff: string): readonly Hunk[] {
  const rows = diff.split(/\r?\n/);
  if (rows.at(-1) === "") rows.pop();
  const hunks: { line: number | undefined; counts: Counts | undefined; lines: HunkLine[] }[] = [];
  for (const [i, row] of rows.entries()) {
    const header = /^@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@)?/.exec(row);
    if (header !== null) {
      hunks.push({ line: header[1] === undefined ? undefined : Number(header[1]), counts: countsOf(header), lines: [] });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined || isFull(hunk)) {
      if (row.startsWith("\\") && hunk !== undefined) markBare(hunk.lines);
      else requireNoSecondFile(rows, i, hunks.length > 0);
      continue;
    }
    requireNoSecondFile(rows, i, hunk.counts === undefined);
    takeRow(hunk.lines, row);
  }
  if (hunks.length === 0 || hunks.some(({ lines }) => lines.every(({ kind }) => kind === " "))) {
    throw invalid("the diff has no hunk that changes something", "Write `@@ -line,count +line,count @@` and below it the lines, each with ` `, `-` or `+` in front.");
  }
  return hunks.map(({ line, lines }) => ({ line, lines }));
}

interface Counts {
  readonly old: number;
  readonly now: number;
}

function countsOf(header: RegExpExecArray): Counts | undefined {
  if (header[1] === undefined) return undefined;
  return { old: Number(header[2] ?? 1), now: Number(header[4] ?? 1) };
}

/**
 * Past what its header counts only what looks like a line of a hunk is taken:
 * counts may be too small, but what follows may also be talk or another header.
 */
function isFull({ counts, lines }: { readonly counts: Counts | undefined; readonly lines: readonly HunkLine[] }): boolean {
  if (counts === undefined) return false;
  const old = lines.filter(({ kind }) => kind !== "+").length;
  const now = lines.filter(({ kind }) => kind !== "-").length;
  return old === counts.old && now === counts.now;
}

function requireNoSecondFile(rows: readonly string[], i: number, look: boolean): void {
  const row = rows[i] as string;
  const isHeader = row.startsWith("diff --git ") || (row.startsWith("--- ") && rows[i + 1]?.startsWith("+++ ") === true);
  if (look && isHeader) throw invalid("the diff is about more than one file", "Make one call for each file.");
  if (look && /^[ +-]/.test(row) && !/^[+-]{3} /.test(row)) {
    throw invalid(`line ${i + 1} of the diff, ${JSON.stringify(row.slice(0, 80))}, is more than the hunk's header counts`, "Give the hunk the counts of its lines, or write a bare `@@`.");
  }
}

function takeRow(lines: HunkLine[], row: string): void {
  const kind = row[0];
  if (kind === "\\") markBare(lines);
  else if (kind === undefined) lines.push({ kind: " ", text: "", bare: false });
  else if (kind === " " || kind === "-" || kind === "+") lines.push({ kind, text: row.slice(1), bare: false });
  else {
    throw invalid(`${JSON.stringify(row.slice(0, 80))} is no line of a hunk`, "Put ` `, `-` or `+` in front of every line.");
  }
}

function markBare(lines: HunkLine[]): void {
  const last = lines.pop();
  if (last !== undefined) lines.push({ ...last, bare: true });
}

// --- Applying --------------------------------------------------------------------------------------

interface FileLine {
  readonly text: string;
  /** `\n`, `\r\n`, or nothing at the end of the file. */
  readonly end: string;
}

export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const lines = fileLines(text);
  const newline = lines.find(({ end }) => end !== "")?.end ?? "\n";
  const placed: { readonly at: number; readonly hunk: Hunk }[] = [];
  let drift = 0;
  for (const [i, hunk] of hunks.entries()) {
    const at = placeOf(lines, hunk, { drift, from: endOf(placed.at(-1)) });
    if (at === undefined) throw unplaced(lines, hunk, { path, which: hunks.length === 1 ? "the hunk" : `hunk ${i + 1} of ${hunks.length}` });
    if (hunk.line !== undefined) drift = at - statedAt(hunk, hunk.line);
    placed.push({ at, hunk });
  }
  const result: FileLine[] = [];
  let from = 0;
  for (const { at, hunk } of placed) {
    result.push(...lines.slice(from, at), ...changed(lines, at, hunk, newline));
    from = at + oldOf(hunk).length;
  }
  result.push(...lines.slice(from));
  return result.map(({ text: own, end }, i) => own + (end === "" && i < result.length - 1 ? newline : end)).join("");
}

function fileLines(text: string): FileLine[] {
  return [...text.matchAll(/([^\n]*?)(\r?\n|$)/gy)]
    .map(([, own = "", end = ""]) => ({ text: own, end }))
    .filter(({ text: own, end }) => own !== "" || end !== "");
}

function oldOf(hunk: Hunk): readonly HunkLine[] {
  return hunk.lines.filter(({ kind }) => kind !== "+");
}

function endOf(placed: { readonly at: number; readonly hunk: Hunk } | undefined): number {
  return placed === undefined ? 0 : placed.at + oldOf(placed.hunk).length;
}

function statedAt(hunk: Hunk, line: number): number {
  // A hunk without old lines stands behind the line that it names.
  return oldOf(hunk).length === 0 ? line : line - 1;
}

interface Search {
  readonly drift: number;
  /** Where the hunk before ends. */
  readonly from: number;
}

function placeOf(lines: readonly FileLine[], hunk: Hunk, { drift, from }: Search): number | undefined {
  const old = oldOf(hunk);
  const stated = hunk.line === undefined ? undefined : statedAt(hunk, hunk.line) + drift;
  if (old.length === 0) {
    return stated !== undefined && stated >= from && stated <= lines.length ? stated : undefined;
  }
  for (const same of [exactly, looselySpaced]) {
    const fits = (at: number) => at >= from && at + old.length <= lines.length && fitsAt(lines, old, at, same);
    for (let away = 0; stated !== undefined && away <= nearLines; away++) {
      const near = [stated + away, stated - away].find(fits);
      if (near !== undefined) return near;
    }
    const anywhere = Array.from({ length: Math.max(0, lines.length - old.length + 1) }, (_, at) => at).filter(fits);
    if (anywhere.length === 1) return anywhere[0];
    if (anywhere.length > 1) return undefined;
  }
  return undefined;
}

type Same = (own: string, wanted: string) => boolean;
const exactly: Same = (own, wanted) => own === wanted;
const looselySpaced: Same = (own, wanted) => own.trimEnd() === wanted.trimEnd();

function fitsAt(lines: readonly FileLine[], old: readonly HunkLine[], at: number, same: Same): boolean {
  return old.every((wanted, i) => {
    const own = lines[at + i];
    return own !== undefined && same(own.text, wanted.text) && (!wanted.bare || own.end === "");
  });
}

/** The lines that stand there afterwards. */
function changed(lines: readonly FileLine[], at: number, hunk: Hunk, newline: string): FileLine[] {
  let next = at;
  const result: FileLine[] = [];
  for (const { kind, text, bare } of hunk.lines) {
    if (kind === "+") result.push({ text, end: bare ? "" : endNear(lines, next, newline) });
    else {
      if (kind === " ") result.push(lines[next] as FileLine);
      next++;
    }
  }
  return result;
}

function endNear(lines: readonly FileLine[], at: number, newline: string): string {
  return lines[at]?.end || lines[at - 1]?.end || newline;
}

function unplaced(lines: readonly FileLine[], hunk: Hunk, { path, which }: { readonly path: string; readonly which: string }): Failure {
  const texts = lines.map(({ text }) => text);
  const wanted = oldOf(hunk).map(({ text }) => text);
  const many = wanted.length > 0 && texts.filter((_, at) => wanted.every((text, i) => texts[at + i]?.trimEnd() === text.trimEnd())).length > 1;
  if (many) {
    return new Failure("edit_unmatched", {
      message: `${which} fits more than one place of ${path}, none of them near the line that it names; nothing was changed`,
      hint: "Give more lines around the change, or the right line number in `@@ -line`.",
    });
  }
  const nearest = nearestTo(texts, wanted);
  const near =
    nearest !== undefined
      ? `\nNearest, from line ${nearest.line}:\n${nearest.shown}`
      : hunk.line === undefined || lines.length === 0
        ? ""
        : `\nThere stands:\n${linesAround(texts, hunk.line)}`;
  return new Failure("edit_unmatched", {
    message: `${which} does not fit ${path}: its old lines stand nowhere as they are; nothing was changed${near}`,
    hint: "Read the place again and copy the lines exactly, or use replacements.",
  });
}

function invalid(message: string, hint: string): Failure {
  return new Failure("edit_invalid", { message: `${message}; nothing was changed`, hint });
}
