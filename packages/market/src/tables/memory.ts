/**
 * Tables in plain memory: what the synthetic market is, and what files are loaded
 * into where no SQL is needed. The engine's tables must answer exactly like these.
 */
import { compareCodePoints } from "@bridle/record";
import {
  type AssetContext,
  type Candle,
  type Coverage,
  type Fill,
  type Funding,
  type HourRange,
  type Liquidation,
  type MarketSource,
  type MarketTables,
  type SourceLine,
  type Rows,
  type TableBuilder,
  type TableName,
  tableNames,
} from "../types.js";
import { comparePlaces, conflict, settleSources } from "./conflict.js";
import { coverageOf, coverageWith } from "./coverage.js";
import { GatheredRows, PackedRows, packRow, timeOf, unpackRow } from "./packed-rows.js";
import { compareRows } from "./shape.js";

type Book = Map<string, GatheredRows>;
type Settled = { readonly [Table in TableName]: ReadonlyMap<string, PackedRows<Table>> };

export class MemoryBuilder implements TableBuilder {
  private readonly books: { readonly [Table in TableName]: Book } = {
    candle: new Map(),
    funding: new Map(),
    assetContext: new Map(),
    fill: new Map(),
    liquidation: new Map(),
  };
  private readonly seen: MarketSource[] = [];

  add<Table extends TableName>(table: Table, row: Rows[Table], place: SourceLine): void {
    const book = this.books[table];
    let rows = book.get(row.market);
    if (rows === undefined) book.set(row.market, (rows = new GatheredRows()));
    rows.add(timeOf(row), packRow(table, row), place);
  }

  source(source: MarketSource): void {
    settleSources([...this.seen, source]);
    this.seen.push(source);
  }

  async finish(): Promise<MarketTables> {
    const settled = Object.fromEntries(tableNames.map((table) => [table, settle(table, this.books[table])]));
    return new MemoryTables(settled as unknown as Settled, settleSources(this.seen));
  }

  async discard(): Promise<void> {
    for (const table of tableNames) this.books[table].clear();
  }
}

/** Sorted, equal rows once. Of several conflicts the one with the smallest key and places is told. */
function settle<Table extends TableName>(table: Table, book: Book): ReadonlyMap<string, PackedRows<Table>> {
  const settled = new Map<string, PackedRows<Table>>();
  for (const market of [...book.keys()].sort(compareCodePoints)) {
    settled.set(market, settleMarket(table, market, book.get(market) as GatheredRows));
    // What was gathered is not needed any more, and there is much of it.
    book.delete(market);
  }
  return settled;
}

function settleMarket<Table extends TableName>(
  table: Table,
  market: string,
  gathered: GatheredRows,
): PackedRows<Table> {
  const times = gathered.times.view();
  const rowAt = (i: number) => unpackRow(table, market, gathered.bytesOf(i).toString("utf8"));
  const byKey = (a: number, b: number) => compareRows(table, rowAt(a), rowAt(b), { whole: false });
  const order = Uint32Array.from(times, (_, i) => i).sort(
    (a, b) =>
      (times[a] as number) - (times[b] as number) ||
      byKey(a, b) ||
      comparePlaces(gathered.placeOf(a), gathered.placeOf(b)),
  );
  const kept: number[] = [];
  for (const i of order) {
    const last = kept.at(-1);
    if (last !== undefined && times[last] === times[i] && byKey(last, i) === 0) {
      if (!gathered.bytesOf(last).equals(gathered.bytesOf(i)))
        throw conflict(
          table,
          { row: rowAt(last), place: gathered.placeOf(last) },
          { row: rowAt(i), place: gathered.placeOf(i) },
        );
      continue;
    }
    kept.push(i);
  }
  return new PackedRows(table, market, gathered, kept);
}

class MemoryTables implements MarketTables {
  readonly synthetic: boolean;

  constructor(
    private readonly settled: Settled,
    readonly sources: readonly MarketSource[],
  ) {
    this.synthetic = sources.some(({ synthetic }) => synthetic);
  }

  async markets(): Promise<readonly string[]> {
    const names = tableNames.flatMap((table) => [...this.settled[table].keys()]);
    return [...new Set(names)].sort(compareCodePoints);
  }

  async candles(market: string, range?: HourRange): Promise<readonly Candle[]> {
    return this.settled.candle.get(market)?.rows(range) ?? [];
  }

  async funding(market: string, range?: HourRange): Promise<readonly Funding[]> {
    return this.settled.funding.get(market)?.rows(range) ?? [];
  }

  async assetContexts(market: string, range?: HourRange): Promise<readonly AssetContext[]> {
    return this.settled.assetContext.get(market)?.rows(range) ?? [];
  }

  async fills(market: string, range?: HourRange): Promise<readonly Fill[]> {
    return this.settled.fill.get(market)?.rows(range) ?? [];
  }

  async liquidations(market: string, range?: HourRange): Promise<readonly Liquidation[]> {
    return this.settled.liquidation.get(market)?.rows(range) ?? [];
  }

  async coverage(market: string): Promise<Coverage> {
    const of = (table: TableName) => coverageOf(this.settled[table].get(market)?.hours() ?? []);
    return coverageWith({
      candle: of("candle"),
      funding: of("funding"),
      assetContext: of("assetContext"),
      fill: of("fill"),
      liquidation: of("liquidation"),
    });
  }

  async close(): Promise<void> {}
}
