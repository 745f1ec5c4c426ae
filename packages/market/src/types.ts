/**
 * The manual of this room: what a market's facts look like, and how they are read.
 *
 * Five tables: candles, funding, asset contexts, fills, liquidations. Numbers are
 * decimals in one canonical spelling ("0.0000125", never "1.25e-05" or "12.50"), so
 * that equal values are equal strings; nothing here ever was a float. A member that
 * a source does not have is left out. It is never zero and never null.
 *
 * What a newcomer gets wrong is when a fact is known; known.ts says it once for
 * every table, and whoever decides at some moment asks there.
 */

/** Exact, in canonical spelling (see decimal.ts). */
export type DecimalText = string;
/** Whole hours since 1970-01-01T00:00Z. Adjacent hours differ by one. */
export type Hour = number;
/** Milliseconds since 1970-01-01T00:00Z. */
export type Ms = number;

export const hourMs = 3_600_000;

export interface Candle {
  readonly market: string;
  readonly hour: Hour;
  readonly open: DecimalText;
  readonly high: DecimalText;
  readonly low: DecimalText;
  readonly close: DecimalText;
  /** In units of the coin (for k-coins: of a thousand). */
  readonly volume?: DecimalText;
  readonly trades?: number;
}

export interface Funding {
  readonly market: string;
  /** The hour at whose start it was paid. */
  readonly hour: Hour;
  /** Per hour, as a share of the position. */
  readonly rate: DecimalText;
  readonly premium?: DecimalText;
  /**
   * When it was stamped, where that is more than a minute after the hour; a stamp
   * up to a minute late is how the exchange writes the hour itself.
   */
  readonly stampMs?: Ms;
}

export interface AssetContext {
  readonly market: string;
  readonly timeMs: Ms;
  readonly mark?: DecimalText;
  readonly oracle?: DecimalText;
  readonly mid?: DecimalText;
  readonly impactBid?: DecimalText;
  readonly impactAsk?: DecimalText;
  readonly premium?: DecimalText;
  readonly funding?: DecimalText;
  /** In units of the coin. In dollars it is this times `oracle` or `mark`; say which. */
  readonly openInterest?: DecimalText;
  readonly previousDayPrice?: DecimalText;
  /** In dollars, over the last 24 hours. */
  readonly dayVolume?: DecimalText;
  /** In units of the coin, over the last 24 hours. */
  readonly dayBaseVolume?: DecimalText;
}

/** One side of one trade. */
export interface Fill {
  readonly market: string;
  readonly timeMs: Ms;
  readonly price: DecimalText;
  readonly size: DecimalText;
  readonly side: "buy" | "sell";
  readonly user?: string;
  readonly direction?: string;
  readonly startPosition?: DecimalText;
  readonly closedPnl?: DecimalText;
  readonly fee?: DecimalText;
  readonly feeToken?: string;
  readonly crossed?: boolean;
  readonly hash?: string;
  readonly orderId?: string;
  readonly tradeId?: string;
}

/** One forced trade, once: as the one who was liquidated saw it. */
export interface Liquidation {
  readonly market: string;
  readonly timeMs: Ms;
  readonly price: DecimalText;
  readonly size: DecimalText;
  /** The position that was closed: a long is closed by selling. */
  readonly position: "long" | "short";
  readonly mark?: DecimalText;
  readonly method?: string;
  readonly user?: string;
  readonly tradeId?: string;
}

export interface Rows {
  readonly candle: Candle;
  readonly funding: Funding;
  readonly assetContext: AssetContext;
  readonly fill: Fill;
  readonly liquidation: Liquidation;
}
export type TableName = keyof Rows;
export const tableNames = ["candle", "funding", "assetContext", "fill", "liquidation"] as const;

/** What was read, so that whoever builds on it can say from which bytes. */
export interface MarketSource {
  /** The file's name without its folder, what was asked of the exchange, or the seed. */
  readonly name: string;
  readonly kind: "csv" | "jsonl" | "parquet" | "info" | "synthetic";
  /** Of the very bytes that were read; of a compressed file, as it was on the disk. */
  readonly sha256: string;
  readonly bytes: number;
  /** Rows that it gave, before repeats were taken out. */
  readonly rows: number;
  /**
   * `decimal`: numbers stood there in digits. `double`: the file held binary
   * doubles, and each was taken as the shortest decimal that means that double.
   */
  readonly numbers: "decimal" | "double";
  readonly synthetic: boolean;
}

/** Hours from `from` to `to`, both included; without one of them there is no bound on that side. */
export interface HourRange {
  readonly from?: Hour;
  readonly to?: Hour;
}

/** Hours that are missing between the first and the last, both included. */
export interface Gap {
  readonly from: Hour;
  readonly to: Hour;
}

export interface TableCoverage {
  readonly rows: number;
  /** Of the first and of the last row; for tables by time, the hour that the time falls into. */
  readonly first: Hour;
  readonly last: Hour;
  /** In order, none touching another. */
  readonly gaps: readonly Gap[];
}

/** A table that has no row of the market is not a member. */
export type Coverage = { readonly [Table in TableName]?: TableCoverage };

/**
 * Tables to read from. Immutable: everything was loaded before it came about.
 *
 * Contract: every list is in total order, that is by hour or time and then by the
 * rest of the row, so that the same facts give the same bytes however and in
 * whatever order they were loaded. A market that is not there gives empty lists.
 * Real and made-up facts never stand in one `MarketTables`.
 */
export interface MarketTables {
  readonly synthetic: boolean;
  /** In the order of name and digest, each once. */
  readonly sources: readonly MarketSource[];
  /** Every market that has a row in some table, in code point order. */
  markets(): Promise<readonly string[]>;
  candles(market: string, range?: HourRange): Promise<readonly Candle[]>;
  funding(market: string, range?: HourRange): Promise<readonly Funding[]>;
  /** As often as the source looked; `lastOfEachHour` thins them out. */
  assetContexts(market: string, range?: HourRange): Promise<readonly AssetContext[]>;
  fills(market: string, range?: HourRange): Promise<readonly Fill[]>;
  liquidations(market: string, range?: HourRange): Promise<readonly Liquidation[]>;
  coverage(market: string): Promise<Coverage>;
  close(): Promise<void>;
}

/** Where a row stood, for whoever must look it up. Lines and rows are counted from 1. */
export interface SourceLine {
  readonly source: string;
  readonly line: number;
}

/**
 * Takes rows in any order and makes tables of them.
 *
 * Contract: equal rows with one key count once; rows that differ under one key
 * fail `finish` with `market_rows_conflict`, which names both places.
 */
export interface TableBuilder {
  add<Table extends TableName>(table: Table, row: Rows[Table], place: SourceLine): void;
  /** After the last row of a source. Fails when real and synthetic sources would meet. */
  source(source: MarketSource): void;
  finish(): Promise<MarketTables>;
  /** Instead of `finish`, when loading failed. */
  discard(): Promise<void>;
}
