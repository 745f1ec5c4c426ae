/** From the info endpoint into tables: candles and funding of some markets, and a look at all of them now. */
import type { MarketTables, SourceLine, Rows, TableBuilder, TableName } from "../types.js";
import type { HourRange } from "../types.js";
import type { InfoClient, Page } from "./client.js";

export interface InfoLoad {
  readonly client: InfoClient;
  readonly builder: TableBuilder;
  readonly markets: readonly string[];
  readonly range: Required<HourRange>;
  /** Whether to look at the contexts of this moment too. */
  readonly contexts?: boolean;
}

/** Contract: throws `Failure` and has then discarded the builder. */
export async function loadInfo({
  client,
  builder,
  markets,
  range,
  contexts = false,
}: InfoLoad): Promise<MarketTables> {
  try {
    for (const market of markets) {
      for await (const page of client.candles(market, range)) take("candle", page, builder);
      for await (const page of client.funding(market, range)) take("funding", page, builder);
    }
    if (contexts) take("assetContext", await client.assetContexts(), builder);
    return await builder.finish();
  } catch (error) {
    await builder.discard();
    throw error;
  }
}

function take<Table extends TableName>(
  table: Table,
  { rows, source }: Page<Rows[Table]>,
  builder: TableBuilder,
): void {
  for (const [i, row] of rows.entries()) {
    const place: SourceLine = { source: source.name, line: i + 1 };
    builder.add(table, row, place);
  }
  builder.source(source);
}
