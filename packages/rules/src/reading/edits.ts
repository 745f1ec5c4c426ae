/**
 * What an `edit_file` call changes, as far as its arguments say.
 *
 * What a newcomer gets wrong: the context lines of a hunk are not changed, and
 * neither are the lines that both sides of a replacement begin or end with.
 */
import type { JsonObject } from "@bridle/record";

export interface Replacement {
  readonly search: string;
  readonly replace: string;
}

export function replacementsOf(args: JsonObject): Replacement[] {
  const list = Array.isArray(args["replacements"]) ? args["replacements"] : [args];
  const found: Replacement[] = [];
  for (const one of list) {
    if (one === null || typeof one !== "object" || Array.isArray(one)) continue;
    const { search, replace } = one;
    if (typeof search === "string" && typeof replace === "string") found.push({ search, replace });
  }
  return found;
}

export interface Hunk {
  /** Lines of the file before the edit that it takes away, or beside which it puts something. */
  readonly lines: readonly number[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Undefined where a hunk does not say where it is. */
export function hunksOf(diff: string): Hunk[] | undefined {
  const hunks: { lines: number[]; removed: string[]; added: string[] }[] = [];
  let line = 0;
  for (const row of diff.split("\n")) {
    if (row.startsWith("@@")) {
      const start = /^@@ -(\d+)/.exec(row)?.[1];
      if (start === undefined) return undefined;
      line = Number(start);
      // A hunk that takes nothing away names the line before it.
      if (/^@@ -\d+,0 /.test(row)) line++;
      hunks.push({ lines: [], removed: [], added: [] });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (row.startsWith("-")) {
      hunk.lines.push(line++);
      hunk.removed.push(row.slice(1));
    } else if (row.startsWith("+")) {
      hunk.lines.push(line - 1, line);
      hunk.added.push(row.slice(1));
    } else if (!row.startsWith("\\")) line++;
  }
  return hunks.length === 0 ? undefined : hunks;
}

/** Of the lines of `search`, the first and the last that `replace` does not keep; counted from 0. */
export function changedPart({ search, replace }: Replacement): {
  readonly first: number;
  readonly last: number;
} {
  const old = search.split("\n");
  const next = replace.split("\n");
  let first = 0;
  while (first < old.length - 1 && first < next.length && old[first] === next[first]) first++;
  let kept = 0;
  while (
    kept < old.length - 1 - first &&
    kept < next.length - first &&
    old.at(-1 - kept) === next.at(-1 - kept)
  )
    kept++;
  return { first, last: Math.max(first, old.length - 1 - kept) };
}
