/** The clauses of SEARCH and TRAJ on whole runs, a small test each, read from the files as they are. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { type JsonObject, type Ports, sha256Hex } from "@bridle/record";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  abstain,
  branch,
  btc,
  drop,
  finalize,
  keep,
  propose,
  prune,
  update,
} from "../../../../test/support/episode-steps.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { sampleEpisode, windowIds } from "../../../../test/support/search-episode.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { bytesOf, never, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { openPack } from "../pack/open.js";
import { readEpisode } from "../pack/read-episode.js";
import type { Pack } from "../pack/types.js";
import type { Policy } from "../policy/types.js";
import type { Observation, Proposal } from "../types.js";
import { readEpisodeOf, verifyRun } from "./read.js";
import { reconstruct } from "./reconstruct.js";
import { replayRun } from "./replay.js";

const both = { anchor_market: "BTC", window_ids: [...windowIds] };
const artifact = (n: number) => ({ $artifact: n }) as never as string;

/** Every kind of step, in an order in which each is accepted. */
const script: readonly Proposal[] = [
  propose("read_market_state", btc),
  keep(artifact(1)),
  propose("read_persistence", btc),
  keep(artifact(2)),
  propose("compare_markets", { ...btc, peer_markets: ["ETH"] }),
  keep(artifact(3)),
  propose("retrieve_similar_prior_episodes", {
    anchor_market: "BTC",
    pattern_id_or_query: "funding_stress_up",
  }),
  branch("derived_metrics", both),
  drop(artifact(3)),
  prune([artifact(1)]),
  update(0.8, "finalize_signal"),
  finalize([artifact(2)]),
];

const ids = ["ep-a", "ep-b", "ep-c", "ep-d"];

async function packOf(base: string): Promise<Pack> {
  const episodes = ids.map((id) => sampleEpisode({ id, stepBudget: 20 }));
  const { folder } = await samplePack(join(base, "packs"), { episodes });
  return openPack(folder, ports);
}

async function scriptedRun({ jobs = 1, lines = script } = {}) {
  const base = newFastFolder();
  const pack = await packOf(base);
  const out = join(base, "run");
  await runIn({ pack, policy: await policyOf("scripted", { script: lines as never }), out, jobs });
  return { base, pack, out, rows: (name: string) => rowsOf(out, name) };
}

