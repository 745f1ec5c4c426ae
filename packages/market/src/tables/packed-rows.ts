/**
 * Rows of one table of one market, packed: when each was, and the rest of it as
 * one text. An object with a text for every number takes some six times as much
 * memory, and years of hours are many rows; they are unpacked when they are asked
 * for, a market or a day at a time.
 */
import { Failure } from "@bridle/record";
import type { Hour, HourRange, Place, Rows, TableName } from "../types.js";
import { hourMs } from "../types.js";
import { type Cell, cellsOf, type Column, isDecimal, rowOf, shapes } from "./shape.js";

/** Stands in no text of a row: control characters are refused when it is read. */
const separator = "\u001f";
const absent = "\u0000";

export function packRow<Table extends TableName>(table: Table, row: Rows[Table]): string {
  const cells = cellsOf(table, row);
  let packed = "";
  // The market is known by where the row is kept.
  for (let i = 1; i < cells.length; i++) {
    const cell = cells[i];
    packed += (i === 1 ? "" : separator) + (cell === undefined ? absent : String(cell));
  }
  return flat(packed);
}

/** A text that was put together holds on to its parts until it is looked at as a whole. */
function flat(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
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

/** Rows in the order in which they came, each with its place. */
export class GatheredRows {
  readonly times: number[] = [];
  readonly packed: string[] = [];
  readonly lines: number[] = [];
  readonly sources: string[] = [];

  add(time: number, packed: string, { source, line }: Place): void {
    this.times.push(time);
    this.packed.push(packed);
    this.lines.push(line);
    this.sources.push(source);
  }

  placeOf(i: number): Place {
    return { source: this.sources[i] as string, line: this.lines[i] as number };
  }
}

/** Rows in total order, each once. */
export class PackedRows<Table extends TableName> {
  constructor(
    private readonly table: Table,
    private readonly market: string,
    private readonly times: Float64Array,
    private readonly packed: readonly string[],
  ) {}

  rows(range?: HourRange): readonly Rows[Table][] {
    const { from, to } = range ?? {};
    const [first, end] = [
      from === undefined ? 0 : this.before(from),
      to === undefined ? this.packed.length : this.before(to + 1),
    ];
    const rows: Rows[Table][] = [];
    for (let i = first; i < end; i++) rows.push(unpackRow(this.table, this.market, this.packed[i] as string));
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
