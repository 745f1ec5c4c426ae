/**
 * How many environment steps a second: each proposal checked, the working set
 * copied, the row written as canonical JSON and chained by digest. Against a loop
 * that does nothing but stringify and digest the same rows; and a whole run from a
 * pack into a folder, its last sync included, against the steps alone.
 *
 * An episode's artifacts are made when they are first read. That is part of every
 * run, so rounds begin with fresh episodes; steps alone are measured as well, on
 * episodes whose artifacts were read before.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { nodePorts, sha256Hex } from "@bridle/record";
import {
  beginEpisode,
  driveEpisode,
  EpisodeRegistry,
  openPack,
  type Pack,
  type Policy,
  type Proposal,
  runPack,
  step,
} from "@bridle/search";
import { computed, judge, type Line, timed } from "./measure.js";
import { benchEpisode, benchWindows, writeBenchPack } from "./search-pack.js";

const episodes = 4_000;
const rounds = 9;
const { signal } = new AbortController();
const ports = nodePorts();

export async function benchSearch(folder: string): Promise<Line[]> {
  const records = Array.from({ length: episodes }, (_, i) => benchEpisode(i));
  const pack = await openPack(await writeBenchPack(join(folder, "packs"), episodes), ports);
  const fresh = () => records.map((record) => new EpisodeRegistry("pack_bench", record));
  const known = fresh();
  const rows = rowsOf(known);
  const warmUp = async () => {
    playAll(fresh().slice(0, episodes / 4), {});
    await runNowhere(pack, episodes / 4);
  };
  const ratios = { bare: [] as number[], known: [] as number[], disk: [] as number[], same: [] as number[] };
  let [steps, stepsMs, runMs] = [0, 0, 0];
  for (let round = 0; round <= rounds; round++) {
    const ours = await timed(() => (steps = playAll(fresh(), {})), warmUp);
    const oursComputed = await computed(() => playAll(fresh(), {}), warmUp);
    const bare = await computed(() => digestAll([...rows.artifacts, ...rows.steps]), warmUp);
    const stepsAlone = await computed(() => playAll(known, {}), warmUp);
    const bareSteps = await computed(() => digestAll(rows.steps), warmUp);
    const out = join(folder, "runs", String(round));
    const run = await timed(
      () => runPack({ pack, policy: played, out, ports, signal, codeRevision: "bench" }),
      warmUp,
    );
    const nowhere = await timed(() => runNowhere(pack), warmUp);
    rmSync(out, { recursive: true });
    // The first round compiles.
    if (round === 0) continue;
    ratios.bare.push(bare / oursComputed);
    ratios.known.push(bareSteps / stepsAlone);
    ratios.disk.push(ours / run);
    ratios.same.push(nowhere / run);
    [stepsMs, runMs] = [ours, run];
  }
  await pack.close();
  const rate = (ms: number) => `${Math.round((steps / ms) * 1000).toLocaleString("en-US")} steps a second`;
  const name = "a run from a pack, its log on disk";
  return [
    judge(
      {
        name: "environment steps, in memory",
        against: "stringify and digest the rows",
        ratio: middle(ratios.bare),
        note: rate(stepsMs),
      },
      { atLeast: 0.5 },
    ),
    judge(
      {
        name: "… of artifacts that were read before",
        against: "stringify and digest the rows",
        ratio: middle(ratios.known),
      },
      { atLeast: 0.5 },
    ),
    judge(
      { name, against: "environment steps, in memory", ratio: middle(ratios.disk), note: rate(runMs) },
      { atLeast: 0.6 },
    ),
    judge({ name, against: "the same run, written nowhere", ratio: middle(ratios.same) }, { atLeast: 0.6 }),
  ];
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number;
}

const played: Policy = {
  policyId: "bench.v1",
  params: {},
  nondeterministicComponents: [],
  begin() {
    const seen: string[] = [];
    let next = 0;
    return {
      propose({ artifacts }) {
        for (const { artifact_id } of artifacts) seen.push(artifact_id);
        return (script[next++] as (typeof script)[number])(seen);
      },
    };
  },
};

/** What a run does without its folder. */
async function runNowhere(pack: Pack, most = Number.POSITIVE_INFINITY): Promise<void> {
  let left = most;
  for await (const record of pack.episodes()) {
    if (left-- <= 0) return;
    const registry = new EpisodeRegistry(pack.manifest.pack_id, record);
    await driveEpisode({ registry, policy: played, sink: { add() {} }, signal });
  }
}

function digestAll(rows: readonly object[]): void {
  for (const row of rows) sha256Hex(JSON.stringify(row));
}

function rowsOf(registries: readonly EpisodeRegistry[]): { artifacts: object[]; steps: object[] } {
  const rows = { artifacts: [] as object[], steps: [] as object[] };
  playAll(registries, rows);
  return { artifacts: [...new Set(rows.artifacts)], steps: rows.steps };
}

/** Returns the number of steps; `into` gets what was read, once for each read, and the steps. */
function playAll(
  registries: readonly EpisodeRegistry[],
  into: { readonly artifacts?: object[]; readonly steps?: object[] },
): number {
  let count = 0;
  for (const registry of registries) {
    let state = beginEpisode(registry, registry.brief.episode_id);
    const seen: string[] = [];
    for (const make of script) {
      const { artifacts, steps, refusal, state: next } = step(state, make(seen));
      for (const { artifact } of artifacts) {
        into.artifacts?.push(artifact);
        seen.push(artifact.artifact_id);
      }
      // A run writes the text of a step and never asks for its record.
      if (into.steps !== undefined) for (const { record } of steps) into.steps.push(record);
      count += steps.length;
      if (refusal !== undefined) throw new Error(refusal.message);
      state = next;
    }
  }
  return count;
}

const scope = { anchor_market: "BTC", window_id: benchWindows[1] };
const script: ((seen: readonly string[]) => Proposal)[] = [
  () => ({ action_name: "read_derived_metrics", action_args: scope }),
  ([id = ""]) => ({ action_name: "keep_artifact", action_args: { artifact_id: id } }),
  () => ({ action_name: "read_persistence", action_args: scope }),
  ([, id = ""]) => ({ action_name: "keep_artifact", action_args: { artifact_id: id } }),
  () => ({ action_name: "read_market_state", action_args: scope }),
  () => ({
    action_name: "branch_subquery",
    action_args: {
      arguments: { anchor_market: "BTC", window_ids: benchWindows },
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
