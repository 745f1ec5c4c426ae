/** Notes as a model reads them: the best or the latest first, each cut to a line, and what is left out by its key. */
import { compareCodePoints } from "@bridle/record";
import type { ToolReport } from "../types.js";
import { memoryLimits } from "./limits.js";
import type { Note } from "./note.js";

export interface Found {
  readonly note: Note;
  readonly score?: number;
}

export function listing(
  what: string,
  { all, limit }: { readonly all: readonly Found[]; readonly limit: number },
): ToolReport {
  const first = all.slice(0, limit);
  const facts = {
    notes: first.map(({ note, score }) => ({ id: note.id, ...(score === undefined ? {} : { score }) })),
    found: all.length,
  };
  if (first.length === 0) return { ok: true, text: `No note ${what}.`, facts };
  const lines = first.map(({ note, score }) => `- ${headOf(note, score)}\n  ${shown(note.value)}`);
  const count = all.length === first.length ? `${all.length}` : `${first.length} of ${all.length}`;
  return { ok: true, text: [`Notes ${what}: ${count}.`, ...lines, ...restOf(all, limit)].join("\n"), facts };
}

function restOf(all: readonly Found[], limit: number): string[] {
  const rest = all.slice(limit, limit + memoryLimits.alsoMax).map(({ note }) => note.id);
  return rest.length === 0 ? [] : [`Also, by key with mode exact: ${rest.join(", ")}`];
}

export function headOf(note: Note, score?: number): string {
  const says = [
    ...(score === undefined ? [] : [`score ${score.toFixed(2)}`]),
    ...(note.updatedAt === undefined ? [] : [`of ${note.updatedAt.slice(0, 10)}`]),
    ...(note.scope === undefined ? [] : [`scope ${note.scope}`]),
    ...(note.confidence === undefined ? [] : [`confidence ${note.confidence}`]),
  ];
  return says.length === 0 ? note.id : `${note.id} (${says.join(", ")})`;
}

export function shown(value: string): string {
  const line = value.replaceAll(/\s+/gu, " ").trim();
  const { shownCharsMax } = memoryLimits;
  return line.length <= shownCharsMax ? line : `${line.slice(0, shownCharsMax).toWellFormed()}…`;
}

export function latestFirst(left: Note, right: Note): number {
  return (
    compareCodePoints(right.updatedAt ?? "", left.updatedAt ?? "") || compareCodePoints(left.id, right.id)
  );
}
