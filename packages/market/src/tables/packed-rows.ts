/**
 * Rows of one table of one market, packed: when each was, and the rest of it as
 * one text. An object with a text for every number takes some six times as much
 * memory, and years of hours are many rows; they are unpacked when they are asked
 * for, a market or a day at a time.
 */
import { Failure } from "@bridle/record";
import type { Hour, HourRange, SourceLine, Rows, TableName } from "../types.js";
import { hourMs } from "../types.js";
import { GrowingNames, GrowingNumbers } from "./growing.js";
import { type Cell, cellsOf, type Column, isDecimal, rowOf, shapes } from "./shape.js";

/** Stands in no text of a row: control characters are refused when it is read. */
const separator = "\u001f";
const absent = "\u0000";

export function packRow<Table extends TableName>(table: Table, row: Rows[Table]): string {
  const cells = cellsOf(table, row);
  // The market is known by where the row is kept. Joined, because a text that is added up holds on to its parts.
  for (let i = 1; i < cells.length; i++) cells[i - 1] = cells[i] ?? absent;
  cells.length--;
  return cells.join(separator);
}

export function unpackRow<Table extends TableName>(
  table: Table,
  market: string,
  packed: string,
): Rows[Table] {
  const columns = shapes[table];
  const texts = packed.split(separator);
  if (texts.length !== columns.length - 1)
    throw new Failure("internal_error", { message: "a packed row is torn" });
  const cells: Cell[] = [market];
  for (let i = 1; i < columns.length; i++)
    cells.push(cellFrom((columns[i] as Column).kind, texts[i - 1] as string));
  return rowOf(table, cells);
}

function cellFrom(kind: Column["kind"], text: string): Cell {
  if (text === absent) return undefined;
  if (kind === "text" || kind === "side" || kind === "position" || isDecimal(kind)) return text;
  return kind === "flag" ? text === "true" : Number(text);
}

/** The hour of a row, or its milliseconds, by which its table is sorted. */
export function timeOf(row: Rows[TableName]): number {
  return "hour" in row ? row.hour : row.timeMs;
}

/** Rows in the order in which they came, each with its place; their texts stand one behind the other in one buffer. */
export class GatheredRows {
  readonly times = new GrowingNumbers();
  private readonly starts = new GrowingNumbers();
  private readonly lines = new GrowingNumbers();
  private readonly sources = new GrowingNames();
  private bytes = Buffer.allocUnsafe(4096);
  private used = 0;

  add(time: number, packed: string, { source, line }: SourceLine): void {
    this.times.push(time);
    this.lines.push(line);
    this.sources.push(source);
    this.starts.push(this.used);
    // A unit is at most three bytes.
    const room = packed.length * 3;
    if (this.used + room > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.ceil((this.used + room) * 1.5));
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    this.used += this.bytes.write(packed, this.used, "utf8");
  }

  /** The text of a row, as it was packed. */
  bytesOf(i: number): Buffer {
    const end = i + 1 < this.starts.length ? this.starts.at(i + 1) : this.used;
    return this.bytes.subarray(this.starts.at(i), end);
  }

  placeOf(i: number): SourceLine {
    return { source: this.sources.at(i), line: this.lines.at(i) };
  }
}

/** Rows in total order, each once. */
export class PackedRows<Table extends TableName> {
  private readonly times: Float64Array;
  private readonly starts: Float64Array;
  private readonly bytes: Buffer;

  /** `kept`: of what was gathered, these and in this order. */
  constructor(
    private readonly table: Table,
    private readonly market: string,
    gathered: GatheredRows,
    kept: readonly number[],
  ) {
    this.times = Float64Array.from(kept, (i) => gathered.times.at(i));
    this.starts = new Float64Array(kept.length + 1);
    let length = 0;
    for (const [k, i] of kept.entries()) this.starts[k + 1] = length += gathered.bytesOf(i).length;
    this.bytes = Buffer.allocUnsafe(length);
    for (const [k, i] of kept.entries()) gathered.bytesOf(i).copy(this.bytes, this.starts[k]);
  }

  rows(range?: HourRange): readonly Rows[Table][] {
    const { from, to } = range ?? {};
    const first = from === undefined ? 0 : this.before(from);
    const end = to === undefined ? this.times.length : this.before(to + 1);
    const rows: Rows[Table][] = [];
    for (let i = first; i < end; i++) {
      const text = this.bytes.toString("utf8", this.starts[i], this.starts[i + 1]);
      rows.push(unpackRow(this.table, this.market, text));
    }
    return rows;
  }

  /** In order, repeats allowed where a table has more than one row an hour. */
  hours(): Hour[] {
    return Array.from(this.times, (time) => Math.floor(time / this.unit()));
  }

  private unit(): number {
    return this.table === "candle" || this.table === "funding" ? 1 : hourMs;
  }

  /** How many rows are before this hour. */
  private before(hour: Hour): number {
    const limit = hour * this.unit();
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.times[middle] as number) < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
