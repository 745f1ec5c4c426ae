/** The edges of an episode's bounds: what is just allowed, and what is just not. */
import { canonicalJson } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { sampleEpisode, windowIds } from "../../../../test/support/search-episode.js";
import type { EpisodeWithTruth, Proposal, View } from "../types.js";
import { tokenBudgets } from "../types.js";
import { cut, estimateTokens, holdArtifact, loaderOf } from "./artifact.js";
import { bestPattern, wordsOf } from "./pattern.js";
import { EpisodeRegistry } from "./registry.js";
import { stepId } from "./row.js";
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

describe("words for an artifact", () => {
  const artifact = (payload: View["payload"]) => ({
    ...{ anchor_market: "BTC", artifact_id: "a", artifact_type: "t", source_refs: [], window_id: "w" },
    ...{ payload, view_name: "persistence" as const },
  });
  const summary = (payload: View["payload"], loader?: "1" | "2") =>
    holdArtifact(artifact(payload) as never, loader).summary;

  it("are its plain members in their order, lists by their length, objects left out", () => {
    expect(summary({ a: 1, b: [1, 2], c: { d: 1 }, e: null, f: "x" })).toBe(
      "persistence BTC w: a 1, b (2), e null, f x",
    );
    expect(summary({})).toBe("persistence BTC w");
  });

  it("end between two members from the second loader on, and at a character in the first", () => {
    const payload = { a: "x".repeat(100), b: "y".repeat(100), c: "z".repeat(100) };
    const head = `persistence BTC w: a ${payload.a}, b ${payload.b}`;
    expect(summary(payload)).toBe(`${head}, …`);
    expect(summary(payload, "1")).toBe(`${`${head}, c ${payload.c}`.slice(0, 239)}…`);
    expect([loaderOf({ schema_version: "hlq.replay_pack.v1" }), loaderOf({ schema_version: "v2" })]).toEqual([
      ...["1", "2"],
    ]);
    // Exactly as much as fits with what says that there is more.
    const fits = { a: "x".repeat(240 - 3 - "persistence BTC w: a ".length) };
    expect(summary(fits)).toBe(`persistence BTC w: a ${fits.a}`);
    expect(summary({ a: `${fits.a}x` })).toBe("persistence BTC w, …");
  });

  it("are on one line, of single spaces, and hold no half character", () => {
    expect(cut(" a\n\tb  c ", 9)).toBe("a b c");
    expect(cut("a b", 3)).toBe("a b");
    expect(cut("abcd", 3)).toBe("ab…");
    expect(cut("a😀cd", 3)).toBe("a…");
    expect(cut("ab😀d", 4)).toBe("ab…");
  });
});

describe("a pattern", () => {
  const item = (pattern_id: string, ...words: readonly string[]) => ({ pattern_id, words, episodes: [] });
  const best = (items: readonly ReturnType<typeof item>[], asked: string) =>
    bestPattern(items, asked, (each) => each)?.pattern_id;
  const items = [item("stress_up", "longs pay"), item("stress_down", "shorts pay"), item("calm", "nothing")];

  it("is found by its id, or by the words it shares, whatever their case and order", () => {
    expect(best(items, "calm")).toBe("calm");
    expect(best(items, "do SHORTS pay?")).toBe("stress_down");
    expect(best(items, "zebra")).toBeUndefined();
    expect(wordsOf("b A, b-a é")).toEqual(["a", "b", "é"]);
  });

  it("of two that share as many words is the one whose id comes first", () => {
    expect(best(items, "stress pay")).toBe("stress_down");
    expect(best(items.toReversed(), "stress pay")).toBe("stress_down");
    // The id itself is preferred to more words.
    expect(best([item("a", "b c"), item("b c")], "b c")).toBe("b c");
    expect(best([item("x", "a b"), item("y", "a b c")], "a b c")).toBe("y");
  });
});

describe("what a policy proposed and was refused", () => {
  const refusedArgs = (action_args: Proposal["action_args"]) => {
    const outcome = step(begin(sampleEpisode()), act("read_market_state", action_args));
    return (JSON.parse(outcome.refusalRow?.text ?? "{}") as { action_args: unknown }).action_args;
  };

  it("is written down whole up to two thousand characters, then by its beginning and a digest", () => {
    const bare = JSON.stringify({ text: "" }).length;
    const exact = { text: "x".repeat(2_000 - bare) };
    expect(refusedArgs(exact)).toEqual(exact);
    expect(refusedArgs({ text: `${exact.text}x` })).toEqual({
      cut: expect.stringMatching(/^\{"text":"x{190}…$/) as string,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(refusedArgs({ "a\ud800": ["\ud800", { b: 1 }] })).toEqual({ "a\ufffd": ["\ufffd", { b: 1 }] });
  });

  it("is told what may have been meant", () => {
    const message = (name: string) => step(begin(sampleEpisode()), act(name, {})).refusal?.message;
    expect(message("read_market_stat")).toBe(
      "there is no action read_market_stat; did you mean read_market_state?",
    );
    expect(message("zzzzzzzzzz")).toBe("there is no action zzzzzzzzzz");
    expect(step(begin(sampleEpisode()), act("finalize", "yes" as never)).refusal).toMatchObject({
      class: "args_invalid",
      message: "finalize takes an object of arguments",
    });
  });
});

describe("a comparison of some markets", () => {
  it("ranks those that are there and names those that are not, in order", () => {
    const compared = step(
      begin(sampleEpisode()),
      act("compare_markets", {
        ...{ anchor_market: "BTC", peer_markets: ["SOL", "ETH"], window_id: windowIds[1] },
      }),
    ).artifacts[0]?.artifact.payload;
    expect(compared).toMatchObject({ missing: [], ranked_by: "funding_z" });
    expect(
      ((compared?.["rows"] ?? []) as { market: string; rank: number }[]).map(({ market, rank }) => [
        market,
        rank,
      ]),
    ).toEqual([
      ["BTC", 1],
      ["SOL", 2],
      ["ETH", 3],
    ]);
    const base = sampleEpisode();
    const rows = [{ market: "BTC" }];
    const view: View = { ...btc, payload: { ranked_by: "size", rows }, source_refs: [] };
    const few = { ...base, environment_views: { ...base.environment_views, peer_comparisons: [view] } };
    const asked = { anchor_market: "BTC", peer_markets: ["SOL", "ETH"], window_id: windowIds[1] };
    expect(step(begin(few), act("compare_markets", asked)).artifacts[0]?.artifact.payload).toMatchObject({
      missing: ["ETH", "SOL"],
    });
  });
});

describe("the id of a step", () => {
  it("is its number in four digits, also beyond those that are made ahead", () => {
    expect([0, 7, 255, 256, 9_999, 10_000].map(stepId)).toEqual([
      ...["s-0000", "s-0007", "s-0255", "s-0256", "s-9999", "s-10000"],
    ]);
  });
});
