/**
 * From the DuckDB text of a template to the BigQuery text, by a short list of
 * rewrites, and back. Whatever the list does not name is the same in both: the
 * templates are written in what the two have in common.
 *
 *   $name                     @name                     parameter marks
 *   a // 3600000              div(a, 3600000)           division of whole numbers
 *   list_contains($l, x)      x in unnest(@l)           lists
 *   decimal(p, s)             bignumeric(p, s)          decimals
 *   double, varchar, bigint   float64, string, int64    other types
 */
interface Rewrite {
  readonly says: string;
  readonly there: (sql: string) => string;
  readonly back: (sql: string) => string;
}

const typeNames = [
  ["double", "float64"],
  ["varchar", "string"],
  ["bigint", "int64"],
] as const;

export const rewrites: readonly Rewrite[] = [
  {
    says: "lists",
    there: (sql) => sql.replaceAll(/list_contains\(\$(\w+), ([\w.]+)\)/g, "$2 in unnest($$$1)"),
    back: (sql) => sql.replaceAll(/([\w.]+) in unnest\(\$(\w+)\)/g, "list_contains($$$2, $1)"),
  },
  {
    says: "division of whole numbers",
    there: (sql) => sql.replaceAll(/([\w.]+) \/\/ (\d+)/g, "div($1, $2)"),
    back: (sql) => sql.replaceAll(/\bdiv\(([\w.]+), (\d+)\)/g, "$1 // $2"),
  },
  {
    says: "decimals",
    there: (sql) => sql.replaceAll(/\bdecimal\((\d+), (\d+)\)/g, "bignumeric($1, $2)"),
    back: (sql) => sql.replaceAll(/\bbignumeric\((\d+), (\d+)\)/g, "decimal($1, $2)"),
  },
  ...typeNames.map(([duck, big]) => ({
    says: `${duck} is ${big}`,
    there: (sql: string) => sql.replaceAll(new RegExp(` as ${duck}\\)`, "g"), ` as ${big})`),
    back: (sql: string) => sql.replaceAll(new RegExp(` as ${big}\\)`, "g"), ` as ${duck})`),
  })),
  {
    says: "parameter marks",
    there: (sql) => sql.replaceAll(/\$(\w+)/g, "@$1"),
    back: (sql) => sql.replaceAll(/@(\w+)/g, "$$$1"),
  },
];

export function toBigQuery(sql: string): string {
  return rewrites.reduce((text, { there }) => there(text), sql);
}

export function fromBigQuery(sql: string): string {
  return rewrites.reduceRight((text, { back }) => back(text), sql);
}
