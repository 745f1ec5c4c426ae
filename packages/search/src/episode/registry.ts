/**
 * The registry of an episode: every artifact that can be retrieved in it.
 *
 * Artifacts are made when they are first read, and are then the same object.
 * What a market or a window is known for is what any view of the pack holds of
 * it: such a pair without this very view is answered with an empty artifact, any
 * other is refused. The ground truth is not in here.
 */
import type { JsonObject, JsonValue } from "@bridle/record";
import {
  type ActionRefusal,
  type Artifact,
  type Brief,
  type ComparisonPayload,
  type EnvironmentViews,
  type EpisodeRecord,
  type ShortlistPayload,
  tokenBudgets,
  type View,
  type ViewName,
  viewNames,
} from "../types.js";
import {
  artifactId,
  artifactScope,
  holdArtifact,
  type HeldArtifact,
  type LoaderVersion,
  loaderVersion,
} from "./artifact.js";
import { bestPattern, wordsOf } from "./pattern.js";

type Plain = "market_state" | "derived_metrics" | "persistence";
type Shortlists = "prior_episode_shortlists";

export class EpisodeRegistry {
  readonly packId: string;
  readonly episodeId: string;
  /** The id as JSON: it stands in every row. */
  readonly episodeIdText: string;
  readonly stepBudget: number;
  readonly tokenBudget: number;
  readonly brief: Brief;
  private readonly views: EnvironmentViews;
  private readonly idScope: string;
  private readonly made: HeldArtifact[] = [];
  private byKey: Map<string, HeldArtifact> | undefined;
  private restored: Map<string, HeldArtifact> | undefined;
  private readonly covered: Covered;

  constructor(
    packId: string,
    record: Omit<EpisodeRecord, "ground_truth_reference">,
    private readonly loader: LoaderVersion = loaderVersion,
  ) {
    this.packId = packId;
    this.episodeId = record.episode_id;
    this.episodeIdText = JSON.stringify(record.episode_id);
    this.stepBudget = record.step_budget;
    this.tokenBudget = tokenBudgets[record.token_budget_class];
    this.views = record.environment_views;
    this.idScope = artifactScope(packId, record.episode_id, loader);
    const { markets, windows } = (this.covered = coveredBy(this.views));
    this.brief = {
      anchor_market: record.anchor_market,
      episode_id: record.episode_id,
      markets: [...markets].sort(),
      pattern_ids: this.views.prior_episode_shortlists.map((view) => shortlistOf(view).pattern_id).sort(),
      query: record.query,
      step_budget: record.step_budget,
      token_budget: this.tokenBudget,
      token_budget_class: record.token_budget_class,
      window_id: record.window_id,
      window_ids: [...windows].sort(),
    };
  }

  /** What was read before; an id that nobody has been given is unknown. */
  get(id: string): HeldArtifact | undefined {
    return this.made.find(({ artifact }) => artifact.artifact_id === id) ?? this.restored?.get(id);
  }

  /** Puts an artifact back that a recorded run read, without reading it again. */
  restore(held: HeldArtifact): void {
    (this.restored ??= new Map()).set(held.artifact.artifact_id, held);
  }

  read(viewName: Plain, market: string, window: string): HeldArtifact | ActionRefusal {
    const before = this.made.find(
      ({ artifact: { anchor_market, view_name, window_id } }) =>
        view_name === viewName && anchor_market === market && window_id === window,
    );
    if (before !== undefined) return before;
    const from = this.viewAt(viewName, market, window);
    const unknown = from === undefined ? this.unknown(market, window) : undefined;
    if (unknown !== undefined) return unknown;
    return this.make({ type: "view", viewName, market, window, key: [market, window], from });
  }

  /** Ranked as the pack ranked all of them; of `peers` the order does not matter. */
  compare(market: string, peers: readonly string[], window: string): HeldArtifact | ActionRefusal {
    const unknown = this.unknown(market, window);
    if (unknown !== undefined) return unknown;
    const others = [...new Set(peers)].filter((peer) => peer !== market).sort();
    const stranger = others.find((peer) => !this.covered.markets.has(peer));
    if (stranger !== undefined) return refusal("peer_unknown", `${stranger} is not in this episode`);
    const view = this.comparison(market, window);
    const key = [market, window, ...others];
    const payload = view === undefined ? undefined : compareSome(comparisonOf(view), [market, ...others]);
    return this.hold({
      type: "comparison",
      viewName: "peer_comparisons",
      market,
      window,
      key,
      from: view && { ...view, payload: payload ?? {} },
    });
  }

