/**
 * Judges data while it is loaded: a builder that passes every row on and notes
 * what is odd about it, with the file and the line.
 *
 * What a newcomer gets wrong: nothing here is about rows that cannot be read;
 * those end the load. Rows may come in any order, so intervals are looked at when
 * all of them are there.
 */
import { formatHour, hourOf } from "../hours.js";
import type {
  AssetContext,
  Candle,
  Funding,
  MarketSource,
  MarketTables,
  SourceLine,
  Rows,
  TableBuilder,
  TableName,
} from "../types.js";
import {
  type Defect,
  type DefectKind,
  defectKinds,
  fundingRateMax,
  isSpelledLikeTheExchange,
  premiumMax,
  priceFactorMax,
} from "./defect.js";

export interface TableReport {
  readonly table: TableName;
  readonly rows: number;
  readonly first: string;
  readonly last: string;
  readonly hoursMissing: number;
  readonly longestGapHours: number;
  readonly repeated: number;
}

export interface MarketReport {
  readonly market: string;
  readonly tables: readonly TableReport[];
  readonly verdict: "fit" | "gaps" | "refused";
}

export interface SourceColumns {
  readonly source: string;
  readonly used: Readonly<Record<string, string>>;
  readonly unused: readonly string[];
}

export interface DataReport {
  readonly markets: readonly MarketReport[];
  readonly defects: readonly Defect[];
  readonly columns: readonly SourceColumns[];
  readonly verdict: "fit" | "refused";
}

/** Of one kind and market so many are told by line; the rest is counted. */
const toldEach = 5;

interface Seen {
  readonly hours: number[];
  readonly lines: number[];
  readonly sources: string[];
}

export class CheckingBuilder implements TableBuilder {
  private readonly seen = new Map<string, Map<TableName, Seen>>();
  private readonly closes = new Map<
    string,
    { readonly hour: number; readonly close: number; readonly place: SourceLine }[]
  >();
  private readonly found = new Map<string, Defect[]>();
  private readonly counts = new Map<string, number>();
  private readonly columns: SourceColumns[] = [];

  /** `next` gets every row; leave it out to judge only. */
  constructor(private readonly next?: TableBuilder) {}

  add<Table extends TableName>(table: Table, row: Rows[Table], place: SourceLine): void {
    this.note(table, row, place);
    this.next?.add(table, row, place);
  }

  source(source: MarketSource): void {
    this.next?.source(source);
  }

  async finish(): Promise<MarketTables> {
    if (this.next === undefined) throw new Error("nothing was built: this builder only judges");
    return this.next.finish();
  }

  async discard(): Promise<void> {
    await this.next?.discard();
  }

  /** Which columns of a source were used. */
  noteColumns(columns: SourceColumns): void {
    if (!this.columns.some(({ source }) => source === columns.source)) this.columns.push(columns);
    if (columns.unused.length > 0)
      this.defect(
        "columns_unused",
        undefined,
        { source: columns.source, line: 1 },
        `${columns.source} has columns that nothing is made of: ${columns.unused.join(", ")}`,
      );
  }

  report(): DataReport {
    for (const [market, tables] of this.seen)
      for (const [table, seen] of tables) this.judgeHours(market, table, seen);
    for (const [market, closes] of this.closes) this.judgePrices(market, closes);
    const defects = [...this.found.values()].flat().map((defect) => this.withCount(defect));
    const markets = [...this.seen.keys()].sort().map((market) => this.marketReport(market, defects));
    const refused = defects.some(({ kind }) => isRefused(kind));
    return { markets, defects, columns: this.columns, verdict: refused ? "refused" : "fit" };
  }

  private note<Table extends TableName>(table: Table, row: Rows[Table], place: SourceLine): void {
    const { market } = row;
    const isNew = !this.seen.has(market);
    const tables = this.seen.get(market) ?? new Map<TableName, Seen>();
    this.seen.set(market, tables);
    const seen = tables.get(table) ?? { hours: [], lines: [], sources: [] };
    tables.set(table, seen);
    seen.hours.push("hour" in row ? row.hour : row.timeMs / 3_600_000);
    seen.lines.push(place.line);
    seen.sources.push(place.source);
    if (isNew && !isSpelledLikeTheExchange(market))
      this.defect("market_spelling", market, place, `the market is spelled ${JSON.stringify(market)}`);
    if (table === "candle") this.noteCandle(row as Candle, place);
    if (table === "funding") this.noteRate(row as Funding, (row as Funding).rate, place);
    if (table === "assetContext" && (row as AssetContext).funding !== undefined)
      this.noteRate(row as AssetContext, (row as AssetContext).funding as string, place);
  }

  private noteCandle({ market, hour, close }: Candle, place: SourceLine): void {
    const closes = this.closes.get(market) ?? [];
    this.closes.set(market, closes);
    closes.push({ hour, close: Number(close), place });
  }

