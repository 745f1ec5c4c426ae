/** Episodes for tests: small, with every view, a market without some of them, and a canary in the truth. */
import type { EpisodeWithTruth, View } from "@bridle/search";

export const truthCanary = "canary-7f3c-ground-truth";
export const windowIds = ["2025-07-10T00:00Z/24h", "2025-07-11T00:00Z/24h"] as const;
export const marketNames = ["BTC", "ETH", "SOL"] as const;

export interface SampleOptions {
  readonly id?: string;
  readonly stepBudget?: number;
  readonly tokenBudgetClass?: EpisodeWithTruth["token_budget_class"];
  /** Characters that make the payload of market state large. */
  readonly padding?: number;
}

export function sampleEpisode({
  id = "ep-1",
  stepBudget = 12,
  tokenBudgetClass = "medium",
  padding = 0,
}: SampleOptions = {}): EpisodeWithTruth {
  const view = (market: string, window: string, payload: View["payload"]): View => ({
    anchor_market: market,
    payload,
    source_refs: [`sample:${market}`],
    window_id: window,
  });
  const each = (payload: (market: string, window: string) => View["payload"]) =>
    marketNames.flatMap((market) => windowIds.map((window) => view(market, window, payload(market, window))));
  return {
    anchor_market: "BTC",
    environment_views: {
      derived_metrics: each((market) => ({ funding_z: market === "BTC" ? "4.2" : "0.1" })).filter(
        ({ anchor_market }) => anchor_market !== "SOL",
      ),
      market_state: each((market, window) => ({
        close: market === "BTC" ? "64000.5" : "3100",
        padding: "x".repeat(padding),
        window,
      })),
      peer_comparisons: [
        view("BTC", windowIds[1], {
          ranked_by: "funding_z",
          rows: [
            { funding_z: "4.2", market: "BTC" },
            { funding_z: "1.0", market: "SOL" },
            { funding_z: "0.1", market: "ETH" },
          ],
        }),
      ],
      persistence: [view("BTC", windowIds[1], { earlier: 4, persisted: 3 })],
      prior_episode_shortlists: [
        view("BTC", windowIds[1], {
          episodes: [{ episode_id: "ep-0", truth: "finalize_signal" }],
          pattern_id: "funding_stress_up",
          words: ["funding", "stress", "long"],
        }),
        view("BTC", windowIds[1], {
          episodes: [],
          pattern_id: "funding_stress_down",
          words: ["funding", "short"],
        }),
      ],
    },
    episode_id: id,
    ground_truth_reference: {
      evidence: [{ view_name: "persistence", window_id: windowIds[1] }],
      outcome: { secret: truthCanary },
      truth: "finalize_signal",
    },
    query: "Does the funding stress on BTC persist?",
    step_budget: stepBudget,
    token_budget_class: tokenBudgetClass,
    window_id: windowIds[1],
  };
}
