/**
 * The clauses of SEARCH on what a policy can do, read and keep, a small test each.
 * What holds of any sequence of proposals stands in step.test.ts.
 */
import { describe, expect, it } from "vitest";
import {
  abstain,
  begin,
  beginOn,
  branch,
  btc,
  drop,
  finalize,
  idOf,
  keep,
  play,
  playLast,
  propose,
  prune,
  update,
  withKept,
} from "../../../../test/support/episode-steps.js";
import { marketNames, sampleEpisode, windowIds } from "../../../../test/support/search-episode.js";
import { type EpisodeWithTruth, proposalNames, type View, type ViewName } from "../types.js";
import { proposalArgs } from "./args.js";
import { observe, workingSetOf } from "./state.js";
import { step } from "./step.js";

const both = { anchor_market: "BTC", window_ids: [...windowIds] };

describe("what a policy can do", () => {
  it("[SEARCH-2.1] inspects evidence over several steps, the same each time", () => {
    const names = ["read_market_state", "read_derived_metrics", "read_persistence", "read_market_state"];
    const payloads = () =>
      play(begin(), ...names.map((name) => propose(name, btc))).map(
        ({ artifacts }) => artifacts[0]?.artifact.payload,
      );
    expect(payloads()).toMatchObject([
      { close: "64000.5" },
      { funding_z: "4.2" },
      { persisted: 3 },
      { close: "64000.5" },
    ]);
    expect(payloads()).toEqual(payloads());
  });

  it("[SEARCH-2.2] keeps evidence in a working set, and drops it from there", () => {
    const { state, ids } = withKept();
    expect(workingSetOf(state).active_artifact_ids).toEqual(ids);
    expect(workingSetOf(playLast(state, drop(ids[1])).state).active_artifact_ids).toEqual([ids[0], ids[2]]);
  });

  it("[SEARCH-2.3] branches into a shallow subquery", () => {
    const asked = playLast(begin(), branch("derived_metrics", both));
    expect(asked.artifacts.map(({ artifact }) => artifact.window_id)).toEqual([...windowIds]);
  });

  it("[SEARCH-2.4] stops with a decision or with an abstention", () => {
    expect(playLast(begin(), finalize([])).terminal?.record).toMatchObject({
      decision_class: "finalize_signal",
      terminal_action: "finalize",
    });
    expect(playLast(begin(), abstain([])).terminal?.record).toMatchObject({
      decision_class: null,
      terminal_action: "abstain",
    });
  });

  it("[SEARCH-2.8] reads no more than its step budget, eight reads in a branch and 64 peers", () => {
    const read = propose("read_market_state", btc);
    expect(play(begin({ stepBudget: 2 }), read, read, read).map(({ artifacts }) => artifacts.length)).toEqual(
      [1, 1, 0],
    );
    const patterns = Array.from({ length: 9 }, (_, i) => `pattern ${i}`);
    const lookup = (asked: readonly string[]) =>
      playLast(
        begin({ stepBudget: 30 }),
        branch("prior_episode_lookup", { anchor_market: "BTC", patterns: asked }),
      );
    expect(lookup(patterns.slice(1)).artifacts).toHaveLength(8);
    expect(lookup(patterns).refusal?.class).toBe("args_invalid");
    const peers = (count: number) =>
      playLast(
        begin(),
        propose("compare_markets", { ...btc, peer_markets: Array<string>(count).fill("ETH") }),
      );
    expect(peers(64).refusal).toBeUndefined();
    expect(peers(65).refusal?.class).toBe("args_invalid");
  });

  it("[SEARCH-2.9] changes nothing without a row that says so, and no state that there was", () => {
    const { state, ids } = withKept();
    const before = JSON.stringify(workingSetOf(state));
    const refused = step(state, keep("art_none"));
    expect(refused.steps).toEqual([]);
    expect(JSON.stringify(workingSetOf(refused.state))).toBe(before);
    for (const proposal of [
      propose("read_market_state", btc),
      drop(ids[0]),
      prune(ids),
      update(0.5, "abstain"),
    ]) {
      const outcome = step(state, proposal);
      expect(outcome.steps).toHaveLength(1);
      expect(outcome.state.headDigest).toBe(outcome.steps[0]?.digest);
    }
    expect(JSON.stringify(workingSetOf(state))).toBe(before);
  });
});

