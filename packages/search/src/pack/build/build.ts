/**
 * From tables to episodes: every funding stress becomes a question that can be
 * answered from what was known when it began, and a truth from what came after.
 *
 * Nothing after an episode's hour reaches its views; a test changes the future
 * and compares. Its truth stands in a member that no action reads.
 */
import type { MarketSource, MarketTables } from "@bridle/market";
import type { EpisodeRecord, View } from "../../types.js";
import { fixed } from "./number.js";
import { isComplete, type Onset, onsetsOf, truthOf } from "./onset.js";
import type { BuildParams } from "./params.js";
import { at, loadSeries, type Series } from "./series.js";
import { patternOf, patterns, type PatternId, type PriorEpisode, shortlist } from "./similar.js";
import {
  derivedMetrics,
  isoHour,
  marketState,
  member,
  type Metrics,
  metricsOf,
  notionalOf,
  persistenceOf,
  windowId,
} from "./views.js";

export interface BuildOptions {
  readonly tables: MarketTables;
  readonly params: BuildParams;
  /** Only these anchors; all markets when left out. Peers are never narrowed. */
  readonly markets?: readonly string[];
  readonly progress?: (done: number, total: number) => void;
}

/** In the order of their ids. */
export async function* buildEpisodes({
  tables,
  params,
  markets,
  progress,
}: BuildOptions): AsyncGenerator<EpisodeRecord> {
  const series = new Map<string, Series>();
  const onsets: Onset[] = [];
  for (const market of await tables.markets()) {
    const loaded = await loadSeries(tables, market, params);
    series.set(market, loaded);
    onsets.push(...onsetsOf(loaded, params));
  }
  const builder = new EpisodeBuilder([...series.values()], onsets, tables.sources, params);
  const wanted = onsets
    .filter((onset) => truthOf(onset, params) !== undefined && (markets?.includes(onset.market) ?? true))
    .map((onset) => ({ onset, id: episodeId(onset) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [i, { onset }] of wanted.entries()) {
    yield builder.build(onset);
    progress?.(i + 1, wanted.length);
  }
}

export function episodeId({ hour, market }: Pick<Onset, "hour" | "market">): string {
  return `ep-${isoHour(hour)
    .replaceAll(/[-:TZ]/g, "")
    .slice(0, 10)}-${market}`;
}

class EpisodeBuilder {
  private readonly bySeries: ReadonlyMap<string, Series>;
  private readonly onsetsByMarket = new Map<string, Onset[]>();
  private readonly priors = new Map<PatternId, PriorEpisode[]>();
  private readonly sourceRefs: readonly string[];

  constructor(
    all: readonly Series[],
    onsets: readonly Onset[],
    sources: readonly MarketSource[],
    private readonly params: BuildParams,
  ) {
    this.bySeries = new Map(all.map((series) => [series.market, series]));
    this.sourceRefs = sources.map(({ name, sha256 }) => `${name}@sha256:${sha256.slice(0, 16)}`);
    const inTime = onsets.toSorted((a, b) => a.hour - b.hour || (a.market < b.market ? -1 : 1));
    for (const onset of inTime) {
      push(this.onsetsByMarket, onset.market, onset);
      if (onset.persisted === undefined || !isComplete(onset, params)) continue;
      const metrics = metricsOf(this.seriesOf(onset.market), onset.hour, params);
      push(this.priors, patternOf(onset), { episodeId: episodeId(onset), onset, metrics });
    }
  }

  build(onset: Onset): EpisodeRecord {
    const { params } = this;
    const { market, hour } = onset;
    const anchor = this.seriesOf(market);
    const peers = this.peersAt(market, hour);
    const everyone = [anchor, ...peers.map(({ series }) => series)];
    const ends = [hour - params.window_hours, hour];
    const window = windowId(hour, params);
    return {
      anchor_market: market,
      environment_views: {
        derived_metrics: everyone.flatMap((series) =>
          (series === anchor ? ends : [hour]).flatMap((end) => {
            const metrics = metricsOf(series, end, params);
            return metrics.rate === undefined
              ? []
              : [this.view(series.market, end, derivedMetrics(metrics, params))];
          }),
        ),
        market_state: everyone.flatMap((series) =>
          (series === anchor ? ends : [hour]).flatMap((end) => {
            const state = marketState(series, end, params);
            return state === undefined ? [] : [this.view(series.market, end, state)];
          }),
        ),
        peer_comparisons:
          peers.length === 0 ? [] : [this.view(market, hour, this.comparison(anchor, peers, hour))],
        persistence: everyone.flatMap((series) => {
          const earlier = this.earlier(this.onsetsByMarket.get(series.market) ?? [], hour);
          const payload = persistenceOf(earlier, params);
          return payload === undefined ? [] : [this.view(series.market, hour, payload)];
        }),
        prior_episode_shortlists: this.shortlists(anchor, onset),
      },
      episode_id: episodeId(onset),
      ground_truth_reference: {
        evidence: [
          { view_name: "derived_metrics", window_id: window },
          { view_name: "persistence", window_id: window },
        ],
        outcome: {
          after: onset.after.map(({ hour: later, z, rate }) => ({
            funding_z: fixed(z, 3),
            hour: isoHour(later),
            rate,
          })),
          persisted: onset.persisted === true,
        },
        truth: truthOf(onset, params) ?? "abstain",
      },
      query: queryOf(onset, params),
      step_budget: params.step_budget,
      token_budget_class: params.token_budget_class,
      window_id: window,
    };
  }

  private shortlists(anchor: Series, onset: Onset): View[] {
    const metrics = metricsOf(anchor, onset.hour, this.params);
    return (Object.keys(patterns) as PatternId[]).sort().map((pattern) => {
      const priors = (this.priors.get(pattern) ?? []).filter((prior) =>
        this.wasOver(prior.onset, onset.hour),
      );
      return this.view(
        onset.market,
        onset.hour,
        shortlist({ metrics, z: onset.z }, priors, pattern, this.params),
      );
    });
  }

  private comparison(anchor: Series, peers: readonly Peer[], hour: number) {
    const own = { series: anchor, metrics: metricsOf(anchor, hour, this.params) };
    const rows = [own, ...peers].toSorted(
      (a, b) =>
        Math.abs(b.metrics.z ?? 0) - Math.abs(a.metrics.z ?? 0) ||
        (a.series.market < b.series.market ? -1 : 1),
    );
    return {
      ranked_by: "size of funding_z",
      rows: rows.map(({ series, metrics }) => ({
        ...member("funding_rate", metrics.rate),
        ...member("funding_z", metrics.z, 3),
        market: series.market,
        ...member("return_24h", metrics.return24h, 5),
        ...member("volume_ratio_7d", metrics.volumeRatio, 3),
      })),
    };
  }

  /** Those with the most traded over the window; of equals by name. */
  private peersAt(market: string, hour: number): readonly Peer[] {
    return [...this.bySeries.values()]
      .filter((series) => series.market !== market && at(series.funding, hour) !== undefined)
      .map((series) => ({ series, notional: notionalOf(series, hour, this.params) }))
      .sort((a, b) => b.notional - a.notional || (a.series.market < b.series.market ? -1 : 1))
      .slice(0, this.params.peers)
      .map(({ series }) => ({ series, metrics: metricsOf(series, hour, this.params) }));
  }

  private earlier(onsets: readonly Onset[], hour: number): Onset[] {
    return onsets.filter((onset) => isComplete(onset, this.params) && this.wasOver(onset, hour));
  }

  /** Known and over before the window that ends at `hour` began. */
  private wasOver(onset: Onset, hour: number): boolean {
    return onset.hour + this.params.persist_hours <= hour - this.params.window_hours;
  }

  private view(market: string, end: number, payload: View["payload"]): View {
    return {
      anchor_market: market,
      payload,
      source_refs: this.sourceRefs,
      window_id: windowId(end, this.params),
    };
  }

  private seriesOf(market: string): Series {
    const series = this.bySeries.get(market);
    if (series === undefined) throw new Error(`${market} was not loaded`);
    return series;
  }
}

interface Peer {
  readonly series: Series;
  readonly metrics: Metrics;
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
