/**
 * Judges data while it is loaded: a builder that passes every row on and notes
 * what is odd about it, with the file and the line.
 *
 * What a newcomer gets wrong: nothing here is about rows that cannot be read;
 * those end the load. Rows may come in any order, so intervals are looked at when
 * all of them are there.
 */
import { formatHour, hourOf } from "../hours.js";
import { GrowingNames, GrowingNumbers } from "../tables/growing.js";
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
  isSpelledLikeElsewhere,
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
  /** Of candles, by which jumps of the price are found. */
  readonly closes: GrowingNumbers;
  readonly hours: GrowingNumbers;
  readonly lines: GrowingNumbers;
  readonly sources: GrowingNames;
}

function nothingSeen(): Seen {
  return {
    closes: new GrowingNumbers(),
    hours: new GrowingNumbers(),
    lines: new GrowingNumbers(),
    sources: new GrowingNames(),
  };
}

export class CheckingBuilder implements TableBuilder {
  private readonly seen = new Map<string, Map<TableName, Seen>>();
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
    const seen = tables.get(table) ?? nothingSeen();
    tables.set(table, seen);
    seen.hours.push("hour" in row ? row.hour : row.timeMs / 3_600_000);
    seen.lines.push(place.line);
    seen.sources.push(place.source);
    if (isNew && !isSpelledLikeTheExchange(market))
      this.defect("market_spelling", market, place, `the market is spelled ${JSON.stringify(market)}`);
    if (isNew && isSpelledLikeElsewhere(market))
      this.defect(
        "market_elsewhere",
        market,
        place,
        `the market is ${market}, a name of another venue; only Hyperliquid is covered`,
      );
    if (table === "candle") seen.closes.push(Number((row as Candle).close));
    if (table === "funding") this.noteRate(row as Funding, (row as Funding).rate, place);
    if (table === "assetContext" && (row as AssetContext).funding !== undefined)
      this.noteRate(row as AssetContext, (row as AssetContext).funding as string, place);
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
  private judgeHours(market: string, table: TableName, seen: Seen): void {
    if (table !== "candle" && table !== "funding") return;
    const hours = seen.hours.view();
    const order = Uint32Array.from(hours, (_, i) => i).sort(
      (a, b) => (hours[a] as number) - (hours[b] as number) || a - b,
    );
    if (table === "candle") this.judgePrices(market, seen, order);
    const steps = new Float64Array(Math.max(0, order.length - 1));
    let count = 0;
    for (let k = 1; k < order.length; k++) {
      const now = order[k] as number;
      const step = (hours[now] as number) - (hours[order[k - 1] as number] as number);
      if (step > 0) steps[count++] = step;
      else {
        const message = `${table} of ${formatHour(hours[now] as number)} stands here again`;
        this.defect("rows_repeated", market, placeIn(seen, now), message);
      }
    }
    const usual = steps.subarray(0, count).toSorted()[Math.floor(count / 2)];
    if (usual === undefined || count < 2) return;
    if (usual > 1) {
      const message = `${table} rows stand ${usual} hours apart, expected one`;
      this.defect("interval_unexpected", market, placeIn(seen, order[1] as number), message);
      return;
    }
    for (let k = 1; k < order.length; k++) {
      const now = order[k] as number;
      const missing = (hours[now] as number) - (hours[order[k - 1] as number] as number) - 1;
      if (missing <= 0) continue;
      const message = `${missing} hours of ${table} are missing before ${formatHour(hours[now] as number)}`;
      this.defect("hours_missing", market, placeIn(seen, now), message);
    }
  }

  /** `order`: the places of the rows in the order of time. */
  private judgePrices(market: string, seen: Seen, order: Uint32Array): void {
    const [hours, closes] = [seen.hours.view(), seen.closes.view()];
    for (let k = 1; k < order.length; k++) {
      const [before, now] = [order[k - 1] as number, order[k] as number];
      if (hours[now] !== (hours[before] as number) + 1) continue;
      const factor = (closes[now] as number) / (closes[before] as number);
      if (factor <= priceFactorMax && factor >= 1 / priceFactorMax) continue;
      const message = `the close is ${closes[now]}, an hour after ${closes[before]}`;
      this.defect("price_out_of_range", market, placeIn(seen, now), message);
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
    const tables = [...(this.seen.get(market) ?? [])].map(([table, { hours }]) =>
      tableReport(table, hours.view()),
    );
    return { market, tables, verdict: refused ? "refused" : gaps ? "gaps" : "fit" };
  }
}

function placeIn({ lines, sources }: Seen, i: number): SourceLine {
  return { source: sources.at(i), line: lines.at(i) };
}

function tableReport(table: TableName, hours: Float64Array): TableReport {
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
