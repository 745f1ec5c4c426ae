/** The tables as SQL has them: snake_case names, exact decimals, NULL for what is absent. */
import { marketLimits } from "../limits.js";
import { type ColumnKind, shapes } from "../tables/shape.js";
import type { TableName } from "../types.js";
import type { SqlType } from "./duckdb.js";

export function sqlName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Rows arrive as they are, with the place where they stood. */
export function stagingSql(table: TableName): string {
  const columns = shapes[table].map(({ name, kind }) => `${sqlName(name)} ${typeNames[stagedType(kind)]}`);
  return `create table staged_${sqlName(table)} (${[...columns, "source varchar", "line bigint"].join(", ")})`;
}

const typeNames: Readonly<Record<SqlType, string>> = { text: "varchar", integer: "bigint", flag: "boolean" };

export function stagedType(kind: ColumnKind): SqlType {
  if (kind === "hour" || kind === "payHour" || kind === "time" || kind === "count") return "integer";
  return kind === "flag" ? "flag" : "text";
}

/** Every different row once, sorted by key, numbers as decimals. */
export function settleSql(table: TableName): string {
  const columns = shapes[table].map(({ name, kind }) => {
    const [column, type] = [sqlName(name), decimalType(kind)];
    return type === undefined ? column : `cast(${column} as ${type}) as ${column}`;
  });
  return (
    `create table ${sqlName(table)} as select distinct ${columns.join(", ")} ` +
    `from staged_${sqlName(table)} order by ${orderOf(table)}`
  );
}

function decimalType(kind: ColumnKind): string | undefined {
  const { storedDigitsMax, rateScale, amountScale } = marketLimits;
  if (kind === "rate") return `decimal(${storedDigitsMax}, ${rateScale})`;
  if (kind === "price" || kind === "quantity" || kind === "amount")
    return `decimal(${storedDigitsMax}, ${amountScale})`;
  return undefined;
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

/** A row's cells: decimals in their canonical spelling. */
export function cellsSql(table: TableName): string {
  return shapes[table]
    .map(({ name, kind }) => {
      const column = sqlName(name);
      return decimalType(kind) === undefined ? column : `rtrim(rtrim(cast(${column} as varchar), '0'), '.')`;
    })
    .join(", ");
}

/** The hour that a row belongs to. */
export function hourSql(table: TableName): string {
  return table === "candle" || table === "funding" ? "hour" : "time_ms // 3600000";
}

/** The smallest key that has two different rows, if any, with its staged rows in the order of their places. */
export function conflictSql(table: TableName): string {
  const name = sqlName(table);
  const keys = keyOf(table);
  const columns = shapes[table].map(({ name: column, kind }) => {
    const [sql, type] = [sqlName(column), decimalType(kind)];
    return type === undefined
      ? `s.${sql}`
      : `rtrim(rtrim(cast(cast(s.${sql} as ${type}) as varchar), '0'), '.')`;
  });
  const same = keys.map((column) => `s.${column} is not distinct from k.${column}`);
  const settledKeys = shapes[table]
    .filter(({ key }) => key)
    .map(({ name: column, kind }) =>
      decimalType(kind) === undefined
        ? sqlName(column)
        : `rtrim(rtrim(cast(${sqlName(column)} as varchar), '0'), '.') as ${sqlName(column)}`,
    );
  return (
    `with first_conflict as (select ${keys.join(", ")} from ${name} group by ${keys.join(", ")} ` +
    `having count(*) > 1 order by ${orderOf(table)} limit 1), k as (select ${settledKeys.join(", ")} from first_conflict) ` +
    `select s.source, s.line, ${columns.join(", ")} from staged_${name} s join k on ${same.join(" and ")} ` +
    `order by s.source, s.line`
  );
}
