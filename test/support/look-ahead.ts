/** The cut test: what became known after an episode's hour is cut off, and no payload of its views may change. */
import type { MarketTables } from "@bridle/market";
import { canonicalJson, type JsonObject } from "@bridle/record";
import type { EpisodeBuilder } from "../../packages/search/src/pack/build/build.js";
import { type BuildParams, defaultParams } from "../../packages/search/src/pack/build/params.js";
import type { EpisodeWithTruth } from "@bridle/search";
import {
  cutAt,
  firstHour,
  type MarketRows,
  randomMarket,
  type RandomMarketOptions,
  tablesFrom,
} from "./random-market.js";

/** A short baseline, so that a small market has many stresses. */
export const cutParams: BuildParams = {
  ...defaultParams,
  baseline_hours: 48,
  baseline_hours_min: 12,
  baseline_hours_needed: 44,
  quiet_hours: 12,
  peers: 3,
};

export interface CutResult {
  readonly markets: number;
  readonly episodes: number;
  /** The first of each kind of view, and what is wrong otherwise. */
  readonly differences: readonly string[];
}

export interface LookOptions {
  readonly seed: number;
  readonly worlds: number;
  readonly perWorld: number;
  /** How long each market is; 330 without it. */
  readonly hours?: number;
  /** One difference is enough. */
  readonly untilFound?: boolean;
  /** Whoever looks at the same worlds with many builders keeps their tables here. */
  readonly kept?: KeptWorlds;
}

/** Random worlds and their cuts, each made once. */
export class KeptWorlds {
  private readonly rows = new Map<string, MarketRows>();
  private readonly tables = new Map<string, Promise<MarketTables>>();

  rowsOf(drawn: RandomMarketOptions): MarketRows {
    const rows = this.rows.get(drawn.seed) ?? randomMarket(drawn);
    this.rows.set(drawn.seed, rows);
    return rows;
  }

  /** All of it without an hour. */
  tablesOf(drawn: RandomMarketOptions, hour?: number): Promise<MarketTables> {
    const key = `${drawn.seed} ${hour}`;
    const rows = this.rowsOf(drawn);
    const tables =
      this.tables.get(key) ?? tablesFrom(hour === undefined ? rows : cutAt(rows, hour * 3_600_000));
    this.tables.set(key, tables);
    return tables;
  }
}

export async function lookForTheFuture(
  Builder: typeof EpisodeBuilder,
  options: LookOptions,
): Promise<CutResult> {
  const { seed, worlds, perWorld, hours = 330, untilFound = false } = options;
  const differences: string[] = [];
  let [markets, episodes] = [0, 0];
  for (let world = 0; world < worlds; world++) {
    const drawn = {
      seed: `cut ${seed} ${world}`,
      markets: 5,
      hours,
      contextMinutes: [60, 15, 5, 1][world % 4] as number,
    };
    const { kept = new KeptWorlds() } = options;
    markets += drawn.markets;
    const whole = await Builder.open({ tables: await kept.tablesOf(drawn), params: cutParams });
    const late = whole.onsets.filter(({ hour }) => hour >= firstHour + 60);
    for (let i = 0; i < Math.min(perWorld, late.length); i++) {
      if (untilFound && differences.length > 0) return { markets, episodes, differences };
      const onset = late[Math.floor(((i + 0.5) * late.length) / perWorld) % late.length];
      if (onset === undefined) continue;
      const tables = await kept.tablesOf(drawn, onset.hour);
      const cut = await Builder.open({ tables, params: cutParams });
      const twin = cut.onsets.find(({ hour, market }) => hour === onset.hour && market === onset.market);
      episodes++;
      if (twin === undefined) {
        differences.push(`${onset.market} at ${onset.hour}: nobody could know that it began`);
        continue;
      }
      differences.push(...differencesOf(await whole.build(onset), await cut.build(twin)));
    }
  }
  return { markets, episodes, differences };
}

function differencesOf(one: EpisodeWithTruth, other: EpisodeWithTruth): string[] {
  const found: string[] = [];
  if (one.query !== other.query) found.push(`${one.episode_id}: the query`);
  for (const name of Object.keys(one.environment_views) as (keyof EpisodeWithTruth["environment_views"])[]) {
    if (payloads(one, name) !== payloads(other, name)) found.push(`${one.episode_id}: ${name}`);
  }
  return found;
}

/** `source_refs` name whole files and are not compared. */
function payloads(
  { environment_views }: EpisodeWithTruth,
  name: keyof EpisodeWithTruth["environment_views"],
) {
  return environment_views[name]
    .map(({ anchor_market, window_id, payload }) =>
      canonicalJson({ anchor_market, payload, window_id } as JsonObject),
    )
    .join("\n");
}
