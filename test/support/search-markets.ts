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
import { compareCodePoints, nodePorts } from "@bridle/record";
import type { EpisodeWithTruth } from "@bridle/search";
import { EpisodeBuilder } from "../../packages/search/src/pack/build/build.js";
import { truthOf } from "../../packages/search/src/pack/build/onset.js";
import { defaultParams } from "../../packages/search/src/pack/build/params.js";
import { marketData } from "./market-data.js";

const sample = marketData && join(marketData, "sample_top30_1h_candles_funding.csv");
/** Undefined where it is not. */
export const realSample = sample !== undefined && existsSync(sample) ? sample : undefined;

/** `from` leaves out what begins before that hour; episodes after it are the same with and without it. */
export async function syntheticEpisodes(
  options: SyntheticOptions,
  from?: number,
): Promise<EpisodeWithTruth[]> {
  return episodesOf(await syntheticMarket(options), from);
}

let real: Promise<EpisodeWithTruth[]> | undefined;

/** Of the real sample, built once for all test files of a worker. */
export function realEpisodes(): Promise<EpisodeWithTruth[]> {
  const files = [{ path: realSample as string }];
  return (real ??= loadFiles({ files, builder: new MemoryBuilder(), ports: nodePorts() }).then((tables) =>
    episodesOf(tables),
  ));
}

/** In the order of their ids, as `buildEpisodes` gives them. */
async function episodesOf(tables: MarketTables, from = 0): Promise<EpisodeWithTruth[]> {
  const builder = await EpisodeBuilder.open({ tables, params: defaultParams });
  const episodes: EpisodeWithTruth[] = [];
  for (const onset of builder.onsets)
    if (onset.hour >= from && truthOf(onset, defaultParams) !== undefined)
      episodes.push(await builder.build(onset));
  return episodes.toSorted((a, b) => compareCodePoints(a.episode_id, b.episode_id));
}