describe("the action set", () => {
  it("[SEARCH-4.4] is bounded: any other name is refused", () => {
    for (const name of ["read_anything", "web_search", "env_read", "", "constructor"]) {
      expect(step(begin(), propose(name, btc)).refusal?.class, name).toBe("action_unknown");
    }
    expect(proposalNames).toHaveLength(12);
  });

  it("[SEARCH-1.1] takes the arguments that version 1 froze", () => {
    const members = Object.fromEntries(
      Object.entries(proposalArgs).map(([name, { properties }]) => [name, Object.keys(properties).join(" ")]),
    );
    expect(members).toEqual({
      read_market_state: "anchor_market window_id",
      read_derived_metrics: "anchor_market window_id",
      read_persistence: "anchor_market window_id",
      compare_markets: "anchor_market peer_markets window_id",
      retrieve_similar_prior_episodes: "anchor_market pattern_id_or_query",
      keep_artifact: "artifact_id",
      drop_artifact: "artifact_id",
      prune_working_set: "artifact_ids reason",
      branch_subquery: "arguments subquery_type",
      finalize: "decision_class open_risks retained_artifact_ids stop_reason",
      abstain: "decision_class open_risks retained_artifact_ids stop_reason",
      decision_update: "stop_candidate",
    });
  });

  it("[SEARCH-6.1.1] read_market_state returns the snapshot of one market and window", () => {
    expectOwnView("read_market_state", "market_state");
  });

  it("[SEARCH-6.1.2] read_derived_metrics returns the metrics of one market and window", () => {
    expectOwnView("read_derived_metrics", "derived_metrics");
  });

  it("[SEARCH-6.1.3] read_persistence returns what came of earlier cases of one market and window", () => {
    expectOwnView("read_persistence", "persistence");
  });

  function expectOwnView(name: string, view: ViewName): void {
    const record = everywhere();
    for (const anchor_market of marketNames) {
      for (const window_id of windowIds) {
        const { artifacts } = step(beginOn(record), propose(name, { anchor_market, window_id }));
        expect(artifacts.map(({ artifact }) => artifact)).toMatchObject([
          {
            anchor_market,
            payload: { of: `${view} ${anchor_market} ${window_id}` },
            view_name: view,
            window_id,
          },
        ]);
      }
    }
    for (const missing of ["anchor_market", "window_id"]) {
      const { [missing as "window_id"]: _left, ...rest } = btc;
      expect(step(begin(), propose(name, rest)).refusal?.class).toBe("args_invalid");
    }
  }
});

/** The sample with a view of each plain kind for every market and window, each saying which it is. */
function everywhere(): EpisodeWithTruth {
  const record = sampleEpisode();
  const every = (name: ViewName): View[] =>
    marketNames.flatMap((anchor_market) =>
      windowIds.map((window_id) => ({
        anchor_market,
        payload: { of: `${name} ${anchor_market} ${window_id}` },
        source_refs: [name],
        window_id,
      })),
    );
  return {
    ...record,
    environment_views: {
      ...record.environment_views,
      derived_metrics: every("derived_metrics"),
      market_state: every("market_state"),
      persistence: every("persistence"),
    },
  };
}

describe("the environment", () => {
  it("[SEARCH-5.1.1] is the whole of the episode: every view of the record can be read", () => {
    const record = everywhere();
    const actions = {
      market_state: "read_market_state",
      derived_metrics: "read_derived_metrics",
      persistence: "read_persistence",
    } as const;
    for (const [view, name] of Object.entries(actions)) {
      for (const { anchor_market, window_id, payload } of record.environment_views[
        view as keyof typeof actions
      ]) {
        const read = step(beginOn(record), propose(name, { anchor_market, window_id }));
        expect(read.artifacts[0]?.artifact.payload).toEqual(payload);
      }
    }
    for (const { payload } of record.environment_views.prior_episode_shortlists) {
      const asked = { anchor_market: "BTC", pattern_id_or_query: String(payload["pattern_id"]) };
      const read = step(beginOn(record), propose("retrieve_similar_prior_episodes", asked));
      expect(read.artifacts[0]?.artifact.payload).toEqual(payload);
    }
    const compared = step(
      beginOn(record),
      propose("compare_markets", { ...btc, peer_markets: [...marketNames] }),
    );
    expect(compared.artifacts[0]?.artifact.payload["rows"]).toMatchObject(
      record.environment_views.peer_comparisons[0]?.payload["rows"] as object,
    );
  });

  it("[SEARCH-5.2.1] gives each view an id of its own, whenever it is read", () => {
    const reads = ["read_market_state", "read_derived_metrics", "read_persistence"].flatMap((name) =>
      windowIds.map((window_id) => propose(name, { ...btc, window_id })),
    );
    const ids = play(begin(), ...reads).map(idOf);
    expect(new Set(ids).size).toBe(6);
    expect(
      play(begin(), ...reads.toReversed())
        .map(idOf)
        .toReversed(),
    ).toEqual(ids);
    expect(play(begin(), ...reads, ...reads.slice(0, 2)).map(idOf)).toEqual([...ids, ...ids.slice(0, 2)]);
  });

  it("[SEARCH-5.2.2] gives an artifact the seven members of the contract", () => {
    const artifact = playLast(begin(), propose("read_persistence", btc)).artifacts[0]?.artifact;
    expect(artifact).toEqual({
      anchor_market: "BTC",
      artifact_id: expect.stringMatching(/^art_[0-9a-f]{16}$/) as string,
      artifact_type: "view",
      payload: { earlier: 4, persisted: 3 },
      source_refs: ["sample:BTC"],
      view_name: "persistence",
      window_id: windowIds[1],
    });
  });

  it("[SEARCH-10.2] resolves ids alike, and [SEARCH-10.4] lists what there is alike, whatever the order of the views", () => {
    const record = sampleEpisode();
    const turned = Object.fromEntries(
      Object.entries(record.environment_views)
        .toReversed()
        .map(([name, views]) => [name, views.toReversed()]),
    ) as unknown as EpisodeWithTruth["environment_views"];
    const [one, other] = [beginOn(record), beginOn({ ...record, environment_views: turned })];
    expect(other.registry.brief).toEqual(one.registry.brief);
    expect(one.registry.brief.window_ids).toEqual([...windowIds]);
    const read = propose("read_market_state", btc);
    expect(step(other, read).artifacts).toEqual(step(one, read).artifacts);
  });
});