function rowsOf(folder: string, name: string): JsonObject[] {
  return Buffer.from(bytesOf(folder)[`${name}.jsonl`] ?? "", "latin1")
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

/** The rows of one episode. */
const of = (rows: readonly JsonObject[], id = "ep-a") => rows.filter((row) => row["episode_id"] === id);

/** Says what a script says, and keeps count of who asked for what. */
function watched(lines: readonly Proposal[]) {
  const seen = { begun: 0, observations: [] as Observation[] };
  const policy: Policy = {
    policyId: "watched.v1",
    params: {},
    nondeterministicComponents: [],
    begin() {
      seen.begun++;
      let next = 0;
      return {
        propose(observation) {
          seen.observations.push(observation);
          return lines[next++] ?? abstain([]);
        },
      };
    },
  };
  return { policy, seen };
}

/** What asks for a connection from here on, until the test is over. */
function watchNetwork(): readonly string[] {
  const asked: string[] = [];
  const note = (_message: unknown, name: string | symbol) => void asked.push(String(name));
  for (const channel of ["net.client.socket", "undici:request:create"]) {
    subscribe(channel, note);
    onTestFinished(() => void unsubscribe(channel, note));
  }
  return asked;
}

describe("a harness run", () => {
  it("[SEARCH-3.6] answers one question with a budget, tied to an episode of a pack", async () => {
    const { pack, rows } = await scriptedRun();
    const { query, step_budget, token_budget_class } = await pack.episode("ep-a");
    expect(of(rows("starts"))).toMatchObject([
      { pack_id: pack.manifest.pack_id, query, step_budget, token_budget_class },
    ]);
    const record = sampleEpisode();
    expect(() => readEpisode(JSON.stringify({ ...record, query: "" }), "here")).toThrow(/query/);
    expect(() => readEpisode(JSON.stringify({ ...record, step_budget: 201 }), "here")).toThrow(/step_budget/);
  });

  it("[SEARCH-3.7] takes one action at a time, and what it reads is what the pack holds", async () => {
    const base = newFastFolder();
    const pack = await packOf(base);
    const reads = ["read_market_state", "read_derived_metrics", "read_persistence"];
    const { policy, seen } = watched(reads.map((name) => propose(name, btc)));
    await runIn({ pack, policy, out: join(base, "run"), episodeIds: ["ep-a"] });
    expect(seen.observations.map(({ working_set }) => working_set.step_budget_remaining)).toEqual([
      20, 19, 18, 17,
    ]);
    const { environment_views: views } = await pack.episode("ep-a");
    const held = (["market_state", "derived_metrics", "persistence"] as const).map(
      (name) =>
        views[name].find((view) => view.anchor_market === "BTC" && view.window_id === btc.window_id)?.payload,
    );
    expect(
      seen.observations.slice(1).map(({ artifacts }) => artifacts.map(({ payload }) => payload)),
    ).toEqual(held.map((payload) => [payload]));
  });

  it("[SEARCH-3.9] [SEARCH-5.3.8] [TRAJ-4.3] has every keep, drop and prune in its steps", async () => {
    const { rows } = await scriptedRun();
    const edits = of(rows("steps")).filter(({ step_type }) => /keep|drop|prune/.test(String(step_type)));
    const [market, persistence, peers] = of(rows("steps")).flatMap(
      (row) => row["artifact_ids_read"] as string[],
    );
    expect(
      edits.map((row) => [row["step_type"], row["selected_artifact_ids"] ?? row["dropped_artifact_ids"]]),
    ).toEqual([
      ["keep_artifact", [market]],
      ["keep_artifact", [persistence]],
      ["keep_artifact", [peers]],
      ["drop_artifact", [peers]],
      ["prune_working_set", [market]],
    ]);
  });

  it("[SEARCH-3.10] ends in a structured decision", async () => {
    const { rows } = await scriptedRun();
    const terminals = rows("terminals");
    expect(terminals).toHaveLength(4);
    for (const terminal of terminals)
      expect(terminal).toMatchObject({
        decision_class: "finalize_signal",
        open_risks: ["thin book"],
        retained_evidence: [{ view_name: "persistence" }],
        stop_reason: "evidence_sufficient",
        terminal_action: "finalize",
      });
  });

  it("[SEARCH-4.2] reads nothing but its pack and its own folder", async () => {
    const base = newFastFolder();
    const { folder } = await packOf(base);
    const out = join(base, "run");
    const opened: string[] = [];
    const files = new Proxy(ports.files, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === "open" && args[1] === "read") opened.push(String(args[0]));
          return member.apply(target, args) as unknown;
        };
      },
    });
    const watching: Ports = { ...ports, files };
    const pack = await openPack(folder, watching);
    await runIn({ pack, policy: await policyOf("random", { seed: 4 }), out, ports: watching });
    expect(opened).toContain(join(folder, "episodes.jsonl"));
    for (const path of opened)
      expect(
        [folder, out].some((own) => path.startsWith(`${own}/`)),
        path,
      ).toBe(true);
  });

  it("[SEARCH-4.5] [SEARCH-4.7] goes to no network, neither to search nor for data, live or replayed", async () => {
    const watch = watchNetwork();
    const { pack, out } = await scriptedRun();
    await replayRun({ folder: out, pack, ports, signal: never });
    // What was set off meanwhile shows itself in the turns after.
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(watch).toEqual([]);
    // The watch is awake: nobody listens there, and the attempt is seen.
    await fetch("http://127.0.0.1:47999/").catch(() => {});
    expect(watch).not.toEqual([]);
  });

  it("[SEARCH-7.7] asks its policy once for a branch, and begins it once", async () => {
    const base = newFastFolder();
    const { policy, seen } = watched([branch("derived_metrics", both)]);
    const pack = await packOf(base);
    await runIn({ pack, policy, out: join(base, "run"), episodeIds: ["ep-a"] });
    expect(seen.begun).toBe(1);
    expect(seen.observations.map(({ working_set }) => working_set.step_budget_remaining)).toEqual([20, 17]);
  });

  it("[SEARCH-2.10] can be replayed from its rows: same steps, same terminals", async () => {
    const { pack, out } = await scriptedRun();
    const replay = await replayRun({ folder: out, pack, ports, signal: never });
    expect(replay).toMatchObject({ complete: 4, refusalsAsRecorded: 0, status: "complete" });
  });

  it("[SEARCH-10.3] has its episodes in the order of the pack, whichever ended first", async () => {
    const { rows } = await scriptedRun({ jobs: 3 });
    for (const name of ["starts", "terminals", "episodes"])
      expect(rows(name).map((row) => row["episode_id"])).toEqual(ids);
  });

  it("[SEARCH-10.5] [TRAJ-5.7] has its steps in the order of step_index, each time", async () => {
    const [one, two] = [await scriptedRun(), await scriptedRun({ jobs: 3 })];
    expect(two.rows("steps")).toEqual(one.rows("steps"));
    for (const id of ids) {
      const indexes = of(one.rows("steps"), id).map((row) => row["step_index"]);
      expect(indexes).toEqual(Array.from({ length: 14 }, (_, i) => i + 1));
    }
  });
});

