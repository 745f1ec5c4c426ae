/**
 * Parquet, read by DuckDB row by row in the order of the file, every value as text.
 *
 * A column of doubles is read as the shortest decimal that means each of them,
 * which is what was there before somebody turned it into a double.
 */
import { Failure } from "@bridle/record";
import { openSession, type SqlSession } from "../engine/duckdb.js";
import { invalid } from "../tables/read-row.js";
import type { MarketSource } from "../types.js";
import type { Field } from "./columns.js";

export interface ParquetReading {
  readonly path: string;
  readonly source: string;
  /** A time without a zone is known to be UTC; it is refused otherwise. */
  readonly zoned: boolean;
  match(names: readonly string[]): ReadonlyMap<Field, string>;
  /** Contract: called row by row; `line` counts rows from 1. */
  take(matched: ReadonlyMap<Field, string>, textOf: (field: Field) => string | undefined, line: number): void;
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

/** Stands in no text that a source may hold. */
const separator = "\u001f";

async function readWith(session: SqlSession, { path, source, zoned, match, take }: ParquetReading) {
  const described = await session.rows("describe select * from read_parquet($1)", [path]);
  const types = new Map(described.map(([name, type]) => [String(name), String(type)]));
  const matched = match([...types.keys()]);
  const fields = [...matched.keys()];
  for (const name of zoned ? [] : matched.values()) {
    const type = types.get(name) ?? "";
    if (type === "DATE" || (type.startsWith("TIMESTAMP") && !type.includes("TIME ZONE")))
      throw invalid({ source, line: 1 }, `${name} is a time without a zone; say --zone UTC where it is UTC`);
  }
  const selected = fields.map((field) => {
    const name = matched.get(field) as string;
    const type = types.get(name) ?? "";
    const column = `"${name.replaceAll('"', '""')}"`;
    const text = type.startsWith("TIMESTAMP") || type === "DATE" ? `epoch_ms(${column})` : column;
    return `coalesce(cast(${text} as varchar), '')`;
  });
  const at = new Map(fields.map((field, i) => [field, i]));
  let line = 0;
  // One text a row is handed over several times as fast as one a cell.
  const packed = selected.join(` || chr(${separator.charCodeAt(0)}) || `);
  const sql = `select ${packed} from read_parquet($1, file_row_number = true) order by file_row_number`;
  await session.each(sql, [path], ([text]) => {
    const cells = String(text).split(separator);
    line++;
    if (cells.length !== fields.length) throw invalid({ source, line }, "a text holds a control character");
    take(matched, (field) => cells[at.get(field) ?? -1], line);
  });
  const doubles = fields.some((field) =>
    ["DOUBLE", "FLOAT"].includes(types.get(matched.get(field) ?? "") ?? ""),
  );
  return { numbers: doubles ? ("double" as const) : ("decimal" as const) };
}
