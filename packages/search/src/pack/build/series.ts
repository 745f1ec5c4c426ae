/**
 * One market over time, as columns of numbers: when each row became known, and
 * what is worked out from it.
 *
 * What a newcomer gets wrong: nothing here knows what time it is. A row is only
 * read through `AsOf`, which shows those that were known at its moment.
 */
import {
  type AssetContext,
  type Candle,
  type Funding,
  knownAtMs,
  type MarketTables,
  type Rows,
  type TableName,
} from "@bridle/market";
import type { BuildParams } from "./params.js";

/** Rows in the order of time, in which they also become known. */
export interface Column {
  readonly knownMs: Float64Array;
}

/** A number that a row does not have is NaN. */
export interface Series {
  readonly market: string;
  readonly candles: Column & {
    readonly hours: Float64Array;
    readonly closes: Float64Array;
    readonly volumes: Float64Array;
  };
  readonly funding: Column & {
    readonly hours: Float64Array;
    readonly rates: Float64Array;
    readonly scores: Scores;
  };
  readonly contexts: Column & {
    readonly openInterest: Float64Array;
    readonly premium: Float64Array;
  };
}

export interface Score {
  /** Undefined with fewer hours than `baseline_hours_min`. */
  readonly z: number | undefined;
  /** How many of the baseline's hours were there. */
  readonly history: number;
  /** The spread was smaller than its floor, which was taken in its place. */
  readonly floored: boolean;
}

/** The score of each row of funding, as columns: NaN where there is none. */
export class Scores {
  readonly z: Float64Array;
  readonly history: Uint16Array;
  readonly floored: Uint8Array;

  constructor(length: number) {
    this.z = new Float64Array(length).fill(Number.NaN);
    this.history = new Uint16Array(length);
    this.floored = new Uint8Array(length);
  }

  at(place: number): Score {
    const z = this.z[place] as number;
    return {
      z: Number.isNaN(z) ? undefined : z,
      history: this.history[place] as number,
      floored: this.floored[place] === 1,
    };
  }
}

export async function loadSeries(tables: MarketTables, market: string, params: BuildParams): Promise<Series> {
  const candles = await tables.candles(market);
  const funding = await tables.funding(market);
  const contexts = await tables.assetContexts(market);
  const hours = Float64Array.from(funding, ({ hour }) => hour);
  const rates = Float64Array.from(funding, ({ rate }) => Number(rate));
  return {
    market,
    candles: {
      knownMs: knownOf("candle", candles),
      hours: Float64Array.from(candles, ({ hour }) => hour),
      closes: Float64Array.from(candles, ({ close }: Candle) => Number(close)),
      volumes: Float64Array.from(candles, ({ volume }: Candle) => orNaN(volume)),
    },
    funding: {
      knownMs: knownOf("funding", funding as readonly Funding[]),
      hours,
      rates,
      scores: scoresOf(hours, rates, params),
    },
    contexts: {
      knownMs: knownOf("assetContext", contexts),
      openInterest: Float64Array.from(contexts, ({ openInterest }: AssetContext) => orNaN(openInterest)),
      premium: Float64Array.from(contexts, ({ premium }: AssetContext) => orNaN(premium)),
    },
  };
}

function knownOf<Table extends TableName>(table: Table, rows: readonly Rows[Table][]): Float64Array {
  return Float64Array.from(rows, (row) => knownAtMs(table, row));
}

function orNaN(text: string | undefined): number {
  return text === undefined ? Number.NaN : Number(text);
}

/**
 * Each rate against those of the `baseline_hours` before it; hours that are missing
 * are missing, not zero. Sums go in the order of time.
 */
export function scoresOf(hours: Float64Array, rates: Float64Array, params: BuildParams): Scores {
  const scores = new Scores(hours.length);
  let from = 0;
  for (let i = 0; i < hours.length; i++) {
    const hour = hours[i] as number;
    while ((hours[from] as number) < hour - params.baseline_hours) from++;
    const history = i - from;
    scores.history[i] = history;
    if (history < params.baseline_hours_min || history === 0) continue;
    let sum = 0;
    for (let k = from; k < i; k++) sum += rates[k] as number;
    const middle = sum / history;
    let squares = 0;
    for (let k = from; k < i; k++)
      squares += ((rates[k] as number) - middle) * ((rates[k] as number) - middle);
    const spread = Math.sqrt(squares / history);
    const floored = spread < params.spread_floor;
    const size = floored ? params.spread_floor : spread;
    scores.floored[i] = floored ? 1 : 0;
    scores.z[i] = ((rates[i] as number) - middle) / size;
  }
  return scores;
}

/** The first place whose value is at least this. */
export function firstAtLeast(sorted: Float64Array, value: number, end = sorted.length): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of them are at most this. */
export function countUpTo(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The score of an hour, whoever asks: for labels, and for finding where a stress begins. */
export function scoreOf({ funding }: Series, hour: number): Score | undefined {
  const place = firstAtLeast(funding.hours, hour);
  return funding.hours[place] === hour ? funding.scores.at(place) : undefined;
}
