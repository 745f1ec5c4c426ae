/**
 * Episodes to measure policies on: of synthetic markets from seeds, and of real
 * candles and funding where somebody has put the file on this machine.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  loadFiles,
  type MarketTables,
  MemoryBuilder,
  syntheticMarket,
  type SyntheticOptions,
} from "@bridle/market";
import { nodePorts } from "@bridle/record";
import type { EpisodeWithTruth } from "@bridle/search";
import { buildEpisodes } from "../../packages/search/src/pack/build/build.js";
import { defaultParams } from "../../packages/search/src/pack/build/params.js";
import { marketData } from "./market-data.js";

const sample = marketData && join(marketData, "sample_top30_1h_candles_funding.csv");
/** Undefined where it is not. */
export const realSample = sample !== undefined && existsSync(sample) ? sample : undefined;

/** `anchors` narrows whose episodes are built; the others are still there as peers. */
export async function syntheticEpisodes(
  options: SyntheticOptions,
  anchors?: (market: string) => boolean,
): Promise<EpisodeWithTruth[]> {
  const tables = await syntheticMarket(options);
  return episodesOf(tables, anchors && (await tables.markets()).filter(anchors));
}

export async function realEpisodes(path: string): Promise<EpisodeWithTruth[]> {
  return episodesOf(await loadFiles({ files: [{ path }], builder: new MemoryBuilder(), ports: nodePorts() }));
}

async function episodesOf(tables: MarketTables, markets?: readonly string[]): Promise<EpisodeWithTruth[]> {
  const episodes: EpisodeWithTruth[] = [];
  const options = { tables, params: defaultParams, ...(markets === undefined ? {} : { markets }) };
  for await (const episode of buildEpisodes(options)) episodes.push(episode);
  return episodes;
}
