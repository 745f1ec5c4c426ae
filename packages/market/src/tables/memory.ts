/**
 * Tables in plain memory: what the synthetic market is, and what files are loaded
 * into where no SQL is needed. The engine's tables must answer exactly like these.
 */
import { compareCodePoints } from "@bridle/record";
import { hourOf } from "../hours.js";
import {
  type Candle,
  type Coverage,
  type Fill,
  type Funding,
  type AssetContext,
  type Hour,
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
import { compareRows } from "./shape.js";

interface Placed {
  readonly row: Rows[TableName];
  readonly place: SourceLine;
}
type Book = Map<string, Placed[]>;
type Settled = { readonly [Table in TableName]: ReadonlyMap<string, readonly Rows[Table][]> };

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
    const rows = book.get(row.market);
    if (rows === undefined) book.set(row.market, [{ row, place }]);
    else rows.push({ row, place });
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
function settle(table: TableName, book: Book): ReadonlyMap<string, readonly Rows[TableName][]> {
  const settled = new Map<string, readonly Rows[TableName][]>();
  for (const market of [...book.keys()].sort(compareCodePoints)) {
    const placed = book.get(market) ?? [];
    placed.sort(
      (a, b) => compareRows(table, a.row, b.row, { whole: false }) || comparePlaces(a.place, b.place),
    );
    const rows: Rows[TableName][] = [];
    let kept: Placed | undefined;
    for (const each of placed) {
      if (kept !== undefined && compareRows(table, kept.row, each.row, { whole: false }) === 0) {
        if (compareRows(table, kept.row, each.row, { whole: true }) !== 0) throw conflict(table, kept, each);
        continue;
      }
      kept = each;
      rows.push(each.row);
    }
    settled.set(market, rows);
  }
  return settled;
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
    return within(this.settled.candle.get(market), ({ hour }) => hour, range);
  }

  async funding(market: string, range?: HourRange): Promise<readonly Funding[]> {
    return within(this.settled.funding.get(market), ({ hour }) => hour, range);
  }

  async assetContexts(market: string, range?: HourRange): Promise<readonly AssetContext[]> {
    return within(this.settled.assetContext.get(market), ({ timeMs }) => hourOf(timeMs), range);
  }

  async fills(market: string, range?: HourRange): Promise<readonly Fill[]> {
    return within(this.settled.fill.get(market), ({ timeMs }) => hourOf(timeMs), range);
  }

  async liquidations(market: string, range?: HourRange): Promise<readonly Liquidation[]> {
    return within(this.settled.liquidation.get(market), ({ timeMs }) => hourOf(timeMs), range);
  }

  async coverage(market: string): Promise<Coverage> {
    const { candle, funding, assetContext, fill, liquidation } = this.settled;
    return coverageWith({
      candle: coverageOf((candle.get(market) ?? []).map(({ hour }) => hour)),
      funding: coverageOf((funding.get(market) ?? []).map(({ hour }) => hour)),
      assetContext: coverageOf((assetContext.get(market) ?? []).map(({ timeMs }) => hourOf(timeMs))),
      fill: coverageOf((fill.get(market) ?? []).map(({ timeMs }) => hourOf(timeMs))),
      liquidation: coverageOf((liquidation.get(market) ?? []).map(({ timeMs }) => hourOf(timeMs))),
    });
  }

  async close(): Promise<void> {}
}

function within<Row>(
  rows: readonly Row[] | undefined,
  hour: (row: Row) => Hour,
  range?: HourRange,
): readonly Row[] {
  if (rows === undefined) return [];
  if (range?.from === undefined && range?.to === undefined) return rows;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const before = (limit: Hour): number => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (hour(rows[middle] as Row) < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return rows.slice(before(from), before(to + 1));
}
