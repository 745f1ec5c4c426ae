/**
 * The shape of the five tables: their columns, what each may hold, and what makes
 * two rows the same row. Reading, comparing, ordering, digesting and the engine's
 * own tables all follow from this one description.
 *
 * Columns stand in the order in which rows are sorted: the key first.
 */
import { compareCodePoints } from "@bridle/record";
import { compareText } from "../decimal.js";
import type { DecimalText, Rows, TableName } from "../types.js";

/**
 * `amount` and `rate` are decimals and differ in how many digits behind the point
 * are kept; `price` is an amount above zero, `quantity` one that is not below. An
 * `hour` begins on the hour; a `payHour` is the one in which something was paid,
 * which the exchange stamps some milliseconds late, and a `lateStamp` is that very
 * stamp where it is so late that it matters.
 */
export type ColumnKind =
  | "text"
  | "hour"
  | "payHour"
  | "lateStamp"
  | "time"
  | "price"
  | "quantity"
  | "amount"
  | "rate"
  | "count"
  | "flag"
  | "side"
  | "position";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  readonly key: boolean;
}

const key = (name: string, kind: ColumnKind, required = true): Column => ({
  name,
  kind,
  required,
  key: true,
});
const fact = (name: string, kind: ColumnKind): Column => ({ name, kind, required: true, key: false });
const maybe = (name: string, kind: ColumnKind): Column => ({ name, kind, required: false, key: false });

export const shapes: { readonly [Table in TableName]: readonly Column[] } = {
  candle: [
    key("market", "text"),
    key("hour", "hour"),
    fact("open", "price"),
    fact("high", "price"),
    fact("low", "price"),
    fact("close", "price"),
    maybe("volume", "quantity"),
    maybe("trades", "count"),
  ],
  funding: [
    key("market", "text"),
    key("hour", "payHour"),
    fact("rate", "rate"),
    maybe("premium", "rate"),
    maybe("stampMs", "lateStamp"),
  ],
  assetContext: [
    key("market", "text"),
    key("timeMs", "time"),
    maybe("mark", "price"),
    maybe("oracle", "price"),
    maybe("mid", "price"),
    maybe("impactBid", "price"),
    maybe("impactAsk", "price"),
    maybe("premium", "rate"),
    maybe("funding", "rate"),
    maybe("openInterest", "quantity"),
    maybe("previousDayPrice", "price"),
    maybe("dayVolume", "quantity"),
    maybe("dayBaseVolume", "quantity"),
  ],
  fill: [
    key("market", "text"),
    key("timeMs", "time"),
    key("tradeId", "text", false),
    key("orderId", "text", false),
    key("hash", "text", false),
    key("side", "side"),
    key("startPosition", "amount", false),
    key("price", "price"),
    key("size", "quantity"),
    maybe("user", "text"),
    maybe("direction", "text"),
    maybe("closedPnl", "amount"),
    maybe("fee", "amount"),
    maybe("feeToken", "text"),
    maybe("crossed", "flag"),
  ],
  liquidation: [
    key("market", "text"),
    key("timeMs", "time"),
    key("tradeId", "text", false),
    key("user", "text", false),
    key("position", "position"),
    key("price", "price"),
    key("size", "quantity"),
    maybe("mark", "price"),
    maybe("method", "text"),
  ],
};

export type Cell = string | number | boolean | undefined;

export function cellsOf<Table extends TableName>(table: Table, row: Rows[Table]): Cell[] {
  const members = row as unknown as Readonly<Record<string, Cell>>;
  return shapes[table].map(({ name }) => members[name]);
}

/** A row with its members in the order of the columns; what is absent is no member. */
export function rowOf<Table extends TableName>(table: Table, cells: readonly Cell[]): Rows[Table] {
  const row: Record<string, Cell> = {};
  const columns = shapes[table];
  for (let i = 0; i < columns.length; i++) {
    const cell = cells[i];
    if (cell !== undefined) row[(columns[i] as Column).name] = cell;
  }
  return row as unknown as Rows[Table];
}

export function isDecimal(kind: ColumnKind): boolean {
  return kind === "price" || kind === "quantity" || kind === "amount" || kind === "rate";
}

/** By key first; with `whole` by every column, which is a total order of rows that differ. */
export function compareRows<Table extends TableName>(
  table: Table,
  left: Rows[Table],
  right: Rows[Table],
  { whole }: { readonly whole: boolean },
): number {
  const [a, b] = [left, right] as unknown as readonly Readonly<Record<string, Cell>>[];
  for (const { name, kind, key } of shapes[table]) {
    if (!key && !whole) return 0;
    const order = compareCells(kind, a?.[name], b?.[name]);
    if (order !== 0) return order;
  }
  return 0;
}

/** What is absent comes first. */
function compareCells(kind: ColumnKind, left: Cell, right: Cell): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  if (isDecimal(kind)) return compareText(left as DecimalText, right as DecimalText);
  if (typeof left === "string") return compareCodePoints(left, right as string);
  return Number(left) - Number(right);
}
