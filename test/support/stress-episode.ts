/** An episode of funding stress by hand, shaped like those that are built from tables. */
import type { EpisodeWithTruth, Truth, View } from "@bridle/search";

export interface StressOptions {
  readonly market?: string;
  readonly hour?: string;
  /** 1 when longs pay. */
  readonly side?: 1 | -1;
  readonly interest?: number | undefined;
  /** In the direction of the funding. */
  readonly premium?: number | undefined;
  readonly return1h?: number;
  readonly history?: number;
  readonly earlier?: number;
  readonly persisted?: number;
  /** Scores of the others, in the direction of the stress. */
  readonly peers?: readonly number[];
  readonly priors?: readonly boolean[];
  readonly stepBudget?: number;
  readonly truth?: Truth;
}

export function stressEpisode(options: StressOptions = {}): EpisodeWithTruth {
  const { market = "BTC", hour = "2025-07-10T00:00Z", side = 1, history = 168, stepBudget = 12 } = options;
  const {
    earlier = 0,
    persisted = 0,
    peers = [0, 0, 0],
    priors = [],
    truth = "finalize_low_signal",
  } = options;
  const { interest, premium, return1h = 0 } = options;
  const window = `${hour}/24h`;
  const view = (payload: View["payload"]): View => ({
    anchor_market: market,
    payload,
    source_refs: ["by hand"],
    window_id: window,
  });
  const turned = (value: number, digits: number) => (side * value).toFixed(digits);
  return {
    anchor_market: market,
    environment_views: {
      derived_metrics: [
        view({
          funding_rate: turned(0.0001, 6),
          funding_z: turned(8, 3),
          history_hours: history,
          history_hours_needed: 160,
          ...(interest === undefined ? {} : { open_interest_change_24h: interest.toFixed(4) }),
          ...(premium === undefined ? {} : { premium: turned(premium, 8) }),
          return_1h: turned(return1h, 5),
        }),
      ],
      market_state: [
        view({ funding: [0, 0, 0, 0.0001].map((rate, i) => ({ hour: `${i}`, rate: turned(rate, 6) })) }),
      ],
      peer_comparisons: [
        view({
          ranked_by: "size of funding_z",
          rows: [
            { funding_z: turned(8, 3), market },
            ...peers.map((score, i) => ({ funding_z: turned(score, 3), market: `PEER${i}` })),
          ],
        }),
      ],
      persistence:
        earlier === 0
          ? []
          : [view({ earlier_stresses: earlier, latest: [{ persisted: persisted > 0 }], persisted })],
      prior_episode_shortlists: (["funding_stress_up", "funding_stress_down"] as const).map((pattern) =>
        view({
          episodes: (pattern.endsWith("up") === side > 0 ? priors : []).map((went) => ({ persisted: went })),
          pattern_id: pattern,
          words: ["funding", "stress"],
        }),
      ),
    },
    episode_id: `ep-${hour.replaceAll(/[-:TZ]/g, "").slice(0, 10)}-${market}`,
    ground_truth_reference: {
      evidence: [
        { view_name: "derived_metrics", window_id: window },
        { view_name: "persistence", window_id: window },
      ],
      outcome: {},
      truth,
    },
    query: `Funding of ${market} is under stress. Will it stay?`,
    step_budget: stepBudget,
    token_budget_class: "medium",
    window_id: window,
  };
}

/** A market in which a stress goes on where earlier ones did, nearly always; `odds` are the cases that break the habit. */
export function habitualEpisodes({
  coins,
  each,
  odds,
}: {
  coins: number;
  each: number;
  odds: number;
}): EpisodeWithTruth[] {
  const episodes: EpisodeWithTruth[] = [];
  for (let i = 0; i < each; i++) {
    for (let coin = 0; coin < coins; coin++) {
      const goesOn = coin % 5 < 2;
      const breaks = (coin * 31 + i * 17) % 100 < odds;
      const day = new Date(Date.UTC(2025, 4, 5 + i * 5 + (coin % 5))).toISOString().slice(0, 10);
      episodes.push(
        stressEpisode({
          market: `C${String(coin).padStart(2, "0")}`,
          hour: `${day}T00:00Z`,
          earlier: 6,
          persisted: goesOn ? 5 : 1,
          truth: goesOn === breaks ? "finalize_low_signal" : "finalize_signal",
        }),
      );
    }
  }
  return episodes.sort((a, b) => (a.episode_id < b.episode_id ? -1 : 1));
}