  private noteRate(
    { market, premium }: { readonly market: string; readonly premium?: string },
    rate: string,
    place: SourceLine,
  ): void {
    if (Math.abs(Number(rate)) > fundingRateMax)
      this.defect(
        "funding_out_of_range",
        market,
        place,
        `funding of ${rate} is ${(100 * Number(rate)).toFixed(1)} % in an hour; the exchange pays at most ${100 * fundingRateMax} %, as a share and not in percent`,
      );
    if (premium !== undefined && Math.abs(Number(premium)) > premiumMax)
      this.defect(
        "premium_out_of_range",
        market,
        place,
        `the premium is ${premium}, as a share of the price`,
      );
  }

  /** Intervals, gaps and repeats of one table of one market. */
  private judgeHours(market: string, table: TableName, { hours, lines, sources }: Seen): void {
    if (table !== "candle" && table !== "funding") return;
    const order = hours.map((_, i) => i).sort((a, b) => (hours[a] as number) - (hours[b] as number) || a - b);
    const placeOf = (i: number): SourceLine => ({ source: sources[i] as string, line: lines[i] as number });
    const steps: number[] = [];
    for (let k = 1; k < order.length; k++) {
      const [before, now] = [order[k - 1] as number, order[k] as number];
      const step = (hours[now] as number) - (hours[before] as number);
      if (step === 0)
        this.defect(
          "rows_repeated",
          market,
          placeOf(now),
          `${table} of ${formatHour(hours[now] as number)} stands here again`,
        );
      else steps.push(step);
    }
    const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)];
    if (usual === undefined || steps.length < 2) return;
    if (usual > 1) {
      this.defect(
        "interval_unexpected",
        market,
        placeOf(order[1] as number),
        `${table} rows stand ${usual} hours apart, expected one`,
      );
      return;
    }
    for (let k = 1; k < order.length; k++) {
      const [before, now] = [order[k - 1] as number, order[k] as number];
      const missing = (hours[now] as number) - (hours[before] as number) - 1;
      if (missing > 0)
        this.defect(
          "hours_missing",
          market,
          placeOf(now),
          `${missing} hours of ${table} are missing before ${formatHour(hours[now] as number)}`,
        );
    }
  }

  private judgePrices(
    market: string,
    closes: { readonly hour: number; readonly close: number; readonly place: SourceLine }[],
  ): void {
    const sorted = closes.toSorted((a, b) => a.hour - b.hour);
    for (let i = 1; i < sorted.length; i++) {
      const [before, now] = [sorted[i - 1], sorted[i]];
      if (before === undefined || now === undefined || now.hour !== before.hour + 1) continue;
      const factor = now.close / before.close;
      if (factor > priceFactorMax || factor < 1 / priceFactorMax)
        this.defect(
          "price_out_of_range",
          market,
          now.place,
          `the close is ${now.close}, an hour after ${before.close}`,
        );
    }
  }

  private defect(kind: DefectKind, market: string | undefined, place: SourceLine, message: string): void {
    const key = `${kind}\n${market ?? place.source}`;
    const told = this.found.get(key) ?? [];
    this.found.set(key, told);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    if (told.length < toldEach) told.push({ kind, market, place, message });
  }

  private withCount(defect: Defect): Defect {
    const key = `${defect.kind}\n${defect.market ?? defect.place.source}`;
    const told = this.found.get(key) ?? [];
    const more = (this.counts.get(key) ?? 0) - told.length;
    const isLast = told.at(-1) === defect;
    return isLast && more > 0 ? { ...defect, message: `${defect.message} (and ${more} more)` } : defect;
  }

  private marketReport(market: string, defects: readonly Defect[]): MarketReport {
    const own = defects.filter((defect) => defect.market === market);
    const refused = own.some(({ kind }) => isRefused(kind));
    const gaps = own.some(({ kind }) => kind === "hours_missing");
    const tables = [...(this.seen.get(market) ?? [])].map(([table, { hours }]) => tableReport(table, hours));
    return { market, tables, verdict: refused ? "refused" : gaps ? "gaps" : "fit" };
  }
}

function tableReport(table: TableName, hours: readonly number[]): TableReport {
  const whole = [...new Set(hours.map((hour) => Math.floor(hour)))].sort((a, b) => a - b);
  let [missing, longest] = [0, 0];
  for (let i = 1; i < whole.length; i++) {
    const gap = (whole[i] as number) - (whole[i - 1] as number) - 1;
    missing += gap;
    longest = Math.max(longest, gap);
  }
  return {
    table,
    rows: hours.length,
    first: formatHour(whole[0] ?? hourOf(0)),
    last: formatHour(whole.at(-1) ?? hourOf(0)),
    hoursMissing: missing,
    longestGapHours: longest,
    repeated: table === "candle" || table === "funding" ? hours.length - whole.length : 0,
  };
}

function isRefused(kind: DefectKind): boolean {
  return defectKinds[kind].refuses;
}
