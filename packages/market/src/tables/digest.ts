/**
 * The digest of tables: one for everything that they hold, and nothing about how it
 * came to be there. Sources are left out on purpose: the same facts from a CSV and
 * from a Parquet file are the same tables.
 */
import { createHash } from "node:crypto";
import { type AssetContext, hourMs, type MarketTables, type Rows, type TableName } from "../types.js";
import { cellsOf } from "./shape.js";

/** SHA-256 in hex over one line a row: the table, then its cells as JSON, null where a member is absent. */
export async function digestTables(tables: MarketTables): Promise<string> {
  const hash = createHash("sha256");
  for await (const lines of tableLines(tables)) hash.update(lines);
  return hash.digest("hex");
}

/** Market by market in code point order, table by table, row by row in total order; a table's lines at a time. */
export async function* tableLines(tables: MarketTables): AsyncGenerator<string> {
  yield `${JSON.stringify({ synthetic: tables.synthetic })}\n`;
  for (const market of await tables.markets()) {
    yield linesOf("candle", await tables.candles(market));
    yield linesOf("funding", await tables.funding(market));
    yield linesOf("assetContext", await tables.assetContexts(market));
    yield linesOf("fill", await tables.fills(market));
    yield linesOf("liquidation", await tables.liquidations(market));
  }
}

function linesOf<Table extends TableName>(table: Table, rows: readonly Rows[Table][]): string {
  return rows.map((row) => `${JSON.stringify([table, ...digestedCells(table, row)])}\n`).join("");
}

/** A late stamp was not always kept; where there is none, the line is the one of before, and so is the digest. */
export function digestedCells<Table extends TableName>(table: Table, row: Rows[Table]) {
  const cells = cellsOf(table, row);
  if (table === "funding" && cells.at(-1) === undefined) cells.pop();
  return cells;
}

/** The last look within each hour, in order: what hourly work needs of contexts by the minute. */
export function lastOfEachHour(contexts: readonly AssetContext[]): readonly AssetContext[] {
  return contexts.filter((context, i) => {
    const next = contexts[i + 1];
    return next === undefined || Math.floor(next.timeMs / hourMs) !== Math.floor(context.timeMs / hourMs);
  });
}