  /** By the id of a pattern, or by words that it is called by; a pattern that nobody showed gives an empty shortlist. */
  similar(market: string, asked: string): HeldArtifact | ActionRefusal {
    if (!this.covered.markets.has(market)) return this.marketUnknown(market);
    const window = this.brief.window_id;
    const own = this.views.prior_episode_shortlists.filter((view) => view.anchor_market === market);
    const view = bestPattern(own, asked, shortlistOf);
    const key = view === undefined ? [market, "", ...wordsOf(asked)] : [market, shortlistOf(view).pattern_id];
    return this.hold({
      type: "shortlist",
      viewName: "prior_episode_shortlists",
      market,
      window: view?.window_id ?? window,
      key,
      from: view,
    });
  }

  /** A comparison stands under the market it was made for, and serves every market in it. */
  private comparison(market: string, window: string): View | undefined {
    const own = this.viewAt("peer_comparisons", market, window);
    if (own !== undefined) return own;
    const anchors = this.viewAt("peer_comparisons", this.brief.anchor_market, window);
    const holds = anchors !== undefined && comparisonOf(anchors).rows.some((row) => row.market === market);
    return holds ? anchors : undefined;
  }

  private viewAt(viewName: Exclude<ViewName, Shortlists>, market: string, window: string): View | undefined {
    return this.views[viewName].findLast(
      ({ anchor_market, window_id }) => anchor_market === market && window_id === window,
    );
  }

  private unknown(market: string, window: string): ActionRefusal | undefined {
    const { markets, windows } = this.covered;
    if (!markets.has(market)) return this.marketUnknown(market);
    if (windows.has(window)) return undefined;
    return refusal(
      "window_unknown",
      `${window} is no window of this episode; it has ${this.brief.window_ids.join(", ")}`,
    );
  }

  private marketUnknown(market: string): ActionRefusal {
    return refusal(
      "market_unknown",
      `${market} is no market of this episode; it has ${this.brief.markets.join(", ")}`,
    );
  }

  /** Of what is asked for in many ways, the same way gives the same artifact. */
  private hold(place: ArtifactPart): HeldArtifact {
    const named = [place.viewName, ...place.key].join("\n");
    this.byKey ??= new Map();
    const made = this.byKey.get(named) ?? this.make(place);
    this.byKey.set(named, made);
    return made;
  }

  private make({ type, viewName, market, window, key, from }: ArtifactPart): HeldArtifact {
    const made = holdArtifact(
      {
        anchor_market: market,
        artifact_id: artifactId(this.idScope, viewName, key),
        artifact_type: type,
        payload: from?.payload ?? { empty: true },
        source_refs: from?.source_refs ?? [],
        view_name: viewName,
        window_id: window,
      },
      this.loader,
    );
    this.made.push(made);
    return made;
  }
}

interface ArtifactPart {
  readonly type: Artifact["artifact_type"];
  readonly viewName: ViewName;
  readonly market: string;
  readonly window: string;
  readonly key: readonly string[];
  readonly from: View | undefined;
}

/** The markets and windows of which any view holds something. */
interface Covered {
  readonly markets: ReadonlySet<string>;
  readonly windows: ReadonlySet<string>;
}

function coveredBy(views: EnvironmentViews): Covered {
  const [markets, windows] = [new Set<string>(), new Set<string>()];
  for (const name of viewNames) {
    for (const { anchor_market, window_id } of views[name]) {
      markets.add(anchor_market);
      windows.add(window_id);
    }
  }
  for (const view of views.peer_comparisons)
    for (const { market } of comparisonOf(view).rows) markets.add(market);
  return { markets, windows };
}

function refusal(of: ActionRefusal["class"], message: string): ActionRefusal {
  return { class: of, message };
}

function comparisonOf({ payload }: View): ComparisonPayload {
  return payload as unknown as ComparisonPayload;
}

function shortlistOf({ payload }: View): ShortlistPayload {
  return payload as unknown as ShortlistPayload;
}

function compareSome({ ranked_by, rows }: ComparisonPayload, markets: readonly string[]): JsonObject {
  const asked = new Set(markets);
  const found = rows.filter(({ market }) => asked.has(market));
  const missing = markets.filter((market) => !found.some((row) => row.market === market)).sort();
  return {
    missing,
    ranked_by,
    rows: found.map((row, i) => ({ ...row, rank: i + 1 })) as unknown as JsonValue,
  };
}
