/**
 * Replacements in a text: each search must stand there exactly once, unless the
 * call says how often.
 *
 * What a newcomer gets wrong: they are applied in order, each to what the ones
 * before it made, and all of them or none. Nothing in `replace` is a pattern.
 */
import { Failure } from "@bridle/record";
import { nearestTo } from "./nearest.js";

export interface Replacement {
  readonly search: string;
  readonly replace: string;
  readonly all?: boolean;
  readonly count?: number;
}

export interface Replaced {
  readonly text: string;
  /** Places that were changed. */
  readonly places: number;
}

export function applyReplacements(
  text: string,
  replacements: readonly Replacement[],
  path: string,
): Replaced {
  let now = text;
  let places = 0;
  for (const [i, replacement] of replacements.entries()) {
    const which = replacements.length === 1 ? "the search" : `search ${i + 1} of ${replacements.length}`;
    const { search, replace } = inItsNewlines(now, replacement);
    const found = placesOf(now, search);
    requireCount(found, { now, search, which, path, replacement });
    places += found.length;
    now = now.split(search).join(replace);
  }
  return { text: now, places };
}

/** Models write `\n`; in a file with `\r\n` they mean its line ends. */
function inItsNewlines(
  text: string,
  { search, replace }: Replacement,
): Pick<Replacement, "search" | "replace"> {
  const windows = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  if (!windows || search.includes("\r")) return { search, replace };
  const converted = (part: string) => part.replaceAll(/\r?\n/g, "\r\n");
  return { search: converted(search), replace: converted(replace) };
}

function placesOf(text: string, search: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) places.push(at);
  return places;
}

interface Looked {
  readonly now: string;
  readonly search: string;
  readonly which: string;
  readonly path: string;
  readonly replacement: Replacement;
}

function requireCount(found: readonly number[], looked: Looked): void {
  const { now, which, path, replacement } = looked;
  if (found.length === 0) throw unmatched(looked);
  if (
    replacement.count !== undefined
      ? found.length === replacement.count
      : replacement.all === true || found.length === 1
  ) {
    return;
  }
  const lines = found.slice(0, 8).map((at) => now.slice(0, at).split("\n").length);
  const wanted = replacement.count ?? 1;
  throw new Failure("edit_unmatched", {
    message: `${which} stands in ${path} ${times(found.length)}, not ${times(wanted)}: line ${lines.join(", ")}${found.length > 8 ? ", …" : ""}; nothing was changed`,
    hint:
      replacement.count === undefined
        ? "Take more of the lines around it into the search until it is unique, or say all: true, or count."
        : `Say count: ${found.length} if all of them are meant, or take more of the lines around it into the search.`,
  });
}

function unmatched({ now, search, which, path }: Looked): Failure {
  const nearest = nearestTo(now.split(/\r?\n/), search.split(/\r?\n/));
  const near = nearest === undefined ? "" : `\nNearest, from line ${nearest.line}:\n${nearest.shown}`;
  return new Failure("edit_unmatched", {
    message: `${which} is not in ${path}; nothing was changed${near}`,
    hint:
      nearest?.onlySpaces === true
        ? "Only spaces or line ends differ: copy the lines exactly as they stand there."
        : "Read the place again and copy the text exactly as it stands there.",
  });
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