describe("the log of a run", () => {
  it("[TRAJ-4.2] has a step for every read, also of a branch", async () => {
    const { rows } = await scriptedRun();
    const reads = of(rows("steps")).filter(({ step_type }) => step_type === "env_read");
    expect(reads.map(({ action_name }) => action_name)).toEqual([
      "read_market_state",
      "read_persistence",
      "compare_markets",
      "retrieve_similar_prior_episodes",
      "read_derived_metrics",
      "read_derived_metrics",
    ]);
  });

  it("[TRAJ-4.5] ends with the step of the terminal, which is the only one of its kind", async () => {
    const { out, rows } = await scriptedRun();
    const steps = of(rows("steps"));
    expect(steps.map((row) => row["terminal_action"])).toEqual([
      ...Array<undefined>(13).fill(undefined),
      "finalize",
    ]);
    const { steps: recorded } = await readEpisodeOf(out, "ep-a", ports);
    expect(of(rows("terminals"))[0]?.["head_digest"]).toBe(sha256Hex(recorded.at(-1)?.text ?? ""));
  });

  it("[TRAJ-4.7] says of every artifact that a step read where it came from", async () => {
    const { rows } = await scriptedRun();
    const sources = new Map(rows("artifacts").map((row) => [row["artifact_id"], row["source_refs"]]));
    const read = rows("steps").flatMap((row) => row["artifact_ids_read"] as string[]);
    expect(read).toHaveLength(24);
    for (const id of read) expect(sources.get(id)).toEqual(["sample:BTC"]);
  });

  it("[TRAJ-8.5] is enough to know what was in view at every step", async () => {
    const base = newFastFolder();
    const pack = await packOf(base);
    const scripted = await policyOf("scripted", { script: script as never });
    const seen: Observation[] = [];
    const policy: Policy = {
      ...scripted,
      begin(brief, options) {
        const inner = scripted.begin(brief, options);
        return { propose: (observation) => (seen.push(observation), inner.propose(observation)) };
      },
    };
    const out = join(base, "run");
    await runIn({ pack, policy, out, episodeIds: ["ep-a"] });
    expect((await verifyRun(out, ports)).status).toBe("complete");
    const recorded = await readEpisodeOf(out, "ep-a", ports);
    for (const { active_artifacts, token_budget_remaining, working_set } of seen) {
      const past = reconstruct(recorded, 20 - working_set.step_budget_remaining);
      expect(past).toMatchObject({ active: active_artifacts, token_budget_remaining, working_set });
    }
    expect(seen.map(({ active_artifacts }) => active_artifacts.length)).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3, 3, 2, 1, 1,
    ]);
  });
});
