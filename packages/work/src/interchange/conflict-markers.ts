/**
 * A file with git's conflict markers, taken apart into the sides that it was
 * made of.
 *
 * What stands outside the markers is on every side. Without diff3 the markers do
 * not tell the base of a conflict, and with a conflict inside the base itself
 * (a criss-cross merge) they do not tell it clearly; then it is left out, which
 * makes more of it a conflict and loses nothing.
 */
import { isRefusal, type Refusal } from "@bridle/record";
import { readText, unfitSource } from "./source-file.js";

export interface ConflictSides {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

type Section = "ours" | "base" | "theirs";

interface Conflict {
  readonly marks: number;
  readonly line: number;
  section: Section;
  readonly base: string[];
  /** Whether the base itself was in conflict. */
  unclear: boolean;
}

/** Undefined when the file has no markers. */
export function conflictSides(bytes: Uint8Array, shown: string): ConflictSides | Refusal | undefined {
  const text = readText(bytes, shown);
  if (isRefusal(text)) return text;
  const lines = text.split("\n");
  if (!lines.some((line) => markOf(line)?.sign === "<")) return undefined;
  const sides: Record<Section, string[]> = { base: [], ours: [], theirs: [] };
  let conflict: Conflict | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = markOf(line);
    if (conflict === undefined) {
      if (mark?.sign === "<") conflict = begin(mark.count, at + 1);
      else if (mark !== undefined)
        return unfitSource(shown, at + 1, "it is a conflict marker without a beginning");
      else for (const side of Object.values(sides)) side.push(line);
    } else if (mark === undefined) {
      if (conflict.section === "base") conflict.base.push(line);
      else sides[conflict.section].push(line);
    } else if (mark.count !== conflict.marks) {
      if (conflict.section !== "base")
        return unfitSource(shown, at + 1, "it is a conflict inside a conflict");
      conflict.unclear = true;
    } else if (mark.sign === "|" && conflict.section === "ours") conflict.section = "base";
    else if (mark.sign === "=" && conflict.section !== "theirs") conflict.section = "theirs";
    else if (mark.sign === ">" && conflict.section === "theirs") {
      if (!conflict.unclear) sides.base.push(...conflict.base);
      conflict = undefined;
    } else return unfitSource(shown, at + 1, "it is a conflict marker that does not belong there");
  }
  if (conflict !== undefined)
    return unfitSource(shown, conflict.line, "the conflict that begins here has no end");
  const bytesOf = (section: Section) => Buffer.from(sides[section].join("\n"));
  return { base: bytesOf("base"), ours: bytesOf("ours"), theirs: bytesOf("theirs") };
}

function begin(marks: number, line: number): Conflict {
  return { marks, line, section: "ours", base: [], unclear: false };
}

function markOf(line: string): { readonly sign: string; readonly count: number } | undefined {
  const run = /^(<{7,}|\|{7,}|={7,}|>{7,})(?: |\r?$)/.exec(line)?.[1];
  return run === undefined ? undefined : { sign: run[0] as string, count: run.length };
}
