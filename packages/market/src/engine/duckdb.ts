/**
 * DuckDB, and the only file that knows it. It is loaded when a session is opened
 * and not before: most commands never need it.
 *
 * A session can reach no file, and its settings are locked. One that reads Parquet
 * can reach that one file and no other. Values travel as bound parameters; the
 * names that stand in SQL text are our own.
 */
import { Failure } from "@bridle/record";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";

export type SqlType = "text" | "integer" | "flag";
/** Null where there is nothing; whole numbers come back as bigint where SQL made them 64 bits wide. */
export type SqlValue = string | number | bigint | boolean | null;

export interface SqlSession {
  run(sql: string, values?: readonly SqlValue[]): Promise<void>;
  /** In the order that the SQL asks for. */
  rows(sql: string, values?: readonly SqlValue[]): Promise<SqlValue[][]>;
  /** The same a chunk at a time; what `take` does is awaited. */
  each(
    sql: string,
    values: readonly SqlValue[],
    take: (row: SqlValue[]) => Promise<void> | void,
  ): Promise<void>;
  /** Columns of equal length go to the end of a table. */
  append(table: string, types: readonly SqlType[], columns: readonly (readonly SqlValue[])[]): Promise<void>;
  /** One SELECT and nothing else, with the names of its columns; values that JSON does not have come as text. */
  select(sql: string, values: readonly SqlValue[]): Promise<SelectAnswer>;
  version(): Promise<string>;
  close(): Promise<void>;
}

export interface SelectAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

export async function openSession({
  threads,
  readable,
}: {
  readonly threads: number;
  readonly readable?: string;
}): Promise<SqlSession> {
  const duckdb = await import("@duckdb/node-api");
  const instance = await duckdb.DuckDBInstance.create(":memory:", { threads: String(threads) });
  const connection = await instance.connect();
  if (readable !== undefined) await connection.run("set allowed_paths = list_value($1)", [readable]);
  await connection.run("set enable_external_access = false");
  await connection.run("set autoinstall_known_extensions = false").catch(() => undefined);
  // Times are UTC whatever the machine's zone is; only sessions with time zones know the setting.
  await connection.run("set TimeZone = 'UTC'").catch(() => undefined);
  await connection.run("set lock_configuration = true");
  return new DuckSession(duckdb, instance, connection);
}

class DuckSession implements SqlSession {
  constructor(
    private readonly duckdb: typeof import("@duckdb/node-api"),
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
  ) {}

  async run(sql: string, values: readonly SqlValue[] = []): Promise<void> {
    await this.connection.run(sql, [...values]);
  }

  async rows(sql: string, values: readonly SqlValue[] = []): Promise<SqlValue[][]> {
    const found: SqlValue[][] = [];
    await this.each(sql, values, (row) => {
      found.push(row);
    });
    return found;
  }

  async each(
    sql: string,
    values: readonly SqlValue[],
    take: (row: SqlValue[]) => Promise<void> | void,
  ): Promise<void> {
    const result = await this.connection.stream(sql, [...values]);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      for (const row of chunk.getRows()) {
        const pause = take(row as SqlValue[]);
        if (pause !== undefined) await pause;
      }
    }
  }

  async append(
    table: string,
    types: readonly SqlType[],
    columns: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    const { DuckDBDataChunk, VARCHAR, BIGINT, BOOLEAN } = this.duckdb;
    const duckTypes = types.map((type) => ({ text: VARCHAR, integer: BIGINT, flag: BOOLEAN })[type]);
    const chunk = DuckDBDataChunk.create(duckTypes, columns[0]?.length ?? 0);
    chunk.setColumns(columns as readonly (readonly DuckDBValue[])[]);
    const appender = await this.connection.createAppender(table);
    try {
      appender.appendDataChunk(chunk);
      appender.flushSync();
    } finally {
      appender.closeSync();
    }
  }

  async select(sql: string, values: readonly SqlValue[]): Promise<SelectAnswer> {
    const statements = await this.connection.extractStatements(sql);
    const prepared = statements.count === 1 ? await statements.prepare(0) : undefined;
    if (prepared?.statementType !== this.duckdb.StatementType.SELECT) {
      throw new Failure("input_invalid", {
        message: "only one SELECT can be asked for",
        hint: "The tables are not changed through queries.",
      });
    }
    prepared.bind([...values]);
    const reader = await prepared.runAndReadAll();
    return { columns: reader.columnNames(), rows: reader.getRowsJson() as SelectAnswer["rows"] };
  }

  async version(): Promise<string> {
    const [row] = await this.rows("select version()");
    return `duckdb ${String(row?.[0])}`;
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}
