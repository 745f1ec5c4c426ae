/**
 * DuckDB, and the only file that knows it. It is loaded when a session is opened
 * and not before: most commands never need it.
 *
 * A session can reach no file, and its settings are locked. One that reads Parquet
 * can reach that one file and no other. Values travel as bound parameters; the
 * names that stand in SQL text are our own.
 */
import { Failure } from "@bridle/record";
import { marketLimits } from "../limits.js";
import { missingPackage } from "../missing-package.js";
import type {
  DuckDBConnection,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";

/** `amount` and `rate` are decimals, appended as their canonical text. */
export type SqlType = "text" | "integer" | "flag" | "amount" | "rate";
/** Parameters by their names; a list is one of texts. */
export type NamedValues = Readonly<Record<string, SqlValue | readonly string[]>>;
/** Null where there is nothing; whole numbers of 64 bits come back as bigint, decimals as canonical text. */
export type SqlValue = string | number | bigint | boolean | null;

export interface SqlSession {
  run(sql: string, values?: readonly SqlValue[]): Promise<void>;
  /** In the order that the SQL asks for. */
  rows(sql: string, values?: readonly SqlValue[]): Promise<SqlValue[][]>;
  /** The same, row by row. */
  each(sql: string, values: readonly SqlValue[], take: (row: SqlValue[]) => void): Promise<void>;
  /** To be closed before the table is read. */
  appender(table: string, types: readonly SqlType[]): Promise<SqlAppender>;
  /** One SELECT and nothing else, with the names of its columns; values that JSON does not have come as text. */
  select(sql: string, values: readonly SqlValue[]): Promise<SelectAnswer>;
  /** The same with parameters by name ($coins); every name that the text has must be given. */
  selectNamed(sql: string, values: NamedValues): Promise<SelectAnswer>;
  version(): Promise<string>;
  close(): Promise<void>;
}

export interface SqlAppender {
  /** Columns of equal length, at most as long as one chunk of the engine. */
  append(columns: readonly (readonly SqlValue[])[]): void;
  close(): void;
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
  const duckdb = await import("@duckdb/node-api").catch((error: unknown) =>
    missingPackage(error, {
      name: "@duckdb/node-api@1.5.6-r.1",
      message: "questions are answered and Parquet is read with DuckDB, which is not installed here",
    }),
  );
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

/** The same as `formatDecimal`, by cutting text instead of dividing: rows are read by the million. */
function textOf(digits: bigint, scale: number): string {
  const text = String(digits);
  const sign = text.startsWith("-") ? "-" : "";
  const magnitude = text.slice(sign.length).padStart(scale + 1, "0");
  const point = magnitude.length - scale;
  let end = magnitude.length;
  while (end > point && magnitude.charCodeAt(end - 1) === 48) end--;
  const whole = sign + magnitude.slice(0, point);
  return end === point ? whole : `${whole}.${magnitude.slice(point, end)}`;
}

/** Canonical text as a whole number of 10^-scale; the text has no more digits than that. */
function digitsOf(text: string, scale: number): bigint {
  const point = text.indexOf(".");
  if (point < 0) return BigInt(text + "0".repeat(scale));
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(scale, "0"));
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

  async each(sql: string, values: readonly SqlValue[], take: (row: SqlValue[]) => void): Promise<void> {
    const result = await this.connection.stream(sql, [...values]);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      for (const row of chunk.getRows()) take(row.map((value) => this.plain(value)));
    }
  }

  /** Decimals in their canonical spelling; everything else that is asked for here is plain already. */
  private plain(value: DuckDBValue): SqlValue {
    return value instanceof this.duckdb.DuckDBDecimalValue
      ? textOf(value.value, value.scale)
      : (value as SqlValue);
  }

  async appender(table: string, types: readonly SqlType[]): Promise<SqlAppender> {
    const { DuckDBDataChunk, DuckDBDecimalValue, DECIMAL, VARCHAR, BIGINT, BOOLEAN } = this.duckdb;
    const { storedDigitsMax: width, amountScale, rateScale } = marketLimits;
    const known = {
      text: VARCHAR,
      integer: BIGINT,
      flag: BOOLEAN,
      amount: DECIMAL(width, amountScale),
      rate: DECIMAL(width, rateScale),
    };
    const duckTypes = types.map((type) => known[type]);
    // Made here, because the engine takes ten times as long to read a decimal from text.
    const decimalsOf = (column: readonly SqlValue[], scale: number): DuckDBValue[] =>
      column.map((text) =>
        text === null ? null : new DuckDBDecimalValue(digitsOf(String(text), scale), width, scale),
      );
    const appender = await this.connection.createAppender(table);
    return {
      append(columns) {
        const chunk = DuckDBDataChunk.create(duckTypes, columns[0]?.length ?? 0);
        chunk.setColumns(
          columns.map((column, i): readonly DuckDBValue[] => {
            if (types[i] === "amount") return decimalsOf(column, amountScale);
            return types[i] === "rate" ? decimalsOf(column, rateScale) : column;
          }),
        );
        appender.appendDataChunk(chunk);
      },
      close() {
        appender.flushSync();
        appender.closeSync();
      },
    };
  }

  async select(sql: string, values: readonly SqlValue[]): Promise<SelectAnswer> {
    const prepared = await this.prepareOne(sql);
    prepared.bind([...values]);
    return this.answer(prepared);
  }

  async selectNamed(sql: string, values: NamedValues): Promise<SelectAnswer> {
    const prepared = await this.prepareOne(sql);
    const { listValue, LIST, VARCHAR, BIGINT, DOUBLE, BOOLEAN } = this.duckdb;
    const given: Record<string, DuckDBValue> = {};
    const types: Record<string, DuckDBType> = {};
    for (let i = 1; i <= prepared.parameterCount; i++) {
      const name = prepared.parameterName(i);
      const value = values[name];
      if (value === undefined) throw new Error(`the parameter $${name} was not given`);
      if (Array.isArray(value))
        [given[name], types[name]] = [listValue([...(value as string[])]), LIST(VARCHAR)];
      else {
        const single = value as SqlValue;
        given[name] = single;
        types[name] =
          typeof single === "string"
            ? VARCHAR
            : typeof single === "bigint"
              ? BIGINT
              : typeof single === "boolean"
                ? BOOLEAN
                : DOUBLE;
      }
    }
    prepared.bind(given, types);
    return this.answer(prepared);
  }

  private async prepareOne(sql: string) {
    const statements = await this.connection.extractStatements(sql);
    const prepared = statements.count === 1 ? await statements.prepare(0) : undefined;
    if (prepared?.statementType !== this.duckdb.StatementType.SELECT) {
      throw new Failure("input_invalid", {
        message: "only one SELECT can be asked for",
        hint: "The tables are not changed through queries.",
      });
    }
    return prepared;
  }

  private async answer(prepared: DuckDBPreparedStatement): Promise<SelectAnswer> {
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
