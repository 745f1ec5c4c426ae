/**
 * From the text of a source to a row: every member parsed, checked and in its
 * canonical spelling, or the row is refused with the place where it stands.
 *
 * An empty text means that the source does not have the member. "NaN", "null" or
 * "-" do not: somebody meant something by them, and we do not guess what.
 */
import { Failure } from "@bridle/record";
import { canonicalDecimal, compareText } from "../decimal.js";
import { hourOf, parseTime } from "../hours.js";
import { isLateStamp } from "../known.js";
import { marketLimits } from "../limits.js";
import { type Candle, hourMs, type SourceLine, type Rows, type TableName } from "../types.js";
import { type Cell, type ColumnKind, rowOf, shapes } from "./shape.js";

export interface ReadOptions {
  readonly place: SourceLine;
  /** Whether a time without a zone is known to be UTC. */
  readonly zoneless?: "utc" | "refused";
}

/** `textOf` gives what the source has for a column, if anything. */
export function readRow<Table extends TableName>(
  table: Table,
  textOf: (column: string) => string | undefined,
  { place, zoneless = "refused" }: ReadOptions,
): Rows[Table] {
  const cells: Cell[] = [];
  for (const column of shapes[table]) {
    const text = textOf(column.name);
    if (text === undefined || text === "") {
      if (column.required) throw invalid(place, `${column.name} is missing`);
      cells.push(undefined);
      continue;
    }
    const cell = readCell(column.kind, text, zoneless);
    if (cell instanceof Refused) throw invalid(place, `${column.name} is ${shown(text)}, ${cell.expected}`);
    cells.push(cell);
  }
  const row = rowOf(table, cells);
  if (table === "candle") checkCandle(row as Candle, place);
  return row;
}

class Refused {
  constructor(readonly expected: string) {}
}

function readCell(kind: ColumnKind, text: string, zoneless: "utc" | "refused"): Cell | Refused {
  switch (kind) {
    case "text":
      if (text.length > 256) return new Refused("which is longer than 256 characters");
      return controls.test(text) ? new Refused("which holds a control character") : text;
    case "hour":
    case "payHour":
    case "lateStamp":
    case "time":
      return readTime(kind, text, zoneless);
    case "price":
    case "quantity":
    case "amount":
    case "rate":
      return readDecimal(kind, text);
    case "count":
      return /^[0-9]{1,15}$/.test(text) ? Number(text) : new Refused("expected a whole number");
    case "flag":
      return text === "true" || text === "false" ? text === "true" : new Refused("expected true or false");
    case "side":
      return sides[text] ?? new Refused("expected B, A, buy or sell");
    case "position":
      return text === "long" || text === "short" ? text : new Refused("expected long or short");
    default:
      return kind satisfies never;
  }
}

const controls = /\p{Cc}/u;

/** The exchange writes B for the side that bids and A for the one that asks. */
const sides: Readonly<Record<string, "buy" | "sell">> = { B: "buy", A: "sell", buy: "buy", sell: "sell" };

function readTime(
  kind: "hour" | "payHour" | "lateStamp" | "time",
  text: string,
  zoneless: "utc" | "refused",
): Cell | Refused {
  const ms = parseTime(text, { zoneless });
  if (ms === undefined) {
    return new Refused(
      "expected milliseconds since 1970 or a time with its zone, like 2025-06-01T00:00:00Z (say --zone UTC where times without one are UTC)",
    );
  }
  if (kind === "hour" && ms % hourMs !== 0) return new Refused("which is not on the hour");
  if (kind === "lateStamp") return isLateStamp(ms) ? ms : undefined;
  return kind === "time" ? ms : hourOf(ms);
}

function readDecimal(kind: "price" | "quantity" | "amount" | "rate", text: string): Cell | Refused {
  const value = canonicalDecimal(text);
  if (value === undefined)
    return new Refused("expected a decimal number; leave it empty where there is none");
  const point = value.indexOf(".");
  const behind = point < 0 ? 0 : value.length - point - 1;
  const scale = kind === "rate" ? marketLimits.rateScale : marketLimits.amountScale;
  if (behind > scale) return new Refused(`which has more than ${scale} digits behind the point`);
  const before = (point < 0 ? value.length : point) - (value.startsWith("-") ? 1 : 0);
  if (before > marketLimits.storedDigitsMax - scale) return new Refused("which is too large");
  if (kind === "price" && (value === "0" || value.startsWith("-")))
    return new Refused("expected a price above zero");
  if (kind === "quantity" && value.startsWith("-")) return new Refused("which is below zero");
  return value;
}

function checkCandle({ open, high, low, close }: Candle, place: SourceLine): void {
  for (const [name, price] of [
    ["open", open],
    ["close", close],
  ] as const) {
    if (compareText(price, high) > 0) throw invalid(place, `${name} ${price} is above high ${high}`);
    if (compareText(price, low) < 0) throw invalid(place, `${name} ${price} is below low ${low}`);
  }
}

export function invalid(place: SourceLine, what: string): Failure {
  return new Failure("market_row_invalid", {
    message: `${place.source}:${place.line}: ${what}`,
    hint: "Correct or remove the row; nothing was loaded.",
    detail: { source: place.source, line: place.line },
  });
}

function shown(text: string): string {
  return JSON.stringify(text.length > 48 ? `${text.slice(0, 48)}…` : text);
}
