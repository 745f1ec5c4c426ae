/** What a source has, asked once with two small templates. */
import type { SelectAnswer } from "@bridle/market";
import type { SourceFacts, TableFacts } from "./types.js";

const columnNames: Readonly<Record<string, readonly (string | undefined)[]>> = {
  candle: ["volume"],
  funding: ["premium"],
  asset_context: ["open_interest", "premium", "impact_bid"],
  fill: ["user", "start_position", "closed_pnl"],
  liquidation: ["user"],
};

export async function factsFrom(
  run: (template: string) => Promise<SelectAnswer>,
  asOfHour: number | undefined,
): Promise<SourceFacts> {
  const tables: Record<string, TableFacts> = {};
  for (const [name, n, first, last, ...counts] of (await run("source_facts")).rows) {
    if (Number(n) === 0) continue;
    const named = columnNames[String(name)] ?? [];
    const columns = Object.fromEntries(
      named.flatMap((column, i) => (column === undefined ? [] : [[column, Number(counts[i])]])),
    );
    tables[String(name)] = { rows: Number(n), firstHour: Number(first), lastHour: Number(last), columns };
  }
  const markets = (await run("source_markets")).rows.map(([market]) => String(market));
  // A candle of hour h is complete at h + 1; a look at a moment is known at that moment.
  const ends = Object.entries(tables).map(([table, { lastHour }]) =>
    table === "candle" || table === "fill" || table === "liquidation" ? lastHour + 1 : lastHour,
  );
  const candle = tables["candle"];
  const end = candle === undefined ? Math.max(...ends, 0) : candle.lastHour + 1;
  return { tables, markets, asOfHour: asOfHour ?? end };
}
