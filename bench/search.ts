/**
 * How many environment steps a second: each proposal checked, the working set
 * copied, the row written as canonical JSON and chained by digest. Against a loop
 * that does nothing but stringify and digest the same rows.
 */
import { sha256Hex } from "@bridle/record";
import {
  beginEpisode,
  EpisodeRegistry,
  type EpisodeRecord,
  type Proposal,
  step,
  type StepRecord,
} from "@bridle/search";
import { judge, type Line, timed } from "./measure.js";

const episodes = 400;
const rounds = 9;
const windows = ["2025-07-10T00:00Z/24h", "2025-07-11T00:00Z/24h"];

export async function benchSearch(): Promise<Line[]> {
  const registries = Array.from(
    { length: episodes },
    (_, i) => new EpisodeRegistry("pack_bench", episode(i)),
  );
  const rows: StepRecord[] = [];
  playAll(registries, (row) => rows.push(row));
  const ratios: number[] = [];
  let perSecond = 0;
  for (let round = 0; round <= rounds; round++) {
    let count = 0;
    const ours = await timed(() => playAll(registries, () => count++));
    const bare = await timed(() => digestAll(rows));
    // The first round compiles.
    if (round === 0) continue;
    ratios.push(bare / ours);
    perSecond = (count / ours) * 1000;
  }
  ratios.sort((a, b) => a - b);
  return [
    judge(
      {
        name: "environment steps, in memory",
        against: "stringify and digest the rows",
        ratio: ratios[ratios.length >> 1] as number,
        note: `${Math.round(perSecond).toLocaleString("en-US")} steps a second`,
      },
      { atLeast: 0.5 },
    ),
  ];
}

function digestAll(rows: readonly StepRecord[]): void {
  for (const row of rows) sha256Hex(JSON.stringify(row));
}

function playAll(registries: readonly EpisodeRegistry[], take: (row: StepRecord) => void): void {
  for (const registry of registries) {
    let state = beginEpisode(registry, registry.brief.episode_id);
    const seen: string[] = [];
    for (const make of script) {
      const outcome = step(state, make(seen));
      for (const { record } of outcome.steps) take(record);
      for (const { artifact } of outcome.artifacts) seen.push(artifact.artifact_id);
      if (outcome.refusal !== undefined) throw new Error(outcome.refusal.message);
      state = outcome.state;
    }
  }
}

const scope = { anchor_market: "BTC", window_id: windows[1] as string };
const script: ((seen: readonly string[]) => Proposal)[] = [
  () => ({ action_name: "read_derived_metrics", action_args: scope }),
  ([id = ""]) => ({ action_name: "keep_artifact", action_args: { artifact_id: id } }),
  () => ({ action_name: "read_persistence", action_args: scope }),
  ([, id = ""]) => ({ action_name: "keep_artifact", action_args: { artifact_id: id } }),
  () => ({ action_name: "read_market_state", action_args: scope }),
  () => ({
    action_name: "branch_subquery",
    action_args: {
      arguments: { anchor_market: "BTC", window_ids: windows },
      subquery_type: "derived_metrics",
    },
  }),
  ([, id = ""]) => ({ action_name: "drop_artifact", action_args: { artifact_id: id } }),
  () => ({
    action_name: "decision_update",
    action_args: { stop_candidate: { confidence: 0.7, leaning: "finalize_signal" } },
  }),
  ([id = ""]) => ({
    action_name: "finalize",
    action_args: {
      decision_class: "finalize_signal",
      open_risks: ["one view only"],
      retained_artifact_ids: [id],
      stop_reason: "evidence_sufficient",
    },
  }),
];

function episode(i: number): EpisodeRecord {
  const view = (
    window: string,
    payload: EpisodeRecord["environment_views"]["persistence"][number]["payload"],
  ) => ({
    anchor_market: "BTC",
    payload,
    source_refs: ["bench"],
    window_id: window,
  });
  return {
    anchor_market: "BTC",
    environment_views: {
      derived_metrics: windows.map((window) =>
        view(window, { funding_z: "4.2", history_hours: 168, return_24h: "0.01" }),
      ),
      market_state: windows.map((window) => view(window, { close: "64000.5", funding: "0.0001" })),
      peer_comparisons: [],
      persistence: [view(windows[1] as string, { earlier_stresses: 4, persisted: 3 })],
      prior_episode_shortlists: [],
    },
    episode_id: `ep-${String(i).padStart(6, "0")}`,
    ground_truth_reference: { evidence: [], outcome: {}, truth: "finalize_signal" },
    query: "Will it last?",
    step_budget: 12,
    token_budget_class: "medium",
    window_id: windows[1] as string,
  };
}
