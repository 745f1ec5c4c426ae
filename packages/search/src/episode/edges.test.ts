/** The edges of an episode's bounds: what is just allowed, and what is just not. */
import { canonicalJson } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { sampleEpisode, windowIds } from "../../../../test/support/search-episode.js";
import type { EpisodeWithTruth, Proposal, View } from "../types.js";
import { tokenBudgets } from "../types.js";
import { estimateTokens } from "./artifact.js";
import { EpisodeRegistry } from "./registry.js";
import { beginEpisode, type EpisodeState } from "./state.js";
import { type Outcome, step } from "./step.js";

const btc = { anchor_market: "BTC", window_id: windowIds[1] };

function begin(record: EpisodeWithTruth): EpisodeState {
  return beginEpisode(new EpisodeRegistry("pack_test", record), "start");
}

const act = (action_name: string, action_args: Proposal["action_args"]): Proposal => ({
  action_name,
  action_args,
});

/** A state view of exactly so many tokens. */
function ofTokens(tokens: number): EpisodeWithTruth {
  const base = sampleEpisode();
  const bare = canonicalJson({ text: "" });
  const payload = { text: "x".repeat(tokens * 4 - Buffer.byteLength(bare)) };
  expect(estimateTokens(canonicalJson(payload))).toBe(tokens);
  const view: View = { anchor_market: "BTC", payload, source_refs: [], window_id: windowIds[1] };
  return { ...base, environment_views: { ...base.environment_views, market_state: [view] } };
}

function readAndKeep(record: EpisodeWithTruth): Outcome {
  const read = step(begin(record), act("read_market_state", btc));
  const artifact_id = read.artifacts[0]?.artifact.artifact_id ?? "";
  return step(read.state, act("keep_artifact", { artifact_id }));
}

describe("a working set", () => {
  const budget = tokenBudgets[sampleEpisode().token_budget_class];

  it("may be filled exactly, and by not one token more", () => {
    const filled = readAndKeep(ofTokens(budget));
    expect(filled.refusal).toBeUndefined();
    expect(filled.state.activeTokens).toBe(budget);
    expect(readAndKeep(ofTokens(budget + 1)).refusal?.class).toBe("token_budget_exceeded");
  });
});

describe("a step budget", () => {
  it("may be spent to its last step by a branch, and by not one step more", () => {
    const branch = (count: number) =>
      act("branch_subquery", {
        arguments: { anchor_market: "BTC", window_ids: [...windowIds].slice(0, count) },
        subquery_type: "persistence_check",
      });
    const exact = step(begin(sampleEpisode({ stepBudget: 3 })), branch(2));
    expect(exact.refusal).toBeUndefined();
    expect(exact.state.stepsLeft).toBe(0);
    expect(step(begin(sampleEpisode({ stepBudget: 2 })), branch(2)).refusal?.class).toBe("step_budget_short");
  });
});

describe("a comparison", () => {
  it("serves the markets that are in it, and is not lent to one that is not", () => {
    const base = sampleEpisode();
    const rows = [{ market: "BTC" }, { market: "ETH" }];
    const view: View = { ...btc, payload: { ranked_by: "size", rows }, source_refs: ["s"] };
    const other: View = {
      anchor_market: "DOGE",
      payload: { close: "1" },
      source_refs: [],
      window_id: windowIds[1],
    };
    const record: EpisodeWithTruth = {
      ...base,
      environment_views: {
        ...base.environment_views,
        market_state: [...base.environment_views.market_state, other],
        peer_comparisons: [view],
      },
    };
    const compare = (anchor_market: string) =>
      step(
        begin(record),
        act("compare_markets", { anchor_market, peer_markets: ["BTC"], window_id: windowIds[1] }),
      ).artifacts[0]?.artifact.payload;
    expect(compare("ETH")).toMatchObject({ ranked_by: "size", missing: [] });
    expect(compare("DOGE")).toEqual({ empty: true });
  });
});
