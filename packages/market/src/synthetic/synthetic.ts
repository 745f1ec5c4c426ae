/**
 * A market that never was, from a seed: so that everything runs offline, and so
 * that there are labels whose reasons are known (see plan.ts for what is planted).
 *
 * The same seed gives the same bytes on every machine and version. Its source says
 * `synthetic`, its coins are named SYN-…, and no tables take it in beside real facts.
 * Accounts that trade in it are made on request (see traders.ts); without the request
 * not a byte is different.
 */
import { createHash } from "node:crypto";
import { digestedCells } from "../tables/digest.js";
import { MemoryBuilder } from "../tables/memory.js";
import type { Candle, MarketSource, MarketTables, Rows, TableBuilder, TableName } from "../types.js";
import { rowsOfCoin, weatherOf } from "./coin.js";
import { planMarket, type MarketPlan, type SyntheticOptions } from "./plan.js";
import { type TraderTruth, tradersOf } from "./traders.js";

/** Raised when the same seed would give other rows than before. */
export const syntheticVersion = 1;

export async function syntheticMarket(options: SyntheticOptions): Promise<MarketTables> {
  const builder = new MemoryBuilder();
  fillSynthetic(options, builder);
  return builder.finish();
}

/** All rows and their source into any tables; the caller finishes them. What is true of the made-up accounts comes back. */
export function fillSynthetic(options: SyntheticOptions, builder: TableBuilder): TraderTruth | undefined {
  const plan = planMarket(options);
  const { traders = 0 } = options;
  const name = syntheticName(plan, traders);
  const hash = createHash("sha256");
  let [rows, bytes] = [0, 0];
  const take = <Table extends TableName>(table: Table, list: readonly Rows[Table][]) => {
    for (const row of list) {
      const line = `${JSON.stringify([table, ...digestedCells(table, row)])}\n`;
      hash.update(line);
      bytes += line.length;
      builder.add(table, row, { source: name, line: ++rows });
    }
  };
  const weather = weatherOf(plan);
  const throughout = new Map<string, readonly Candle[]>();
  for (const coin of plan.coins) {
    const { candles, funding, contexts, liquidations } = rowsOfCoin(plan, coin, weather);
    take("candle", candles);
    take("funding", funding);
    take("assetContext", contexts);
    take("liquidation", liquidations);
    if (coin.listed === plan.from && coin.last === plan.to) throughout.set(coin.market, candles);
  }
  let truth: TraderTruth | undefined;
  if (traders > 0) {
    const { seed, from, to } = plan;
    const made = tradersOf({ seed, traders, from, to, candles: throughout });
    take("fill", made.fills);
    truth = made.truth;
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
  return truth;
}

function syntheticName({ seed, coins, from, to }: MarketPlan, traders: number): string {
  const days = (to - from + 1) / 24;
  const accounts = traders === 0 ? "" : `, ${traders} traders`;
  return `synthetic market v${syntheticVersion}, seed ${seed}, ${coins.length} markets${accounts}, ${days} days from hour ${from}`;
}
