/**
 * Episodes to measure policies on: of synthetic markets from seeds, and of the
 * real candles and funding where somebody has put the file on this machine. The
 * file is never part of the project.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import {
  decimals,
  MemoryBuilder,
  type MarketTables,
  syntheticMarket,
  type SyntheticOptions,
} from "@bridle/market";
import type { EpisodeRecord } from "@bridle/search";
import { buildEpisodes } from "../../packages/search/src/pack/build/build.js";
import { defaultParams } from "../../packages/search/src/pack/build/params.js";

export const realSample = `${process.env["BRIDLE_MARKET_DATA"] ?? "/work/shared/data/hyperliquid"}/sample_top30_1h_candles_funding.csv`;
export const hasRealSample = existsSync(realSample);

export async function episodesOf(tables: MarketTables): Promise<EpisodeRecord[]> {
  const episodes: EpisodeRecord[] = [];
  for await (const episode of buildEpisodes({ tables, params: defaultParams })) episodes.push(episode);
  return episodes;
}

export async function syntheticEpisodes(options: SyntheticOptions): Promise<EpisodeRecord[]> {
  return episodesOf(await syntheticMarket(options));
}

/** coin, ts, open, high, low, close, volume, funding; a cell that is empty is missing. */
export async function realTables(path: string): Promise<MarketTables> {
  const text = readFileSync(path, "utf8");
  const builder = new MemoryBuilder();
  const source = path.split("/").at(-1) ?? path;
  const [, ...lines] = text.trimEnd().split("\n");
  for (const [i, line] of lines.entries()) {
    const [market = "", ts = "", open = "", high = "", low = "", close = "", volume = "", funding = ""] =
      line.split(",");
    const hour = Date.parse(ts) / 3_600_000;
    const place = { source, line: i + 2 };
    const exact = (cell: string) => decimals.canonicalDecimal(cell) as string;
    if (close !== "")
      builder.add(
        "candle",
        {
          market,
          hour,
          open: exact(open),
          high: exact(high),
          low: exact(low),
          close: exact(close),
          volume: exact(volume),
        },
        place,
      );
    if (funding !== "") builder.add("funding", { market, hour, rate: exact(funding) }, place);
  }
  builder.source({
    name: source,
    kind: "csv",
    sha256: createHash("sha256").update(text).digest("hex"),
    bytes: Buffer.byteLength(text),
    rows: lines.length,
    numbers: "decimal",
    synthetic: false,
  });
  return builder.finish();
}
