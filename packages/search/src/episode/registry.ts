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
  type EpisodeRecord,
  type ShortlistPayload,
  tokenBudgets,
  type View,
  type ViewName,
  viewNames,
} from "../types.js";
import { artifactId, holdArtifact, type HeldArtifact } from "./artifact.js";
import { bestPattern, wordsOf } from "./pattern.js";

type Plain = "market_state" | "derived_metrics" | "persistence";

export class EpisodeRegistry {
  readonly brief: Brief;
  readonly packId: string;
  private readonly views = new Map<string, View>();
  private readonly held = new Map<string, HeldArtifact>();
  private readonly byKey = new Map<string, HeldArtifact>();
  private readonly markets: ReadonlySet<string>;
  private readonly windows: ReadonlySet<string>;
  private readonly shortlists: readonly View[];

  constructor(packId: string, record: EpisodeRecord) {
    const { environment_views: views, ground_truth_reference: _hidden, ...open } = record;
    const all = viewNames.flatMap((name) => (views[name] ?? []).map((view) => ({ name, view })));
    const compared = (views.peer_comparisons ?? []).flatMap((view) =>
      comparisonOf(view).rows.map(({ market }) => market),
    );
    this.packId = packId;
    this.markets = new Set([...all.map(({ view }) => view.anchor_market), ...compared]);
    this.windows = new Set(all.map(({ view }) => view.window_id));
    this.shortlists = views.prior_episode_shortlists ?? [];
    for (const { name, view } of all) {
      if (name !== "prior_episode_shortlists") this.views.set(placeOf(name, view), view);
    }
    this.brief = {
      anchor_market: open.anchor_market,
      episode_id: open.episode_id,
      markets: [...this.markets].sort(),
      pattern_ids: this.shortlists.map((view) => shortlistOf(view).pattern_id).sort(),
      query: open.query,
      step_budget: open.step_budget,
      token_budget: tokenBudgets[open.token_budget_class],
      token_budget_class: open.token_budget_class,
      window_id: open.window_id,
      window_ids: [...this.windows].sort(),
    };
  }

  /** What was read before; an id that nobody has been given is unknown. */
  get(id: string): HeldArtifact | undefined {
    return this.held.get(id);
  }

  /** Puts an artifact back that a recorded run read, without reading it again. */
  restore(held: HeldArtifact): void {
    this.held.set(held.artifact.artifact_id, held);
  }

  read(viewName: Plain, market: string, window: string): HeldArtifact | ActionRefusal {
    const unknown = this.unknown(market, window);
    if (unknown !== undefined) return unknown;
    const view = this.views.get(placeOf(viewName, { anchor_market: market, window_id: window }));
    return this.hold({ type: "view", viewName, market, window, key: [market, window], from: view });
  }

  /** Ranked as the pack ranked all of them; of `peers` the order does not matter. */
  compare(market: string, peers: readonly string[], window: string): HeldArtifact | ActionRefusal {
    const unknown = this.unknown(market, window);
    if (unknown !== undefined) return unknown;
    const others = [...new Set(peers)].filter((peer) => peer !== market).sort();
    const stranger = others.find((peer) => !this.markets.has(peer));
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
    if (!this.markets.has(market)) return this.marketUnknown(market);
    const window = this.brief.window_id;
    const own = this.shortlists.filter((view) => view.anchor_market === market);
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
    const own = this.views.get(placeOf("peer_comparisons", { anchor_market: market, window_id: window }));
    if (own !== undefined) return own;
    const anchors = this.views.get(
      placeOf("peer_comparisons", { anchor_market: this.brief.anchor_market, window_id: window }),
    );
    const holds = anchors !== undefined && comparisonOf(anchors).rows.some((row) => row.market === market);
    return holds ? anchors : undefined;
  }

  private unknown(market: string, window: string): ActionRefusal | undefined {
    if (!this.markets.has(market)) return this.marketUnknown(market);
    if (this.windows.has(window)) return undefined;
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

  private hold(place: {
    readonly type: Artifact["artifact_type"];
    readonly viewName: ViewName;
    readonly market: string;
    readonly window: string;
    readonly key: readonly string[];
    readonly from: View | undefined;
  }): HeldArtifact {
    const { type, viewName, market, window, key, from } = place;
    const named = [viewName, ...key].join("\n");
    const known = this.byKey.get(named);
    if (known !== undefined) return known;
    const id = artifactId({ packId: this.packId, episodeId: this.brief.episode_id, viewName, key });
    const made = holdArtifact({
      anchor_market: market,
      artifact_id: id,
      artifact_type: type,
      payload: from?.payload ?? { empty: true },
      source_refs: from?.source_refs ?? [],
      view_name: viewName,
      window_id: window,
    });
    this.held.set(id, made);
    this.byKey.set(named, made);
    return made;
  }
}

function refusal(of: ActionRefusal["class"], message: string): ActionRefusal {
  return { class: of, message };
}

function placeOf(
  name: ViewName,
  { anchor_market, window_id }: Pick<View, "anchor_market" | "window_id">,
): string {
  return `${name}\n${anchor_market}\n${window_id}`;
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
