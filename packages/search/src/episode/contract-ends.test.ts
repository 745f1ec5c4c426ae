/** The clauses of SEARCH on branches and on how an episode ends, a small test each. */
import { sha256Hex } from "@bridle/record";
import { describe, expect, it } from "vitest";
import {
  abstain,
  begin,
  branch,
  btc,
  finalize,
  keep,
  playLast,
  propose,
  withKept,
} from "../../../../test/support/episode-steps.js";
import { windowIds } from "../../../../test/support/search-episode.js";
import { observe, workingSetOf } from "./state.js";
import { abstainFor, step } from "./step.js";

const both = { anchor_market: "BTC", window_ids: [...windowIds] };

describe("a subquery", () => {
  const nested = branch("derived_metrics", { arguments: both, subquery_type: "derived_metrics" });

  it("[SEARCH-6.3.1] [SEARCH-7.5] runs a bounded turn whose artifacts are in the registry of the episode", () => {
    const asked = playLast(begin(), branch("persistence_check", both));
    expect(asked.artifacts).toHaveLength(2);
    for (const { artifact } of asked.artifacts) {
      expect(asked.state.registry.get(artifact.artifact_id)?.artifact).toEqual(artifact);
      expect(step(asked.state, keep(artifact.artifact_id)).state.activeIds).toEqual([artifact.artifact_id]);
    }
  });

  it("[SEARCH-4.3] [SEARCH-7.1] [SEARCH-4.6] holds no other", () => {
    for (const proposal of [nested, branch("branch_subquery", both)]) {
      const refused = step(begin(), proposal);
      expect(refused.refusal?.class).toBe("branch_nested");
      expect([refused.steps, refused.artifacts]).toEqual([[], []]);
    }
  });

  it("[SEARCH-7.2] is named by its type in the step and in the history", () => {
    const asked = playLast(begin(), branch("peer_comparison", { ...both, peer_markets: ["ETH"] }));
    expect(asked.steps[0]?.record.subquery_type).toBe("peer_comparison");
    expect(workingSetOf(asked.state).branch_history).toMatchObject([{ subquery_type: "peer_comparison" }]);
    expect(step(begin(), branch("everything", both)).refusal?.class).toBe("subquery_type_unknown");
  });

  it("[SEARCH-7.3] carries arguments that fit its type", () => {
    for (const args of [{ anchor_market: "BTC" }, { ...both, depth: 2 }, { ...both, window_ids: "all" }]) {
      expect(step(begin(), branch("derived_metrics", args)).refusal?.class).toBe("args_invalid");
    }
    const asked = playLast(begin(), branch("derived_metrics", both));
    expect(asked.steps[0]?.record.action_args["arguments"]).toEqual(both);
  });

  it("[SEARCH-7.6] is of one of the four types that the contract names", () => {
    const readBy = (type: string, args: object) =>
      step(begin(), branch(type, { anchor_market: "BTC", ...args })).steps.map(
        ({ record }) => record.action_name,
      )[1];
    const window_ids = [windowIds[1]];
    expect([
      readBy("derived_metrics", { window_ids }),
      readBy("persistence_check", { window_ids }),
      readBy("peer_comparison", { peer_markets: ["ETH"], window_ids }),
      readBy("prior_episode_lookup", { patterns: ["funding_stress_up"] }),
    ]).toEqual([
      "read_derived_metrics",
      "read_persistence",
      "compare_markets",
      "retrieve_similar_prior_episodes",
    ]);
  });
});

describe("the end of an episode", () => {
  it("[SEARCH-6.3.2] finalize takes class, artifacts, reason and risks, and completes the episode", () => {
    const { state, ids } = withKept();
    const ended = step(state, finalize([ids[1]], "finalize_low_signal"));
    expect(ended.terminal?.record).toMatchObject({
      decision_class: "finalize_low_signal",
      open_risks: ["thin book"],
      retained_artifact_ids: [ids[1]],
      stop_reason: "evidence_sufficient",
    });
    expect(observe(ended.state).ended).toBe(true);
    for (const missing of ["decision_class", "open_risks", "retained_artifact_ids", "stop_reason"]) {
      const { [missing]: _left, ...rest } = finalize([]).action_args;
      expect(step(begin(), propose("finalize", rest)).refusal?.class).toBe("args_invalid");
    }
  });

  it("[SEARCH-6.3.3] abstain takes artifacts, reason and risks, and completes the episode without a decision", () => {
    const { state, ids } = withKept();
    const ended = step(state, abstain([ids[0]]));
    expect(ended.terminal?.record).toMatchObject({ decision_class: null, retained_artifact_ids: [ids[0]] });
    expect(observe(ended.state).ended).toBe(true);
    for (const missing of ["open_risks", "retained_artifact_ids", "stop_reason"]) {
      const { [missing]: _left, ...rest } = abstain([]).action_args;
      expect(step(begin(), propose("abstain", rest)).refusal?.class).toBe("args_invalid");
    }
  });

  it("[SEARCH-6.3.5] does not take an abstention for a decision", () => {
    expect(step(begin(), finalize([], "abstain")).refusal?.class).toBe("args_invalid");
  });

  it("[SEARCH-8.1] comes once: afterwards nothing is accepted and nothing written", () => {
    const ended = playLast(begin(), finalize([]));
    for (const proposal of [abstain([]), finalize([]), propose("read_market_state", btc)]) {
      const after = step(ended.state, proposal);
      expect(after.refusal?.class).toBe("episode_ended");
      expect([after.steps, after.terminal, after.refusalRow]).toEqual([[], undefined, undefined]);
    }
  });

  it("[SEARCH-8.3] has one of two classes when it is a decision", () => {
    for (const given of ["finalize_signal", "finalize_low_signal"])
      expect(step(begin(), finalize([], given)).terminal?.record.decision_class).toBe(given);
    for (const given of ["abstain", "finalize", "finalize_unclear"])
      expect(step(begin(), finalize([], given)).refusal?.class).toBe("args_invalid");
  });

  it("[SEARCH-8.4] has the class null when it is an abstention, also one by the harness", () => {
    const ends = [step(begin(), abstain([])), abstainFor(begin(), "policy_failed", "no key")];
    for (const { terminal } of ends)
      expect(terminal?.record).toMatchObject({ decision_class: null, terminal_action: "abstain" });
  });

  it("[SEARCH-8.5] shows the retained artifacts and no others", () => {
    const { state, ids } = withKept();
    expect(step(state, finalize([ids[2]])).terminal?.record.retained_evidence).toEqual([
      {
        anchor_market: "BTC",
        artifact_id: ids[2],
        artifact_type: "view",
        payload_digest: sha256Hex('{"earlier":4,"persisted":3}'),
        summary: `persistence BTC ${windowIds[1]}: earlier 4, persisted 3`,
        view_name: "persistence",
        window_id: windowIds[1],
      },
    ]);
  });

  it("[SEARCH-10.6] has the same members whatever it is", () => {
    const members = [finalize([]), finalize([], "finalize_low_signal"), abstain([])].map((proposal) =>
      Object.keys(step(begin(), proposal).terminal?.record ?? {}),
    );
    expect(members[1]).toEqual(members[0]);
    expect(members[2]).toEqual(members[0]);
    expect(members[0]).toContain("decision_class");
  });
});