describe("the working set", () => {
  it("[SEARCH-5.3.1] [SEARCH-3.8] holds what the policy chose, not what the episode has", () => {
    const [market, metrics, kept] = play(
      begin(),
      propose("read_market_state", btc),
      propose("read_derived_metrics", btc),
      keep(idOf(playLast(begin(), propose("read_market_state", btc)))),
    );
    expect(kept?.state.activeIds).toEqual([idOf(market!)]);
    expect(kept?.state.registry.get(idOf(metrics!))).toBeDefined();
  });

  it("[SEARCH-5.3.2] has the six members of the contract", () => {
    expect(Object.keys(workingSetOf(withKept().state)).sort()).toEqual([
      "active_artifact_ids",
      "active_artifact_summaries",
      "branch_history",
      "context_pressure_class",
      "retrieval_history",
      "step_budget_remaining",
    ]);
  });

  it("[SEARCH-5.3.4] holds a kept artifact whole, and the registry has it still", () => {
    const read = playLast(begin(), propose("read_persistence", btc));
    const kept = step(read.state, keep(idOf(read)));
    expect(observe(kept.state).active_artifacts).toEqual([read.artifacts[0]?.artifact]);
    expect(step(kept.state, propose("read_persistence", btc)).artifacts).toEqual(read.artifacts);
  });

  it("[SEARCH-5.3.5] [SEARCH-5.3.6] loses what is dropped, which is still in the episode and can be kept again", () => {
    const { state, ids } = withKept();
    const dropped = step(state, drop(ids[0]));
    expect(observe(dropped.state).active_artifacts.map(({ artifact_id }) => artifact_id)).toEqual(
      ids.slice(1),
    );
    expect(workingSetOf(dropped.state).retrieval_history).toEqual(workingSetOf(state).retrieval_history);
    expect(step(dropped.state, keep(ids[0])).state.activeIds).toEqual([ids[1], ids[2], ids[0]]);
  });

  it("[SEARCH-5.3.7] is pruned of several artifacts in one step", () => {
    const { state, ids } = withKept();
    const pruned = step(state, prune([ids[0], ids[2]]));
    expect(pruned.steps).toHaveLength(1);
    expect(pruned.state.activeIds).toEqual([ids[1]]);
  });

  it("[SEARCH-6.2.1] keep_artifact adds one artifact that was read", () => {
    const read = playLast(begin(), propose("read_persistence", btc));
    expect(step(read.state, keep(idOf(read))).state.activeIds).toEqual([idOf(read)]);
    expect(step(begin(), keep(idOf(read))).refusal?.class).toBe("artifact_unknown");
  });

  it("[SEARCH-6.2.2] drop_artifact removes one artifact that is there", () => {
    const { state, ids } = withKept();
    const dropped = step(state, drop(ids[1]));
    expect(dropped.state.activeIds).toEqual([ids[0], ids[2]]);
    expect(step(dropped.state, drop(ids[1])).refusal?.class).toBe("artifact_not_kept");
  });

  it("[SEARCH-6.2.3] prune_working_set removes several and needs a reason", () => {
    const { state, ids } = withKept();
    expect(step(state, prune(ids, "superseded: by a later one")).state.activeIds).toEqual([]);
    const without = step(state, propose("prune_working_set", { artifact_ids: ids }));
    expect(without.refusal?.class).toBe("args_invalid");
  });
});
