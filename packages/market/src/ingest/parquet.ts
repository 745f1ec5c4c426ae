/**
 * Parquet, read by DuckDB row by row in the order of the file, every value as text.
 *
 * A column of doubles is read as the shortest decimal that means each of them,
 * which is what was there before somebody turned it into a double.
 */
import { Failure } from "@bridle/record";
import { openSession, type SqlSession } from "../engine/duckdb.js";
import type { MarketSource } from "../types.js";
import type { Field } from "./columns.js";

export interface ParquetReading {
  readonly path: string;
  readonly source: string;
  match(names: readonly string[]): ReadonlyMap<Field, string>;
  /** Contract: awaited row by row; `line` counts rows from 1. */
  take(
    matched: ReadonlyMap<Field, string>,
    textOf: (field: Field) => string | undefined,
    line: number,
  ): Promise<void>;
}

export async function readParquet(
  reading: ParquetReading,
): Promise<{ readonly numbers: MarketSource["numbers"] }> {
  const { path, source } = reading;
  if (/[*?[\]]/.test(path)) {
    throw new Failure("market_source_invalid", {
      message: `${source}: the path has one of * ? [ ], which stand for several files to the engine`,
      hint: "Rename the file or its folder.",
    });
  }
  const session = await openSession({ threads: 1, readable: path });
  try {
    return await readWith(session, reading);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("market_source_invalid", {
      message: `${source} cannot be read as Parquet: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`,
      hint: "Was it written completely?",
      cause: error,
    });
  } finally {
    await session.close();
  }
}

async function readWith(session: SqlSession, { path, match, take }: ParquetReading) {
  const described = await session.rows("describe select * from read_parquet($1)", [path]);
  const types = new Map(described.map(([name, type]) => [String(name), String(type)]));
  const matched = match([...types.keys()]);
  const fields = [...matched.keys()];
  const selected = fields.map((field) => {
    const name = matched.get(field) as string;
    const type = types.get(name) ?? "";
    const column = `"${name.replaceAll('"', '""')}"`;
    return type.startsWith("TIMESTAMP") || type === "DATE"
      ? `cast(epoch_ms(${column}) as varchar)`
      : `cast(${column} as varchar)`;
  });
  const at = new Map(fields.map((field, i) => [field, i]));
  let line = 0;
  const sql = `select ${selected.join(", ")} from read_parquet($1, file_row_number = true) order by file_row_number`;
  await session.each(sql, [path], async (row) => {
    const textOf = (field: Field): string | undefined => {
      const value = row[at.get(field) ?? -1];
      return value === undefined || value === null ? undefined : String(value);
    };
    await take(matched, textOf, ++line);
  });
  const doubles = fields.some((field) =>
    ["DOUBLE", "FLOAT"].includes(types.get(matched.get(field) ?? "") ?? ""),
  );
  return { numbers: doubles ? ("double" as const) : ("decimal" as const) };
}
