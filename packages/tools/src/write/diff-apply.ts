/**
 * Hunks put into a text, all of them or none.
 *
 * What a newcomer gets wrong: the line number of a hunk is a guess as well. A
 * hunk is found by its lines: where it says, then near by, then anywhere if there
 * is only one such place. Lines of the file that stay keep every byte.
 */
import { Failure } from "@bridle/record";
import type { Hunk, HunkLine } from "./diff-parse.js";
import { linesAround, nearestTo } from "./nearest.js";

/** How far from its line a hunk is looked for before the whole file is. */
const nearLines = 120;

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
    if (at === undefined)
      throw unplaced(lines, hunk, {
        path,
        which: hunks.length === 1 ? "the hunk" : `hunk ${i + 1} of ${hunks.length}`,
      });
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
  return result
    .map(({ text: own, end }, i) => own + (end === "" && i < result.length - 1 ? newline : end))
    .join("");
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
  const fits = (same: Same) => (at: number) => at >= from && fitsAt(lines, old, at, same);
  for (const same of [exactly, looselySpaced]) {
    for (let away = 0; stated !== undefined && away <= nearLines; away++) {
      const near = [stated + away, stated - away].find(fits(same));
      if (near !== undefined) return near;
    }
  }
  for (const same of [exactly, looselySpaced]) {
    const anywhere = [...lines.keys()].filter(fits(same));
    if (anywhere.length > 0) return anywhere.length === 1 ? anywhere[0] : undefined;
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

function unplaced(
  lines: readonly FileLine[],
  hunk: Hunk,
  { path, which }: { readonly path: string; readonly which: string },
): Failure {
  const texts = lines.map(({ text }) => text);
  const wanted = oldOf(hunk).map(({ text }) => text);
  const many =
    wanted.length > 0 &&
    texts.filter((_, at) => wanted.every((text, i) => texts[at + i]?.trimEnd() === text.trimEnd())).length >
      1;
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
