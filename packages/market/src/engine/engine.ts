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
  SourceLine,
  Rows,
  TableBuilder,
  TableCoverage,
  TableName,
} from "../types.js";
import { marketLimits } from "../limits.js";
import { conflict, settleSources } from "../tables/conflict.js";
import { coverageOf, coverageWith } from "../tables/coverage.js";
import { type Cell, cellsOf, rowOf, shapes } from "../tables/shape.js";
import { traderDaySql } from "./trader-day.js";
import {
  type NamedValues,
  openSession,
  type SelectAnswer,
  type SqlAppender,
  type SqlSession,
  type SqlValue,
} from "./duckdb.js";
import {
  cellsSql,
  conflictSql,
  hourSql,
  keyOf,
  orderOf,
  repeatedSql,
  settleSql,
  sqlName,
  sqlType,
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
  /** The same with parameters by name ($coins), lists among them. `trader_day` is there as a view. */
  ask(sql: string, values: NamedValues): Promise<SelectAnswer>;
}

export async function openEngine({
  threads = 1,
}: { readonly threads?: number } = {}): Promise<EngineBuilder> {
  const session = await openSession({ threads });
  const staging = new Map<TableName, Staging>();
  for (const table of tableNames) {
    await session.run(stagingSql(table));
    const types = shapes[table].map(({ kind }) => sqlType(kind));
    const appender = await session.appender(`staged_${sqlName(table)}`, [...types, "text", "integer"]);
    staging.set(table, { appender, columns: emptyColumns(table) });
  }
  return new EngineBuilder(session, staging, threads);
}

interface Staging {
  readonly appender: SqlAppender;
  /** Rows that wait until there are enough of them for a chunk, column by column. */
  columns: SqlValue[][];
}

/** The table's own, then the place. */
function emptyColumns(table: TableName): SqlValue[][] {
  return Array.from({ length: shapes[table].length + 2 }, () => []);
}

export class EngineBuilder implements TableBuilder {
  private readonly seen: MarketSource[] = [];

  constructor(
    private readonly session: SqlSession,
    private readonly staging: ReadonlyMap<TableName, Staging>,
    private readonly threads: number,
  ) {}

  add<Table extends TableName>(table: Table, row: Rows[Table], { source, line }: SourceLine): void {
    const staging = this.staging.get(table) as Staging;
    const { columns } = staging;
    const cells = cellsOf(table, row);
    for (let i = 0; i < cells.length; i++) (columns[i] as SqlValue[]).push(asSql(cells[i]));
    (columns[cells.length] as SqlValue[]).push(source);
    const lines = columns[cells.length + 1] as SqlValue[];
    if (lines.push(BigInt(line)) >= marketLimits.appendRowsPerChunk) flush(table, staging);
  }

  source(source: MarketSource): void {
    settleSources([...this.seen, source]);
    this.seen.push(source);
  }

  async finish(): Promise<EngineTables> {
    const { session } = this;
    const sources = settleSources(this.seen);
    for (const table of tableNames) {
      const staging = this.staging.get(table) as Staging;
      flush(table, staging);
      staging.appender.close();
      const repeated = (await session.rows(repeatedSql(table))).length > 0;
      await session.run(settleSql(table, { repeated }));
      if (repeated) await refuseConflict(session, table);
      await session.run(`drop table staged_${sqlName(table)}`);
    }
    await session.run(traderDaySql);
    const engine = `${await session.version()}, threads ${this.threads}`;
    return new DuckTables(session, sources, engine);
  }

  async discard(): Promise<void> {
    await this.session.close();
  }
}

function flush(table: TableName, staging: Staging): void {
  if ((staging.columns[0] as SqlValue[]).length === 0) return;
  staging.appender.append(staging.columns);
  staging.columns = emptyColumns(table);
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

  async ask(sql: string, values: NamedValues): Promise<SelectAnswer> {
    return this.session.selectNamed(sql, values);
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
