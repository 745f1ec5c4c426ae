/**
 * From tables to episodes: every funding stress becomes a question that can be
 * answered from what was known when it began, and a truth from what came after.
 *
 * Nothing that became known after an episode's hour reaches its views; a test cuts
 * it off and compares every payload.
 */
import type { MarketTables } from "@bridle/market";
import { compareCodePoints, type JsonObject } from "@bridle/record";
import type { EpisodeWithTruth, View } from "../../types.js";
import { AsOf } from "./as-of.js";
import { isoHour, windowId } from "./hours-in-words.js";
import { isComplete, isNumber, type Metric, metricsOf as metricsBetween, type Metrics } from "./metrics.js";
import { fixed } from "./number.js";
import { type Onset, onsetsOf, truthOf } from "./onset.js";
import type { BuildParams } from "./params.js";
import { type Peers, peersAt } from "./peers.js";
import { loadSeries, type Series } from "./series.js";
import { patternOf, patterns, type PatternId, type PriorEpisode, shortlist } from "./similar.js";
import { derivedMetrics, marketState, persistenceOf, told } from "./views.js";

export interface BuildOptions {
  readonly tables: MarketTables;
  readonly params: BuildParams;
  /** Only these anchors; all markets when left out. Peers are never narrowed. */
  readonly markets?: readonly string[];
  readonly progress?: (done: number, total: number) => void;
}

/** In the order of their ids. */
export async function* buildEpisodes({
  markets,
  progress,
  ...options
}: BuildOptions): AsyncGenerator<EpisodeWithTruth> {
  const { params } = options;
  const builder = await EpisodeBuilder.open(options);
  const wanted = builder.onsets
    .filter((onset) => truthOf(onset, params) !== undefined && (markets?.includes(onset.market) ?? true))
    .map((onset) => ({ onset, id: episodeId(onset) }))
    .sort((a, b) => compareCodePoints(a.id, b.id));
  for (const [i, { onset }] of wanted.entries()) {
    yield await builder.build(onset);
    progress?.(i + 1, wanted.length);
  }
}

export function episodeId({ hour, market }: Pick<Onset, "hour" | "market">): string {
  return `ep-${isoHour(hour)
    .replaceAll(/[-:TZ]/g, "")
    .slice(0, 10)}-${market}`;
}

export class EpisodeBuilder {
  private readonly bySeries: ReadonlyMap<string, Series>;
  private readonly onsetsByMarket = new Map<string, Onset[]>();
  /** In the order of time. */
  private readonly priors = new Map<PatternId, PriorEpisode[]>();
  private readonly sourceRefs: readonly string[];

  private constructor(
    private readonly tables: MarketTables,
    all: readonly Series[],
    /** Every one that was found, also those whose outcome nobody knows yet. */
    readonly onsets: readonly Onset[],
    private readonly params: BuildParams,
  ) {
    this.bySeries = new Map(all.map((series) => [series.market, series]));
    this.sourceRefs = tables.sources.map(({ name, sha256 }) => `${name}@sha256:${sha256.slice(0, 16)}`);
    const inTime = onsets.toSorted((a, b) => a.hour - b.hour || compareCodePoints(a.market, b.market));
    for (const onset of inTime) {
      push(this.onsetsByMarket, onset.market, onset);
      if (onset.persisted === undefined || !isComplete(onset, params)) continue;
      const metrics = this.metrics(onset.market, onset.hour);
      push(this.priors, patternOf(onset), { episodeId: episodeId(onset), onset, metrics });
    }
  }

  static async open({ tables, params }: Pick<BuildOptions, "tables" | "params">): Promise<EpisodeBuilder> {
    const all: Series[] = [];
    for (const market of await tables.markets()) all.push(await loadSeries(tables, market, params));
    return new EpisodeBuilder(
      tables,
      all,
      all.flatMap((series) => onsetsOf(series, params)),
      params,
    );
  }

  async build(onset: Onset): Promise<EpisodeWithTruth> {
    const { params } = this;
    const { market, hour } = onset;
    const peers = peersAt(this.bySeries.values(), onset, params);
    const places = [
      { market, hour: hour - params.window_hours },
      { market, hour },
      ...peers.chosen.map((peer) => ({ market: peer.market, hour })),
    ];
    const window = windowId(hour, params);
    return {
      anchor_market: market,
      environment_views: {
        derived_metrics: await this.views(places, (place) => this.derived(place, { anchor: onset, peers })),
        market_state: await this.views(places, (place) => marketState(this.tables, place, params)),
        peer_comparisons:
          peers.chosen.length === 0 ? [] : [this.view(onset, await this.comparison(onset, peers.chosen))],
        persistence: await this.views(places.slice(1), async (place) =>
          persistenceOf(this.earlier(this.onsetsByMarket.get(place.market) ?? [], hour), params),
        ),
        prior_episode_shortlists: this.shortlists(onset),
      },
      episode_id: episodeId(onset),
      ground_truth_reference: {
        evidence: [
          { view_name: "derived_metrics", window_id: window },
          { view_name: "persistence", window_id: window },
        ],
        outcome: { after: await this.outcome(onset), persisted: onset.persisted === true },
        truth: truthOf(onset, params) ?? "abstain",
      },
      query: queryOf(onset, params),
      step_budget: params.step_budget,
      token_budget_class: params.token_budget_class,
      window_id: window,
    };
  }

