/** A change of one file, as lines in colour for a person: the whole of it, with nothing that would steer the terminal. */
import type { FilePreview } from "@bridle/agent";
import type { Paint } from "@bridle/operation";
import { previewOf } from "@bridle/tools";
import { visible } from "../agent/visible.js";

export interface DiffLines {
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
}

export function diffLines({ path, before, after }: FilePreview, paint: Paint): DiffLines {
  const whole = { path, contextLines: 3, linesMax: Infinity, charsMax: Infinity };
  const rows =
    before === undefined || before === ""
      ? after
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => `+${line}`)
      : previewOf(before, after, whole).split("\n").slice(2);
  const count = (sign: string) => rows.filter((row) => row.startsWith(sign)).length;
  return { lines: rows.map((row) => painted(row, paint)), added: count("+"), removed: count("-") };
}

function painted(row: string, paint: Paint): string {
  const text = visible(row);
  if (row.startsWith("+")) return paint.good(text);
  if (row.startsWith("-")) return paint.bad(text);
  return row.startsWith("@@") ? paint.dim(text) : text;
}
