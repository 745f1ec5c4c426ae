/** Records with named columns, from CSV, JSONL or Parquet, as rows of the tables that their columns fill. */
import { invalid, readRow } from "../tables/read-row.js";
import { shapes } from "../tables/shape.js";
import type { SourceLine, TableBuilder, TableName } from "../types.js";
import { type Field, fieldOf } from "./columns.js";

export interface RowMapping {
  readonly tables: readonly TableName[];
  /** Of a source that is all about one market and does not name it. */
  readonly market?: string;
  readonly zoneless: "utc" | "refused";
}

/** The columns of each table, each with the field that fills it. */
export class RowMaker {
  private readonly plans: readonly {
    readonly table: TableName;
    readonly fields: ReadonlyMap<string, Field>;
  }[];
  rows = 0;

  constructor(
    private readonly mapping: RowMapping,
    private readonly builder: TableBuilder,
  ) {
    this.plans = mapping.tables.map((table) => ({
      table,
      fields: new Map(
        shapes[table].flatMap(({ name }) => {
          const field = fieldOf(table, name);
          return field === undefined ? [] : [[name, field] as const];
        }),
      ),
    }));
  }

  take(textOf: (field: Field) => string | undefined, place: SourceLine): void {
    const interval = textOf("interval");
    if (interval !== undefined && interval !== "" && interval !== "1h") {
      throw invalid(place, `the candle's interval is ${JSON.stringify(interval)}, expected "1h"`);
    }
    const venue = textOf("venue") ?? "";
    if (venue !== "" && venue.toLowerCase() !== "hyperliquid") {
      throw invalid(
        place,
        `the row is of ${JSON.stringify(venue)}, and only Hyperliquid's markets are read here`,
      );
    }
    for (const { table, fields } of this.plans) {
      // A row of candles and funding without a rate has a candle and no funding.
      if (this.plans.length > 1 && table === "funding" && (textOf("rate") ?? "") === "") continue;
      const text = (column: string): string | undefined => {
        if (column === "market" && this.mapping.market !== undefined) return this.mapping.market;
        const field = fields.get(column);
        return field === undefined ? undefined : textOf(field);
      };
      const row = readRow(table, text, { place, zoneless: this.mapping.zoneless });
      this.rows++;
      this.builder.add(table, row, place);
    }
  }
}
