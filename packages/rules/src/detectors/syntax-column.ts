/**
 * R-SYNTAX-COLUMN: an edit changes something, and after an error that names its
 * place it changes something near that place.
 *
 * What a newcomer gets wrong: often nobody can say on which lines a replacement
 * falls. It is far only when everything it touches is known and far.
 */
import { pathOf, plainPath, samePath } from "../paths.js";
import { hunksOf, replacementsOf } from "../reading/edits.js";
import { KnownLines } from "../reading/known-lines.js";
import { changesOf } from "../reading/changes.js";
import type { CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

/** Lines further away than this are another place. */
const nearLines = 10;
/** Longer than this, what stands before a place is no path. */
const pathCharsMax = 200;

export const syntaxColumn: Detector = {
  begin() {
    /** Of the newest error: the lines that it names, by path. */
    let errors = new Map<string, number[]>();
    const known = new Map<string, KnownLines>();

    return {
      proposed(call): Finding | undefined {
        if (call.tool !== "edit_file") return undefined;
        const path = pathOf(call.args);
        if (path === undefined) return undefined;
        if (hasEqualSides(call)) {
          return {
            what: `The edit of ${path} replaces a text by itself.`,
            remedy: `Read the line of ${path} again and give a replacement that differs from it.`,
          };
        }
        const lines = [...errors].find(([named]) => samePath(named, path))?.[1];
        if (lines === undefined) return undefined;
        const away = distance(call, lines, known.get(path));
        if (away === undefined || away <= nearLines) return undefined;
        return {
          what: `The error names ${path}:${lines[0]}, and the next edit of it is ${away} lines away.`,
          remedy: `Look at ${path}:${lines[0]} first and edit there, or say why the cause is elsewhere.`,
        };
      },
      ran(call, outcome) {
        const { tool, args } = call;
        const path = tool === "read_file" || tool === "grep_file" ? pathOf(args) : undefined;
        const named = outcome.ok ? undefined : placesIn(outcome);
        if (named !== undefined && named.size > 0) errors = named;
        // After a success something may have been mended; where that is not known, nothing is held against anybody.
        else if (outcome.ok && changesOf(call, outcome).length > 0) {
          errors = new Map();
          known.clear();
        }
        if (path !== undefined && outcome.ok) {
          const lines = known.get(path) ?? new KnownLines();
          lines.learn(call, outcome);
          known.set(path, lines);
        }
        return undefined;
      },
    };
  },
};

function hasEqualSides(call: ProposedCall): boolean {
  if (replacementsOf(call.args).some(({ search, replace }) => search === replace)) return true;
  const { diff } = call.args;
  if (typeof diff !== "string") return false;
  return (hunksOf(diff) ?? []).some(
    ({ removed, added }) => removed.length > 0 && removed.join("\n") === added.join("\n"),
  );
}

/** Between what the edit changes and the nearest line of the error; undefined where it is not known. */
function distance(
  call: ProposedCall,
  errors: readonly number[],
  known: KnownLines | undefined,
): number | undefined {
  const { diff } = call.args;
  const spans: { first: number; last: number }[] = [];
  if (typeof diff === "string") {
    const hunks = hunksOf(diff);
    if (hunks === undefined) return undefined;
    for (const { lines } of hunks) for (const line of lines) spans.push({ first: line, last: line });
  } else {
    for (const replacement of replacementsOf(call.args)) {
      const places = known?.places(replacement) ?? [];
      if (places.length === 0) return undefined;
      for (const place of places) spans.push(place);
    }
  }
  if (spans.length === 0) return undefined;
  let nearest = Number.POSITIVE_INFINITY;
  for (const span of spans) for (const line of errors) nearest = Math.min(nearest, gap(span, line));
  return nearest;
}

function gap(span: { readonly first: number; readonly last: number }, line: number): number {
  if (line < span.first) return span.first - line;
  return line > span.last ? line - span.last : 0;
}

/** Lines by path that a failure complains about. Frames of a stack say where a call came from, not what is wrong. */
function placesIn({ output }: CallOutcome): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const row of output.split("\n")) {
    if (/^\s*(?:at |❯ )/.test(row)) continue;
    for (const hit of row.matchAll(/:(\d+):\d+|\((\d+),\d+\)/g)) {
      const name = /(?:[\w@.+[\]-]*\/)*[\w@.+[\]-]+\.\w+$/.exec(
        row.slice(Math.max(0, hit.index - pathCharsMax), hit.index),
      )?.[0];
      if (name === undefined) continue;
      const path = plainPath(name);
      const lines = found.get(path) ?? [];
      lines.push(Number(hit[1] ?? hit[2]));
      found.set(path, lines);
    }
  }
  return found;
}
