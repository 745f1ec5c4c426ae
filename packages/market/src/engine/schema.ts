/** The tables as SQL has them: snake_case names, exact decimals, NULL for what is absent. */
import { marketLimits } from "../limits.js";
import { type ColumnKind, isDecimal, shapes } from "../tables/shape.js";
import { hourMs, type TableName } from "../types.js";
import type { SqlType } from "./duckdb.js";

export function sqlName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Rows arrive as they are, with the place where they stood. */
export function stagingSql(table: TableName): string {
  const columns = shapes[table].map(({ name, kind }) => `${sqlName(name)} ${typeNames[sqlType(kind)]}`);
  return `create table staged_${sqlName(table)} (${[...columns, "source varchar", "line bigint"].join(", ")})`;
}

const { storedDigitsMax, rateScale, amountScale } = marketLimits;
const typeNames: Readonly<Record<SqlType, string>> = {
  text: "varchar",
  integer: "bigint",
  flag: "boolean",
  amount: `decimal(${storedDigitsMax}, ${amountScale})`,
  rate: `decimal(${storedDigitsMax}, ${rateScale})`,
};

export function sqlType(kind: ColumnKind): SqlType {
  if (["hour", "payHour", "lateStamp", "time", "count"].includes(kind)) return "integer";
  if (kind === "rate" || kind === "flag") return kind;
  return isDecimal(kind) ? "amount" : "text";
}

/** Whether any key stands there twice; most loads have none, and are spared the search for conflicts. */
export function repeatedSql(table: TableName): string {
  const keys = keyOf(table).join(", ");
  return `select 1 from staged_${sqlName(table)} group by ${keys} having count(*) > 1 limit 1`;
}

/** Every different row once, sorted by key. */
export function settleSql(table: TableName, { repeated }: { readonly repeated: boolean }): string {
  const columns = shapes[table].map(({ name }) => sqlName(name)).join(", ");
  return (
    `create table ${sqlName(table)} as select ${repeated ? "distinct " : ""}${columns} ` +
    `from staged_${sqlName(table)} order by ${orderOf(table)}`
  );
}

export function keyOf(table: TableName): readonly string[] {
  return shapes[table].filter(({ key }) => key).map(({ name }) => sqlName(name));
}

/** By the whole key, which is unique once the tables are settled. */
export function orderOf(table: TableName): string {
  return keyOf(table)
    .map((column) => `${column} nulls first`)
    .join(", ");
}

/** A row's cells, in the order of its columns. */
export function cellsSql(table: TableName, prefix = ""): string {
  return shapes[table].map(({ name }) => prefix + sqlName(name)).join(", ");
}

/** The hour that a row belongs to. */
export function hourSql(table: TableName): string {
  return table === "candle" || table === "funding" ? "hour" : `time_ms // ${hourMs}`;
}

/** The smallest key that has two different rows, if any, with its staged rows in the order of their places. */
export function conflictSql(table: TableName): string {
  const name = sqlName(table);
  const keys = keyOf(table);
  const same = keys.map((column) => `s.${column} is not distinct from k.${column}`).join(" and ");
  return (
    `with k as (select ${keys.join(", ")} from ${name} group by ${keys.join(", ")} ` +
    `having count(*) > 1 order by ${orderOf(table)} limit 1) ` +
    `select s.source, s.line, ${cellsSql(table, "s.")} from staged_${name} s join k on ${same} ` +
    `order by s.source, s.line`
  );
}
