/**
 * The exchange's info endpoint, asked for what one question needs and no more.
 *
 * One look at all markets (`metaAndAssetCtxs`) is enough for what is asked about
 * now: funding, open interest, premiums. Candles and funding of past hours are
 * asked market by market, of the coins that are named or else of those with the
 * most volume. The endpoint has no history of open interest, premiums or
 * liquidations, and no list of accounts: an account's fills must be asked for by
 * its whole address.
 */
import {
  type AssetContext,
  type EngineBuilder,
  hourOf,
  type InfoClient,
  type Rows,
  type MarketSource,
  type TableName,
} from "@bridle/market";
import type { Plan } from "../ask.js";
import { queryLimits } from "../limits.js";
import { hoursOf } from "../question/hours.js";
import { DuckSource } from "./duck.js";
import type { QuestionSource } from "./types.js";

export interface InfoLoading {
  readonly client: InfoClient;
  readonly nowMs: number;
  readonly builder: EngineBuilder;
}

export async function loadNeeded(
  plan: Plan,
  { client, nowMs, builder }: InfoLoading,
): Promise<QuestionSource> {
  try {
    const { template, slots } = plan;
    const asOf = plan.asOfMs === undefined ? hourOf(nowMs) : hourOf(plan.asOfMs);
    const hours = hoursOf(slots.window, asOf, template.defaultHours) ?? { from: asOf - 1, to: asOf };
    const range = { from: hours.from - (template.historyHours ?? 0), to: hours.to };
    const table = template.needs[0]?.table;
    const take = <Table extends TableName>(
      name: Table,
      rows: readonly Rows[Table][],
      source: MarketSource,
    ) => {
      for (const [i, row] of rows.entries()) builder.add(name, row, { source: source.name, line: i + 1 });
      builder.source(source);
    };
    const isNow = slots.window !== null && "relative" in slots.window && slots.window.relative === "now";
    if (table === "fill") {
      for (const address of slots.addresses.filter((each) => each.length === 42)) {
        const page = await client.fills(address);
        take("fill", page.rows, page.source);
      }
    } else if (table === "liquidation") {
      // There is no such list to ask for.
    } else {
      const look = await client.assetContexts();
      const wanted =
        slots.coins.length > 0
          ? slots.coins.filter((coin) => look.markets.some(({ market }) => market === coin))
          : busiest(look.rows);
      // The moment of the look counts as the hour that it falls into, so that "now" is in the window.
      const contexts = look.rows.map((row) => ({ ...row, timeMs: asOf * 3_600_000 }));
      if (table === "asset_context" || (table === "funding" && isNow)) {
        take("assetContext", contexts, look.source);
        if (table === "funding") {
          for (const [i, { market, funding }] of contexts.entries())
            if (funding !== undefined)
              builder.add(
                "funding",
                { market, hour: asOf, rate: funding },
                { source: look.source.name, line: i + 1 },
              );
        }
      } else {
        for (const market of wanted) {
          if (table === "candle")
            for await (const page of client.candles(market, { from: range.from, to: hours.to - 1 }))
              take("candle", page.rows, page.source);
          else
            for await (const page of client.funding(market, range)) take("funding", page.rows, page.source);
        }
        // Names of all markets, so that a misspelt coin finds its nearest.
        take("assetContext", contexts, look.source);
      }
    }
    return new DuckSource({
      tables: await builder.finish(),
      kind: "info",
      name: "the exchange's info endpoint",
      asOfHour: asOf,
      why,
    });
  } catch (error) {
    await builder.discard();
    throw error;
  }
}

function busiest(rows: readonly AssetContext[]): string[] {
  return rows
    .toSorted((a, b) => Number(b.dayVolume ?? 0) - Number(a.dayVolume ?? 0) || (a.market < b.market ? -1 : 1))
    .slice(0, queryLimits.infoMarketsMax)
    .map(({ market }) => market);
}

function why(table: string): string | undefined {
  switch (table) {
    case "liquidation":
      return "the exchange's info endpoint has no history of liquidations";
    case "user":
    case "start_position":
    case "closed_pnl":
    case "fill":
      return "the exchange's info endpoint has no list of accounts; it gives the fills of one whole address";
    default:
      return undefined;
  }
}
