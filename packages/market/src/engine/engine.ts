/**
 * Tables in DuckDB, for facts that are too many for plain memory or that SQL is
 * asked about. They answer exactly as tables in memory do, whatever the number of
 * threads; with one thread, sums of doubles in a query are repeatable as well.
 */
import { hourMs, tableNames } from "../types.js";
import type {
  AssetContext,
  Candle,
  Coverage,
  Fill,
  Funding,
  HourRange,
  Liquidation,
  MarketSource,
  MarketTables,
  Place,
  Rows,
  TableBuilder,
  TableCoverage,
  TableName,
} from "../types.js";
import { marketLimits } from "../limits.js";
import { conflict, settleSources } from "../tables/conflict.js";
import { coverageOf, coverageWith } from "../tables/coverage.js";
import { type Cell, cellsOf, rowOf, shapes } from "../tables/shape.js";
import { openSession, type SelectAnswer, type SqlSession, type SqlValue } from "./duckdb.js";
import {
  cellsSql,
  conflictSql,
  hourSql,
  keyOf,
  orderOf,
  settleSql,
  sqlName,
  stagedType,
  stagingSql,
} from "./schema.js";

export interface EngineTables extends MarketTables {
  /** Which engine, which version, how many threads: for a manifest. */
  readonly engine: string;
  /**
   * One SELECT over candle, funding, asset_context, fill and liquidation, with
   * bound parameters ($1, …). What is digested needs a total ORDER BY of its own.
   */
  query(sql: string, values?: readonly SqlValue[]): Promise<SelectAnswer>;
}

export async function openEngine({
  threads = 1,
}: { readonly threads?: number } = {}): Promise<EngineBuilder> {
  const session = await openSession({ threads });
  for (const table of tableNames) await session.run(stagingSql(table));
  return new EngineBuilder(session, threads);
}

export class EngineBuilder implements TableBuilder {
  private readonly waiting = new Map<TableName, SqlValue[][]>();
  private readonly seen: MarketSource[] = [];

  constructor(
    private readonly session: SqlSession,
    private readonly threads: number,
  ) {}

  add<Table extends TableName>(
    table: Table,
    row: Rows[Table],
    { source, line }: Place,
  ): Promise<void> | void {
    let columns = this.waiting.get(table);
    if (columns === undefined)
      this.waiting.set(table, (columns = [...shapes[table], "source", "line"].map(() => [])));
    const cells = [...cellsOf(table, row), source, line];
    for (let i = 0; i < cells.length; i++) (columns[i] as SqlValue[]).push(asSql(cells[i]));
    if ((columns[0] as SqlValue[]).length >= marketLimits.appendRowsPerChunk) return this.flush(table);
  }

  source(source: MarketSource): void {
    settleSources([...this.seen, source]);
    this.seen.push(source);
  }

  async finish(): Promise<EngineTables> {
    const { session } = this;
    const sources = settleSources(this.seen);
    for (const table of tableNames) {
      await this.flush(table);
      await session.run(settleSql(table));
      await refuseConflict(session, table);
      await session.run(`drop table staged_${sqlName(table)}`);
    }
    const engine = `${await session.version()}, threads ${this.threads}`;
    return new DuckTables(session, sources, engine);
  }

  async discard(): Promise<void> {
    await this.session.close();
  }

  private async flush(table: TableName): Promise<void> {
    const columns = this.waiting.get(table);
    if (columns === undefined || (columns[0] as SqlValue[]).length === 0) return;
    this.waiting.delete(table);
    const types = shapes[table].map(({ kind }) => stagedType(kind));
    await this.session.append(`staged_${sqlName(table)}`, [...types, "text", "integer"], columns);
  }
}

async function refuseConflict(session: SqlSession, table: TableName): Promise<void> {
  const claims = (await session.rows(conflictSql(table))).map(([source, line, ...cells]) => ({
    place: { source: String(source), line: Number(line) },
    row: rowOf(table, cells.map(asCell)),
  }));
  const [first] = claims;
  const other = claims.find(({ row }) => JSON.stringify(row) !== JSON.stringify(first?.row));
  if (first !== undefined && other !== undefined) throw conflict(table, first, other);
}

function asSql(cell: Cell): SqlValue {
  return cell === undefined ? null : typeof cell === "number" ? BigInt(cell) : cell;
}

function asCell(value: SqlValue): Cell {
  return value === null ? undefined : typeof value === "bigint" ? Number(value) : value;
}

class DuckTables implements EngineTables {
  readonly synthetic: boolean;

  constructor(
    private readonly session: SqlSession,
    readonly sources: readonly MarketSource[],
    readonly engine: string,
  ) {
    this.synthetic = sources.some(({ synthetic }) => synthetic);
  }

  async markets(): Promise<readonly string[]> {
    const all = tableNames.map((table) => `select market from ${sqlName(table)}`).join(" union ");
    const rows = await this.session.rows(`select market from (${all}) order by market`);
    return rows.map(([market]) => String(market));
  }

  candles(market: string, range?: HourRange): Promise<readonly Candle[]> {
    return this.read("candle", market, range);
  }

  funding(market: string, range?: HourRange): Promise<readonly Funding[]> {
    return this.read("funding", market, range);
  }

  assetContexts(market: string, range?: HourRange): Promise<readonly AssetContext[]> {
    return this.read("assetContext", market, range);
  }

  fills(market: string, range?: HourRange): Promise<readonly Fill[]> {
    return this.read("fill", market, range);
  }

  liquidations(market: string, range?: HourRange): Promise<readonly Liquidation[]> {
    return this.read("liquidation", market, range);
  }

  async coverage(market: string): Promise<Coverage> {
    const parts: Partial<Record<TableName, TableCoverage | undefined>> = {};
    for (const table of tableNames) {
      const sql = `select ${hourSql(table)} as h, count(*) from ${sqlName(table)} where market = $1 group by h order by h`;
      const rows = await this.session.rows(sql, [market]);
      const count = rows.reduce((sum, [, n]) => sum + Number(n), 0);
      parts[table] = coverageOf(
        rows.map(([hour]) => Number(hour)),
        count,
      );
    }
    return coverageWith(parts);
  }

  async query(sql: string, values: readonly SqlValue[] = []): Promise<SelectAnswer> {
    return this.session.select(sql, values);
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private async read<Table extends TableName>(
    table: Table,
    market: string,
    range?: HourRange,
  ): Promise<readonly Rows[Table][]> {
    const time = keyOf(table)[1] as string;
    const unit = time === "hour" ? 1 : hourMs;
    const values: SqlValue[] = [market];
    let where = "market = $1";
    if (range?.from !== undefined) where += ` and ${time} >= $${values.push(BigInt(range.from * unit))}`;
    if (range?.to !== undefined) where += ` and ${time} < $${values.push(BigInt((range.to + 1) * unit))}`;
    const found: Rows[Table][] = [];
    const sql = `select ${cellsSql(table)} from ${sqlName(table)} where ${where} order by ${orderOf(table)}`;
    await this.session.each(sql, values, (row) => {
      found.push(rowOf(table, row.map(asCell)));
    });
    return found;
  }
}
