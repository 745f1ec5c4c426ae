/** Each feature worked out by hand. Weights belong to a list of features, so the list and its scales stand here in numbers. */
import { describe, expect, it } from "vitest";
import type { Evidence } from "../evidence/evidence.js";
import type { Artifact } from "../types.js";
import {
  featureVersion,
  keepFeatureNames,
  keepFeatures,
  stopFeatureNames,
  stopFeatures,
} from "./features.js";

const names = [
  ...["score", "score_before", "rate_size", "interest_change", "premium_share", "return_1h", "flushed"],
  ...["return_24h", "volatility", "volume_ratio", "habit", "latest_persisted", "breadth", "peers_score"],
  ...["resembling", "pinned", "rates_before"],
];

const shown = (evidence: Evidence): Record<string, number> =>
  Object.fromEntries(stopFeatures(evidence).map((value, i) => [stopFeatureNames[i], value]));

describe("what a model is shown for stopping", () => {
  it("is one, and each of seventeen numbers with whether it is known, in this order and version", () => {
    expect(featureVersion).toBe("1");
    expect(stopFeatureNames).toEqual(["one", ...names.flatMap((name) => [name, `${name}_known`])]);
  });

  it("is zero and not known where there is no evidence", () => {
    expect(stopFeatures({})).toEqual([1, ...names.flatMap(() => [0, 0])]);
  });

  it.each<[string, Evidence, number]>([
    ["score", { score: 12 }, 8 / 16],
    ["score", { score: 1 }, -3 / 5],
    ["score_before", { scoreBefore: -2 }, -0.5],
    ["rate_size", { rate: 0.00015 }, 0.75],
    ["rate_size", { rate: -0.00005 }, 0.5],
    ["interest_change", { interestChange: 0.05 }, 0.5],
    ["premium_share", { premiumShare: 0.205 }, 0.5],
    ["premium_share", { premiumShare: 0.03 }, -0.2],
    ["return_1h", { return1h: -0.015 }, -0.5],
    // A fall against the stress counts from one hundredth on, and is whole at two.
    ["flushed", { return1h: -0.015 }, 0.5],
    ["flushed", { return1h: -0.03 }, 1],
    ["flushed", { return1h: -0.005 }, 0],
    ["return_24h", { return24h: 0.05 }, 0.5],
    ["volatility", { volatility: 0.03 }, 0.75],
    ["volume_ratio", { volumeRatio: 3 }, 0.5],
    ["volume_ratio", { volumeRatio: 0.5 }, -1 / 3],
    // Three imagined cases stand beside them; 0.37 is usual.
    ["habit", { earlier: 5, earlierPersisted: 4 }, (4 - 0.37 * 5) / 8],
    ["latest_persisted", { latestPersisted: true }, 1],
    ["latest_persisted", { latestPersisted: false }, -1],
    ["breadth", { peersLeaning: 0.4 }, 0.5],
    ["peers_score", { peersScore: -1.5 }, -0.5],
    ["resembling", { priors: 2, priorsPersisted: 0 }, (-0.37 * 2) / 5],
    ["pinned", { pinned: 0.25 }, 0.25],
    ["rates_before", { ratesBefore: -0.5 }, -0.5],
    // None is beyond one.
    ["return_24h", { return24h: -7 }, -1],
    ["pinned", { pinned: 7 }, 1],
  ])("has %s of %j", (name, evidence, value) => {
    expect(shown(evidence)[name]).toBeCloseTo(value, 12);
    expect(shown(evidence)[`${name}_known`]).toBe(1);
    const known = Object.entries(shown(evidence)).filter(([each, is]) => each.endsWith("_known") && is === 1);
    // One hour's return is two features; each other number is one.
    expect(known).toHaveLength(evidence.return1h === undefined ? 1 : 2);
  });

  it.each<[string, Evidence]>([
    ["habit", { earlier: 5 }],
    ["habit", { earlierPersisted: 5 }],
    ["resembling", { priors: 5 }],
    ["resembling", { priorsPersisted: 5 }],
    ["volatility", { volatility: Number.POSITIVE_INFINITY }],
    ["score", { score: -4 }],
  ])("knows no %s of %j", (name, evidence) => {
    expect([shown(evidence)[name], shown(evidence)[`${name}_known`]]).toEqual([0, 0]);
  });
});

describe("what a model is shown for keeping", () => {
  const artifact = (members: Partial<Artifact>) =>
    ({ anchor_market: "BTC", window_id: "w", view_name: "persistence", payload: {}, ...members }) as Artifact;
  const brief = { anchor_market: "BTC", window_id: "w" };
  const of = (members: Partial<Artifact>) =>
    Object.fromEntries(
      keepFeatures(artifact(members), brief).map((value, i) => [keepFeatureNames[i], value]),
    );

  it("is which view it is, whether of this market and window, and how much it holds", () => {
    expect(of({ payload: { a: 1, b: 2, c: 3, d: 4 } })).toEqual({
      one: 1,
      is_market_state: 0,
      is_derived_metrics: 0,
      is_persistence: 1,
      is_peer_comparisons: 0,
      is_prior_episode_shortlists: 0,
      own_market: 1,
      own_window: 1,
      empty: 0,
      members: 0.5,
    });
    expect(of({ anchor_market: "ETH", view_name: "market_state" })).toMatchObject({
      ...{ is_market_state: 1, is_persistence: 0, own_market: 0, own_window: 1, members: 0 },
    });
    expect(of({ window_id: "v", payload: { empty: true } })).toMatchObject({
      ...{ own_market: 1, own_window: 0, empty: 1, members: 0.2 },
    });
    expect(of({ payload: { empty: "true" } })).toMatchObject({ empty: 0 });
  });
});
