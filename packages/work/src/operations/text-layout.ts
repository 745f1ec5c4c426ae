/** Answers as text: aligned, one screen, nothing that a program would need to parse. */
import { columns, displayWidth, type Paint } from "@bridle/operation";
import { workLimits } from "../limits.js";

/** A label and what it says; absent ones are left out, lists take a line an item. */
export type Fact = readonly [label: string, value: string | readonly string[] | null | undefined];

export function factLines(facts: readonly Fact[], paint: Paint): string[] {
  const rows: string[][] = [];
  for (const [label, value] of facts) {
    const lines = (typeof value === "string" ? [value] : (value ?? [])).flatMap((text) =>
      text.split(/\r\n|[\r\n]/),
    );
    for (const [i, line] of lines.entries()) rows.push([i === 0 ? paint.dim(label) : "", line]);
  }
  return columns(rows);
}

/** Text of one line and bounded width, for a cell of a table. */
export function cell(text: string): string {
  const line = text.replace(/\s+/g, " ").slice(0, workLimits.tableCellWidthMax * 4);
  if (displayWidth(line) <= workLimits.tableCellWidthMax) return line;
  let cut = "";
  for (const character of line) {
    if (displayWidth(cut + character) >= workLimits.tableCellWidthMax) break;
    cut += character;
  }
  return `${cut}…`;
}

export { counted } from "@bridle/record";
