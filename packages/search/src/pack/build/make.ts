/** A pack from sources, from end to end: tables, episodes, folder. */
import {
  type HourRange,
  InfoClient,
  loadFiles,
  loadInfo,
  MemoryBuilder,
  type MarketTables,
  syntheticMarket,
} from "@bridle/market";
import type { JsonObject, Ports } from "@bridle/record";
import { type WrittenPack, writePack } from "../write.js";
import { buildEpisodes } from "./build.js";
import { type BuildParams, defaultParams } from "./params.js";
import { packReadme } from "./readme.js";

export type PackSource =
  | { readonly kind: "synthetic"; readonly seed: string; readonly markets?: number; readonly days?: number }
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | InfoSource;

/** The exchange's info endpoint, asked for candles and funding. */
export interface InfoSource {
  readonly kind: "info";
  /** The exchange's own when left out. */
  readonly url?: string;
  /** Every market that is listed when left out; peers can only be found among them. */
  readonly markets?: readonly string[];
  readonly range: Required<HourRange>;
}

export interface MakePackOptions {
  readonly source: PackSource;
  readonly out: string;
  /** Only episodes of these markets; all of them when left out. */
  readonly markets?: readonly string[];
  readonly params?: Partial<BuildParams>;
  readonly nowMs: number;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
}

/** Grows whenever the same sources and numbers would give other episodes. */
export const builderVersion = "1";

export async function makePack(options: MakePackOptions): Promise<WrittenPack> {
  const { out, markets, nowMs, ports, signal, progress } = options;
  const params: BuildParams = { ...defaultParams, ...options.params };
  const tables = await tablesOf(options);
  try {
    return await writePack({
      out,
      episodes: buildEpisodes({
        tables,
        params,
        ...(markets === undefined ? {} : { markets }),
        ...(progress === undefined ? {} : { progress }),
      }),
      generator: {
        script: "hlq pack build",
        repoRelpath: "packages/search/src/pack/build/make.ts",
        gitSha: await ports.revision.current(),
        params: {
          builder_version: builderVersion,
          ...(markets === undefined ? {} : { markets: markets.toSorted() }),
          ...(params as unknown as JsonObject),
        },
      },
      sources: tables.sources.map(({ name, rows, sha256, synthetic }) => ({ name, rows, sha256, synthetic })),
      nondeterministicComponents: [],
      readme: packReadme,
      nowMs,
      ports,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    await tables.close();
  }
}

async function tablesOf(options: MakePackOptions): Promise<MarketTables> {
  const { source, ports, signal } = options;
  if (source.kind === "info") return askedFor(source, options);
  if (source.kind === "synthetic") {
    const { seed, markets, days } = source;
    return syntheticMarket({
      seed,
      ...(markets === undefined ? {} : { markets }),
      ...(days === undefined ? {} : { days }),
    });
  }
  return loadFiles({
    files: source.paths.map((path) => ({ path })),
    builder: new MemoryBuilder(),
    ports,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Contexts are a look at this very moment, so they are left out: the same question gives the same pack tomorrow. */
async function askedFor(
  { url, markets, range }: InfoSource,
  { ports, signal }: MakePackOptions,
): Promise<MarketTables> {
  const client = new InfoClient({
    clock: ports.clock,
    ...(url === undefined ? {} : { url }),
    ...(signal === undefined ? {} : { signal }),
  });
  return loadInfo({
    client,
    builder: new MemoryBuilder(),
    markets: markets ?? (await listed(client)),
    range,
  });
}

async function listed(client: InfoClient): Promise<string[]> {
  const { markets } = await client.assetContexts();
  return markets.flatMap(({ market, delisted }) => (delisted ? [] : [market])).sort();
}
