/**
 * A market that never was, from a seed: so that everything runs offline, and so
 * that there are labels whose reasons are known (see plan.ts for what is planted).
 *
 * The same seed gives the same bytes on every machine and version. Its source says
 * `synthetic`, its coins are named SYN-…, and no tables take it in beside real facts.
 */
import { createHash } from "node:crypto";
import { cellsOf } from "../tables/shape.js";
import { MemoryBuilder } from "../tables/memory.js";
import type { MarketSource, MarketTables, Rows, TableName } from "../types.js";
import { rowsOfCoin, weatherOf } from "./coin.js";
import { planMarket, type MarketPlan, type SyntheticOptions } from "./plan.js";

/** Raised when the same seed would give other rows than before. */
export const syntheticVersion = 1;

export async function syntheticMarket(options: SyntheticOptions): Promise<MarketTables> {
  const plan = planMarket(options);
  const builder = new MemoryBuilder();
  const name = syntheticName(plan);
  const hash = createHash("sha256");
  let [rows, bytes] = [0, 0];
  const take = <Table extends TableName>(table: Table, list: readonly Rows[Table][]) => {
    for (const row of list) {
      const line = `${JSON.stringify([table, ...cellsOf(table, row)])}\n`;
      hash.update(line);
      bytes += line.length;
      builder.add(table, row, { source: name, line: ++rows });
    }
  };
  const weather = weatherOf(plan);
  for (const coin of plan.coins) {
    const { candles, funding, contexts, liquidations } = rowsOfCoin(plan, coin, weather);
    take("candle", candles);
    take("funding", funding);
    take("assetContext", contexts);
    take("liquidation", liquidations);
  }
  const source: MarketSource = {
    name,
    kind: "synthetic",
    sha256: hash.digest("hex"),
    bytes,
    rows,
    numbers: "decimal",
    synthetic: true,
  };
  builder.source(source);
  return builder.finish();
}

function syntheticName({ seed, coins, from, to }: MarketPlan): string {
  const days = (to - from + 1) / 24;
  return `synthetic market v${syntheticVersion}, seed ${seed}, ${coins.length} markets, ${days} days from hour ${from}`;
}
