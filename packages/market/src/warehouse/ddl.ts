/** The five tables and the view as BigQuery's DDL, made from the one description of the tables. */
import { sqlName, sqlType } from "../engine/schema.js";
import { traderDaySelect } from "../engine/trader-day.js";
import { shapes } from "../tables/shape.js";
import { tableNames } from "../types.js";

const typeNames = {
  text: "string",
  integer: "int64",
  flag: "bool",
  amount: "bignumeric(38, 18)",
  rate: "bignumeric(38, 24)",
} as const;

export function warehouseDdl(dataset: string): string {
  const tables = tableNames.map((table) => {
    const columns = shapes[table].map(
      ({ name, kind, required }) =>
        `  \`${sqlName(name)}\` ${typeNames[sqlType(kind)]}${required ? " not null" : ""}`,
    );
    return `create table if not exists \`${dataset}.${sqlName(table)}\` (\n${columns.join(",\n")}\n) cluster by market;`;
  });
  return `${[...tables, `create or replace view \`${dataset}.trader_day\` as\n${viewFor(dataset)};`].join("\n\n")}\n`;
}

/** The same view in BigQuery's words. */
function viewFor(dataset: string): string {
  return traderDaySelect
    .replaceAll(/([\w.]+) \/\/ (\d+)/g, "div($1, $2)")
    .replaceAll(/\bdecimal\((\d+), (\d+)\)/g, "bignumeric($1, $2)")
    .replaceAll(" as varchar)", " as string)")
    .replace("\nfrom fill\n", `\nfrom \`${dataset}.fill\`\n`);
}
