/**
 * Where in a file something stands that is most like what was looked for, so
 * that a failed edit says what to look for instead.
 */

const linesShown = 7;
const charsShown = 160;
/** Longer files are not searched line by line for what is merely alike. */
const linesMax = 20_000;

export interface Nearest {
  /** From 1. */
  readonly line: number;
  /** The lines around it with their numbers. */
  readonly shown: string;
  /** It is the same but for spaces. */
  readonly onlySpaces: boolean;
}

export function nearestTo(lines: readonly string[], wanted: readonly string[]): Nearest | undefined {
  const first = wanted.findIndex((line) => line.trim() !== "");
  if (first < 0) return undefined;
  const key = (wanted[first] as string).trim();
  let best = -1;
  let score = 0;
  for (const [i, line] of lines.slice(0, linesMax).entries()) {
    const own = likeness(line.trim(), key) + followers(lines, i, wanted.slice(first)) * 0.5;
    if (own > score) [best, score] = [i, own];
  }
  if (best < 0 || score < 0.3) return undefined;
  const body = wanted.slice(first).filter((line) => line.trim() !== "");
  const there = lines.slice(best).filter((line) => line.trim() !== "");
  const onlySpaces = body.every((line, i) => squeezed(line) === squeezed(there[i] ?? ""));
  return { line: best + 1, shown: linesAround(lines, best + 1), onlySpaces };
}

/** A few lines with their numbers. */
export function linesAround(lines: readonly string[], line: number): string {
  const start = Math.max(0, Math.min(line - 3, lines.length - linesShown));
  return lines
    .slice(start, start + linesShown)
    .map((text, i) => `${String(start + i + 1).padStart(6)}|${text.slice(0, charsShown).toWellFormed()}`)
    .join("\n");
}

/** How many of the lines after it fit as well, as a share. */
function followers(lines: readonly string[], at: number, wanted: readonly string[]): number {
  const sample = wanted.slice(1, 6);
  if (sample.length === 0) return 0;
  return sample.filter((line, i) => lines[at + 1 + i]?.trim() === line.trim()).length / sample.length;
}

/** Common pairs of letters, from 0 to 1. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let i = 1; i < a.length; i++)
    pairs.set(a.slice(i - 1, i + 1), (pairs.get(a.slice(i - 1, i + 1)) ?? 0) + 1);
  let common = 0;
  for (let i = 1; i < b.length; i++) {
    const pair = b.slice(i - 1, i + 1);
    const left = pairs.get(pair) ?? 0;
    if (left > 0) {
      common++;
      pairs.set(pair, left - 1);
    }
  }
  return (2 * common) / (a.length + b.length - 2);
}

function squeezed(line: string): string {
  return line.replaceAll(/\s+/g, "");
}