  /** A view of each place of which something is known. */
  private async views(
    places: readonly Place[],
    payloadOf: (place: Place) => Promise<JsonObject | undefined>,
  ): Promise<View[]> {
    const views: View[] = [];
    for (const place of places) {
      const payload = await payloadOf(place);
      if (payload !== undefined) views.push(this.view(place, payload));
    }
    return views;
  }

  private async derived(
    { market, hour }: Place,
    { anchor, peers }: { readonly anchor: Place; readonly peers: Peers },
  ): Promise<JsonObject | undefined> {
    if (new AsOf(this.seriesOf(market), hour).rate() === undefined) return undefined;
    const isAnchor = market === anchor.market && hour === anchor.hour;
    const noPeers: Metric = {
      reason: "incomplete_window",
      hours_present: 0,
      hours_needed: this.params.window_hours,
    };
    const others = isAnchor && peers.chosen.length === 0 && peers.unranked > 0 ? { peers: noPeers } : {};
    return derivedMetrics(this.metrics(market, hour), await this.rateText(market, hour), this.params, others);
  }

  private async outcome({ market, hour, after }: Onset): Promise<JsonObject[]> {
    const rows = await this.tables.funding(market, { from: hour + 1, to: hour + this.params.persist_hours });
    return after.map((later) => ({
      funding_z: fixed(later.z, 3),
      hour: isoHour(later.hour),
      rate: rows.find((row) => row.hour === later.hour)?.rate ?? "",
    }));
  }

  private shortlists(onset: Onset): View[] {
    const metrics = this.metrics(onset.market, onset.hour);
    return (Object.keys(patterns) as PatternId[])
      .sort()
      .map((pattern) =>
        this.view(
          onset,
          shortlist({ metrics, z: onset.z }, this.candidates(pattern, onset.hour), pattern, this.params),
        ),
      );
  }

  /** The latest of those that were over. */
  private candidates(pattern: PatternId, hour: number): readonly PriorEpisode[] {
    const all = this.priors.get(pattern) ?? [];
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.wasOver((all[middle] as PriorEpisode).onset, hour)) low = middle + 1;
      else high = middle;
    }
    return all.slice(Math.max(0, low - this.params.shortlist_candidates), low);
  }

  /** All of them have a rate that was known at the hour. */
  private async comparison({ market, hour }: Place, peers: readonly AsOf[]): Promise<JsonObject> {
    const ranked = [market, ...peers.map((peer) => peer.market)]
      .map((name) => ({ name, metrics: this.metrics(name, hour) }))
      .sort((a, b) => sizeOf(b.metrics) - sizeOf(a.metrics) || compareCodePoints(a.name, b.name));
    const rows: JsonObject[] = [];
    for (const { name, metrics } of ranked) {
      rows.push({
        funding_rate: await this.rateText(name, hour),
        ...told("fundingZ", metrics),
        market: name,
        ...told("return24h", metrics),
        ...told("volumeRatio", metrics),
      });
    }
    return { ranked_by: "size of funding_z", rows };
  }

  /** As the venue writes it. */
  private async rateText(market: string, hour: number): Promise<string> {
    const [row] = await this.tables.funding(market, { from: hour, to: hour });
    if (row === undefined) throw new Error(`${market} has no funding of hour ${hour}`);
    return row.rate;
  }

  private metrics(market: string, hour: number): Metrics {
    const series = this.seriesOf(market);
    const { params } = this;
    return metricsBetween(new AsOf(series, hour), new AsOf(series, hour - params.window_hours), params);
  }

  private earlier(onsets: readonly Onset[], hour: number): Onset[] {
    return onsets.filter((onset) => isComplete(onset, this.params) && this.wasOver(onset, hour));
  }

  /** Known and over before the window that ends at `hour` began. */
  private wasOver(onset: Onset, hour: number): boolean {
    return onset.hour + this.params.persist_hours <= hour - this.params.window_hours;
  }

  private view({ market, hour }: Place, payload: View["payload"]): View {
    return {
      anchor_market: market,
      payload,
      source_refs: this.sourceRefs,
      window_id: windowId(hour, this.params),
    };
  }

  private seriesOf(market: string): Series {
    const series = this.bySeries.get(market);
    if (series === undefined) throw new Error(`${market} was not loaded`);
    return series;
  }
}

interface Place {
  readonly market: string;
  readonly hour: number;
}

/** Where there is no score it ranks last. */
function sizeOf({ fundingZ }: Metrics): number {
  return isNumber(fundingZ) ? Math.abs(fundingZ) : -1;
}

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

function queryOf({ market, hour, z }: Onset, params: BuildParams): string {
  const side = z > 0 ? "longs pay" : "shorts pay";
  return (
    `Funding of ${market} is under stress since ${isoHour(hour)} (${side}). ` +
    `Will it stay beyond ${params.persist_score} spreads for the next ${params.persist_hours} hours?`
  );
}
