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
import type { EpisodeRecord } from "@bridle/search";
import { buildEpisodes } from "../../packages/search/src/pack/build/build.js";
import { defaultParams } from "../../packages/search/src/pack/build/params.js";
import { marketData } from "./market-data.js";

const sample = marketData && join(marketData, "sample_top30_1h_candles_funding.csv");
/** Undefined where it is not. */
export const realSample = sample !== undefined && existsSync(sample) ? sample : undefined;

export async function syntheticEpisodes(options: SyntheticOptions): Promise<EpisodeRecord[]> {
  return episodesOf(await syntheticMarket(options));
}

export async function realEpisodes(path: string): Promise<EpisodeRecord[]> {
  return episodesOf(await loadFiles({ files: [{ path }], builder: new MemoryBuilder(), ports: nodePorts() }));
}

async function episodesOf(tables: MarketTables): Promise<EpisodeRecord[]> {
  const episodes: EpisodeRecord[] = [];
  for await (const episode of buildEpisodes({ tables, params: defaultParams })) episodes.push(episode);
  return episodes;
}
