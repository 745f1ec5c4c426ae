/** A pack from sources, from end to end: tables, episodes, folder. */
import {
  CheckingBuilder,
  type DataReport,
  defectKinds,
  type HourRange,
  InfoClient,
  loadFiles,
  loadInfo,
  MemoryBuilder,
  type MarketTables,
  type SourceFile,
  syntheticMarket,
} from "@bridle/market";
import { Failure, type FailureClass, type JsonObject, type Ports } from "@bridle/record";
import { type WrittenPack, writePack } from "../write.js";
import { buildEpisodes } from "./build.js";
import { type BuildParams, defaultParams } from "./params.js";
import { packReadme } from "./readme.js";

export type PackSource =
  | { readonly kind: "synthetic"; readonly seed: string; readonly markets?: number; readonly days?: number }
  | { readonly kind: "files"; readonly files: readonly SourceFile[]; readonly accept?: readonly string[] }
  | InfoSource;

/** The exchange's info endpoint, asked for candles and funding. */
export interface InfoSource {
  readonly kind: "info";
  /** The exchange's own when left out. */
  readonly url?: string;
  /** Every market that is listed when left out; peers can only be found among them. */
  readonly markets?: readonly string[];
  readonly range: Required<HourRange>;
  readonly accept?: readonly string[];
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
export const builderVersion = "2";

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
      horizonHours: params.persist_hours,
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
  return judged(source, (builder) =>
    loadFiles({
      files: source.files,
      builder,
      ports,
      onColumns: (columns) => builder.noteColumns(columns),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

/** What comes from outside, read or asked for, is judged before anything is built from it. */
async function judged(
  source: Exclude<PackSource, { readonly kind: "synthetic" }>,
  load: (builder: CheckingBuilder) => Promise<MarketTables>,
): Promise<MarketTables> {
  const builder = new CheckingBuilder(new MemoryBuilder());
  const tables = await load(builder);
  try {
    requireFit(builder.report(), source);
    return tables;
  } catch (error) {
    await tables.close();
    throw error;
  }
}

const defectsTold = 20;

/** What would make numbers wrong is refused, unless somebody says that it is meant. */
function requireFit(
  { defects }: DataReport,
  { kind: from, accept = [] }: { readonly kind: "files" | "info"; readonly accept?: readonly string[] },
): void {
  const refused = defects.filter(({ kind }) => defectKinds[kind].refuses && !accept.includes(kind));
  const [first] = refused;
  if (first === undefined) return;
  const { kind, place, message, market } = first;
  const more = `; ${refused.length - 1} more${from === "files" ? ", which `hlq data check` lists" : ""}`;
  const others = refused.length === 1 ? "" : more;
  throw new Failure(kind as FailureClass, {
    message: `${place.source}:${place.line}: ${market ?? ""}: ${message}${others}; nothing was built`,
    hint:
      from === "files"
        ? `Correct the data, or say that it is meant with --accept ${kind}.`
        : `Ask for other markets or hours, or say that it is meant with --accept ${kind}.`,
    detail: {
      defects: refused.slice(0, defectsTold).map((defect) => ({
        class: defect.kind,
        market: defect.market ?? null,
        source: defect.place.source,
        line: defect.place.line,
        message: defect.message,
      })),
    },
  });
}

/** Contexts are a look at this very moment, so they are left out: the same question gives the same pack tomorrow. */
async function askedFor(source: InfoSource, { ports, signal }: MakePackOptions): Promise<MarketTables> {
  const { url, markets, range } = source;
  const client = new InfoClient({
    clock: ports.clock,
    ...(url === undefined ? {} : { url }),
    ...(signal === undefined ? {} : { signal }),
  });
  const asked = markets ?? (await listed(client));
  return judged(source, (builder) => loadInfo({ client, builder, markets: asked, range }));
}

async function listed(client: InfoClient): Promise<string[]> {
  const { markets } = await client.assetContexts();
  return markets.flatMap(({ market, delisted }) => (delisted ? [] : [market])).sort();
}
