/**
 * Which column of a source is which member of a row, and which tables a source
 * therefore fills. Names are compared without case and punctuation, so that
 * `open_interest` and `openInterest` are one; a source that names its columns
 * otherwise is told with `columns`.
 */
import { Failure } from "@bridle/record";
import type { TableName } from "../types.js";

/** What a column can mean, and the names that sources give it. */
const aliases = {
  market: ["market", "coin", "symbol", "s"],
  time: ["time", "ts", "t", "timestamp", "datetime", "date", "hour", "timems", "opentime"],
  interval: ["interval", "i"],
  venue: ["venue", "exchange"],
  open: ["open", "o"],
  high: ["high", "h"],
  low: ["low", "l"],
  close: ["close", "c"],
  volume: ["volume", "v"],
  trades: ["trades", "n"],
  rate: ["rate", "funding", "fundingrate"],
  premium: ["premium"],
  mark: ["mark", "markpx"],
  oracle: ["oracle", "oraclepx"],
  mid: ["mid", "midpx"],
  impactBid: ["impactbid", "impactbidpx"],
  impactAsk: ["impactask", "impactaskpx"],
  openInterest: ["openinterest"],
  previousDayPrice: ["previousdayprice", "prevdaypx"],
  dayVolume: ["dayvolume", "dayntlvlm"],
  dayBaseVolume: ["daybasevolume", "daybasevlm"],
  price: ["price", "px"],
  size: ["size", "sz"],
  side: ["side"],
  position: ["position"],
  method: ["method"],
  user: ["user"],
  direction: ["direction", "dir"],
  startPosition: ["startposition"],
  closedPnl: ["closedpnl"],
  fee: ["fee"],
  feeToken: ["feetoken"],
  crossed: ["crossed"],
  hash: ["hash"],
  orderId: ["orderid", "oid"],
  tradeId: ["tradeid", "tid"],
} as const satisfies Record<string, readonly string[]>;

export type Field = keyof typeof aliases;
export const fields = Object.keys(aliases) as readonly Field[];

/** The names that are understood without being told, for a guide. */
export function knownNames(field: Field): readonly string[] {
  return aliases[field];
}

const fieldByAlias = new Map<string, Field>(
  fields.flatMap((field) => aliases[field].map((alias) => [alias, field] as const)),
);

export type FieldNames = { readonly [Name in Field]?: string };

/** The name that the source gives each field it has. `columns` comes before what a name suggests. */
export function matchColumns(
  names: readonly string[],
  columns: FieldNames,
  source: string,
): ReadonlyMap<Field, string> {
  const found = new Map<Field, string>();
  for (const field of fields) {
    const name = columns[field];
    if (name === undefined) continue;
    if (!names.includes(name)) throw unknownColumn(source, name, names);
    found.set(field, name);
  }
  const told = new Set(found.values());
  for (const name of names) {
    const field = fieldByAlias.get(plain(name));
    if (field === undefined || told.has(name) || columns[field] !== undefined) continue;
    const other = found.get(field);
    if (other !== undefined) {
      throw new Failure("market_source_invalid", {
        message: `${source}: the columns ${other} and ${name} both look like ${field}`,
        hint: `Say which one it is with columns: { ${field}: … }.`,
      });
    }
    found.set(field, name);
  }
  return found;
}

/** What was used of a source, and what was not. */
export function columnsUsed(
  names: readonly string[],
  matched: ReadonlyMap<Field, string>,
): { readonly used: Readonly<Record<string, string>>; readonly unused: readonly string[] } {
  const used = new Set(matched.values());
  return { used: Object.fromEntries(matched), unused: names.filter((name) => !used.has(name)) };
}

/** One letter is compared as it is: to the exchange, t and T are the two ends of a candle. */
function plain(name: string): string {
  return name.length === 1 ? name : name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Which tables a source with these fields fills; a row of it may fill two. */
export function tablesOf(has: ReadonlyMap<Field, string>, source: string): readonly TableName[] {
  const all = (...wanted: readonly Field[]) => wanted.every((field) => has.has(field));
  if (all("price", "size", "position")) return ["liquidation"];
  if (all("price", "size", "side")) return ["fill"];
  if (has.has("mark") || has.has("oracle") || has.has("openInterest")) return ["assetContext"];
  const found: TableName[] = [];
  if (all("open", "high", "low", "close")) found.push("candle");
  if (has.has("rate")) found.push("funding");
  if (found.length > 0 && has.has("time")) return found;
  throw new Failure("market_source_invalid", {
    message: `${source}: no table can be made of its columns ${[...has.values()].join(", ") || "(none is known)"}`,
    hint: "Candles need time, open, high, low and close; funding needs time and funding. Name them with `columns`.",
  });
}

/** Where a table's column is found among the fields. */
export function fieldOf(table: TableName, column: string): Field | undefined {
  if (column === "hour" || column === "timeMs" || column === "stampMs") return "time";
  if (table === "assetContext" && column === "funding") return "rate";
  return Object.hasOwn(aliases, column) ? (column as Field) : undefined;
}

function unknownColumn(source: string, name: string, names: readonly string[]): Failure {
  return new Failure("market_source_invalid", {
    message: `${source} has no column ${JSON.stringify(name)}; it has ${names.join(", ")}`,
    hint: "Columns are named as the source spells them.",
  });
}
