/**
 * What changed between two texts, as a small unified diff for people and models.
 *
 * What a newcomer gets wrong: it is only shown, never applied, so it may be cut
 * short; and where two texts differ nearly everywhere it stops looking for the
 * shortest answer and shows the changed stretch as a whole.
 */

export interface PreviewOptions {
  readonly path: string;
  readonly contextLines?: number;
  readonly linesMax?: number;
  /** Of each line. */
  readonly charsMax?: number;
}

type Op = { readonly kind: " " | "-" | "+"; readonly line: string };

/** Differing lines up to which the shortest difference is searched for. */
const editsMax = 400;

export function previewOf(before: string, after: string, options: PreviewOptions): string {
  const { path, contextLines = 2, linesMax = 60, charsMax = 200 } = options;
  const ops = difference(before.split("\n"), after.split("\n"));
  const rows: string[] = [`--- ${path}`, `+++ ${path}`];
  for (const [start, end] of stretches(ops, contextLines)) {
    rows.push(headerOf(ops, start, end));
    for (const { kind, line } of ops.slice(start, end))
      rows.push(kind + shortened(line.replace(/\r$/, ""), charsMax));
  }
  if (rows.length <= linesMax) return rows.join("\n");
  return `${rows.slice(0, linesMax).join("\n")}\n… ${rows.length - linesMax} more lines of the preview are left out`;
}

function shortened(line: string, charsMax: number): string {
  return line.length > charsMax ? `${line.slice(0, charsMax).toWellFormed()}…` : line;
}

/** Runs of operations that hold a change, with their context, merged where they touch. */
function stretches(ops: readonly Op[], context: number): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const [i, op] of ops.entries()) {
    if (op.kind === " ") continue;
    const start = Math.max(0, i - context);
    const end = Math.min(ops.length, i + context + 1);
    const last = found.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else found.push([start, end]);
  }
  return found;
}

function headerOf(ops: readonly Op[], start: number, end: number): string {
  const count = (from: number, to: number, without: string) =>
    ops.slice(from, to).filter(({ kind }) => kind !== without).length;
  const old = count(start, end, "+");
  const now = count(start, end, "-");
  return `@@ -${count(0, start, "+") + 1},${old} +${count(0, start, "-") + 1},${now} @@`;
}

function difference(before: readonly string[], after: readonly string[]): Op[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]) => lines.map((line): Op => ({ kind: " ", line }));
  return [
    ...same(before.slice(0, head)),
    ...shortest(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** The greedy search for the shortest edit: for each number of edits, how far each diagonal reaches. */
function shortest(a: readonly string[], b: readonly string[]): Op[] {
  const reach = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(editsMax, a.length + b.length); edits++) {
    history.push(new Map(reach));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, history);
    }
  }
  return [...a.map((line): Op => ({ kind: "-", line })), ...b.map((line): Op => ({ kind: "+", line }))];
}

function walkBack(a: readonly string[], b: readonly string[], history: readonly Map<number, number>[]): Op[] {
  const ops: Op[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const reach = history[edits] as Map<number, number>;
    const k = x - y;
    const down = k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : (reach.get(fromK) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      ops.push({ kind: " ", line: a[--x] as string });
      y--;
    }
    if (edits === 0) break;
    if (down) ops.push({ kind: "+", line: b[--y] as string });
    else ops.push({ kind: "-", line: a[--x] as string });
  }
  return ops.toReversed();
}
