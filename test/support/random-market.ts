/**
 * Random markets with everything that real ones have: gaps, volumes that are
 * missing, funding that is stamped late, and contexts every few minutes that do
 * not stand on the hour. The rows are plain lists, so that a test can cut them.
 */
import {
  type AssetContext,
  type Candle,
  type Funding,
  hourMs,
  type MarketTables,
  MemoryBuilder,
} from "@bridle/market";
import { Chance } from "../../packages/search/src/policy/chance.js";

export interface MarketRows {
  readonly candle: readonly Candle[];
  readonly funding: readonly Funding[];
  readonly assetContext: readonly AssetContext[];
}

export interface RandomMarketOptions {
  readonly seed: string;
  readonly markets: number;
  readonly hours: number;
  /** Minutes between two contexts; 0 for none. */
  readonly contextMinutes: number;
  /** Of a hundred rows, so many are not there. */
  readonly gapPercent?: number;
}

/** 2025-03-01T00:00Z. */
export const firstHour = 483_672;

export function randomMarket(options: RandomMarketOptions): MarketRows {
  const rows: { candle: Candle[]; funding: Funding[]; assetContext: AssetContext[] } = {
    candle: [],
    funding: [],
    assetContext: [],
  };
  for (let i = 0; i < options.markets; i++) addMarket(rows, `M${i}`, options);
  return rows;
}

function addMarket(
  rows: { candle: Candle[]; funding: Funding[]; assetContext: AssetContext[] },
  market: string,
  { seed, hours, contextMinutes, gapPercent = 1 }: RandomMarketOptions,
): void {
  const chance = new Chance(seed, market);
  const unit = () => chance.below(1_000_000) / 1_000_000;
  const decimal = (value: number, digits: number) => String(Number(value.toFixed(digits)));
  const hasVolume = chance.below(10) > 0;
  let price = 10 + 90 * unit();
  let interest = 1_000 + 9_000 * unit();
  let stress = { left: 0, size: 0 };
  let away = 0;
  for (let hour = firstHour; hour < firstHour + hours; hour++) {
    if (away > 0) away--;
    else if (chance.below(150) === 0) away = 1 + chance.below(12);
    const isThere = () => away === 0 && chance.below(100) >= gapPercent;
    const open = price;
    price *= 1 + (unit() - 0.5) * 0.02;
    const [high, low] = [Math.max(open, price) * 1.001, Math.min(open, price) * 0.999];
    if (isThere()) {
      rows.candle.push({
        market,
        hour,
        open: decimal(open, 4),
        high: decimal(high, 4),
        low: decimal(low, 4),
        close: decimal(price, 4),
        ...(hasVolume && chance.below(200) > 0 ? { volume: decimal(1_000 * unit() + 1, 2) } : {}),
      });
    }
    if (stress.left > 0) stress.left--;
    else if (chance.below(30) === 0)
      stress = {
        left: chance.below(8),
        size: (chance.below(2) === 0 ? 1 : -1) * (0.00002 + 0.0002 * unit()),
      };
    const isStressed = stress.left > 0 || chance.below(60) === 0;
    const rate = 0.0000125 + (unit() - 0.5) * 0.00001 + (isStressed ? stress.size : 0);
    if (isThere()) {
      const late = chance.below(8) === 0 ? (2 + chance.below(50)) * 60_000 + chance.below(60_000) : undefined;
      rows.funding.push({
        market,
        hour,
        rate: decimal(rate, 12),
        ...(chance.below(4) > 0 ? { premium: decimal(rate * 8, 12) } : {}),
        ...(late === undefined ? {} : { stampMs: hour * hourMs + late }),
      });
    }
    if (contextMinutes === 0) continue;
    for (let minute = 0; minute < 60; minute += contextMinutes) {
      interest *= 1 + (unit() - 0.5) * 0.01;
      if (away > 0 || chance.below(40) === 0) continue;
      rows.assetContext.push({
        market,
        timeMs: hour * hourMs + minute * 60_000 + chance.below(contextMinutes * 60_000),
        mark: decimal(price, 4),
        ...(chance.below(20) > 0 ? { openInterest: decimal(interest, 3) } : {}),
        ...(chance.below(20) > 0 ? { premium: decimal((unit() - 0.5) * 0.002, 10) } : {}),
      });
    }
  }
}

/** Rows in any order. */
export async function tablesFrom(rows: MarketRows): Promise<MarketTables> {
  const builder = new MemoryBuilder();
  for (const table of ["candle", "funding", "assetContext"] as const)
    for (const [i, row] of rows[table].entries())
      builder.add(table, row as never, { source: table, line: i + 1 });
  builder.source({
    name: "random",
    kind: "synthetic",
    sha256: "0".repeat(64),
    bytes: 0,
    rows: rows.candle.length + rows.funding.length + rows.assetContext.length,
    numbers: "decimal",
    synthetic: true,
  });
  return builder.finish();
}

/**
 * Only what was known at a moment. Written here once more on purpose: were it
 * taken from the program, a wrong rule would cut as wrongly as it looks.
 */
export function cutAt(rows: MarketRows, atMs: number): MarketRows {
  return {
    candle: rows.candle.filter(({ hour }) => hour * 3_600_000 + 3_600_000 <= atMs),
    funding: rows.funding.filter(({ hour, stampMs }) => {
      const late = stampMs === undefined ? 0 : stampMs - hour * 3_600_000;
      return (late > 60_000 ? hour * 3_600_000 + late : hour * 3_600_000) <= atMs;
    }),
    assetContext: rows.assetContext.filter(({ timeMs }) => timeMs <= atMs),
  };
}
