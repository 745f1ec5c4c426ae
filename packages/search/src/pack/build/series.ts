/**
 * One market over time, in a form that scores and views are worked out from.
 *
 * What is known at hour h: funding and asset contexts up to h, candles up to
 * h - 1. Everything here takes the hour at which it is asked and looks no
 * further; that is the one place where a look into the future could creep in.
 */
import type { AssetContext, Candle, Funding, MarketTables } from "@bridle/market";
import { hourMs } from "@bridle/market";
import { mean, spread } from "./number.js";
import type { BuildParams } from "./params.js";

export interface Series {
  readonly market: string;
  readonly candles: readonly Candle[];
  readonly funding: readonly Funding[];
  /** The last of each hour. */
  readonly contexts: readonly HourContext[];
  /** For each row of funding, its score; undefined where there is too little history. */
  readonly scores: readonly (Score | undefined)[];
}

export interface HourContext {
  readonly hour: number;
  readonly context: AssetContext;
}

export interface Score {
  readonly z: number;
  /** How many of the baseline's hours were there. */
  readonly history: number;
}

export async function loadSeries(tables: MarketTables, market: string, params: BuildParams): Promise<Series> {
  const [candles, funding, contexts] = [
    await tables.candles(market),
    await tables.funding(market),
    await tables.assetContexts(market),
  ];
  return { market, candles, funding, contexts: lastOfHours(contexts), scores: scoresOf(funding, params) };
}

function lastOfHours(contexts: readonly AssetContext[]): HourContext[] {
  const found: HourContext[] = [];
  for (const context of contexts) {
    const hour = Math.floor(context.timeMs / hourMs);
    if (found.at(-1)?.hour === hour) found.pop();
    found.push({ hour, context });
  }
  return found;
}

/** Each rate against those of the hours before it; rows that are missing are missing, not zero. */
export function scoresOf(funding: readonly Funding[], params: BuildParams): (Score | undefined)[] {
  const rates = funding.map(({ rate }) => Number(rate));
  let from = 0;
  return funding.map(({ hour }, i) => {
    while ((funding[from]?.hour ?? hour) < hour - params.baseline_hours) from++;
    const history = i - from;
    if (history < params.baseline_hours_min) return undefined;
    const before = rates.slice(from, i);
    const middle = mean(before);
    const size = Math.max(spread(before, middle), params.spread_floor);
    return { z: ((rates[i] as number) - middle) / size, history };
  });
}

interface Hourly {
  readonly hour: number;
}

/** The first place at or after this hour. */
export function placeOf(rows: readonly Hourly[], hour: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as Hourly).hour < hour) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows from `from` to `to`, both included. */
export function between<Row extends Hourly>(rows: readonly Row[], from: number, to: number): readonly Row[] {
  return rows.slice(placeOf(rows, from), placeOf(rows, to + 1));
}

export function at<Row extends Hourly>(rows: readonly Row[], hour: number): Row | undefined {
  const found = rows[placeOf(rows, hour)];
  return found?.hour === hour ? found : undefined;
}

export function scoreAt({ funding, scores }: Series, hour: number): Score | undefined {
  const place = placeOf(funding, hour);
  return funding[place]?.hour === hour ? scores[place] : undefined;
}
