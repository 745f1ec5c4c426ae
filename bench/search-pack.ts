/** Packs of any size for the benchmarks of the search room. */
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { type EpisodeWithTruth, writePack } from "@bridle/search";

export const benchWindows = ["2025-07-10T00:00Z/24h", "2025-07-11T00:00Z/24h"] as const;

/** The folder of a new pack under `out`. */
export async function writeBenchPack(out: string, count: number): Promise<string> {
  const { folder } = await writePack({
    out: join(out, String(count)),
    episodes: episodesUpTo(count),
    generator: { script: "bench", repoRelpath: "bench/search-pack.ts", gitSha: "unknown", params: { count } },
    sources: [{ name: "bench", rows: 0, sha256: "0".repeat(64), synthetic: true }],
    nondeterministicComponents: [],
    readme: ({ pack_id }) => `# ${pack_id}\n`,
    nowMs: 0,
    ports: nodePorts(),
  });
  return folder;
}

function* episodesUpTo(count: number): Generator<EpisodeWithTruth> {
  for (let i = 0; i < count; i++) yield benchEpisode(i);
}

export function benchEpisode(i: number): EpisodeWithTruth {
  const view = (
    window: string,
    payload: EpisodeWithTruth["environment_views"]["persistence"][number]["payload"],
  ) => ({
    anchor_market: "BTC",
    payload,
    source_refs: ["bench"],
    window_id: window,
  });
  return {
    anchor_market: "BTC",
    environment_views: {
      derived_metrics: benchWindows.map((window) =>
        view(window, { funding_z: "4.2", history_hours: 168, return_24h: "0.01" }),
      ),
      market_state: benchWindows.map((window) => view(window, { close: "64000.5", funding: "0.0001" })),
      peer_comparisons: [],
      persistence: [view(benchWindows[1], { earlier_stresses: 4, persisted: 3 })],
      prior_episode_shortlists: [],
    },
    episode_id: `ep-${String(i).padStart(6, "0")}`,
    ground_truth_reference: { evidence: [], outcome: {}, truth: "finalize_signal" },
    query: "Will it last?",
    step_budget: 12,
    token_budget_class: "medium",
    window_id: benchWindows[1],
  };
}
