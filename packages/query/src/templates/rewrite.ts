/** From the DuckDB text of a template to the BigQuery text. */
export function toBigQuery(sql: string): string {
  return sql;
}
