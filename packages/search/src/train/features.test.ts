import type { JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { driveEpisode } from "../../../../test/support/search-drive.js";
import { stressEpisode } from "../../../../test/support/stress-episode.js";
import { assistedPolicy } from "../policy/assisted.js";
import { type Evidence, learn } from "../evidence/evidence.js";
import { heuristicPolicy } from "../policy/heuristic.js";
import { type Artifact, type EpisodeRecord, viewNames } from "../types.js";
import {
  featureVersion,
  keepFeatureNames,
  keepFeatures,
  stopFeatureNames,
  stopFeatures,
} from "./features.js";
import { type Model, modelSchemaVersion } from "./model.js";

const brief = { anchor_market: "BTC", window_id: "w" };
const memberNames = [
  ...["funding_rate", "funding_z", "funding_z_hour_before", "premium", "return_1h", "volatility_24h"],
  ...["open_interest_change_24h", "volume_ratio_7d", "history_hours", "history_hours_needed"],
  ...["earlier_stresses", "persisted", "latest", "rows", "episodes", "funding", "rate", "empty"],
];
const odd = fc.oneof(
  fc.constantFrom("", "1e308", "-1e308", "Infinity", "NaN", "0", "-0.5", "x", -1, 0, 7, null, true),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.dictionary(fc.constantFrom(...memberNames), fc.constantFrom("1e308", "-3", true, null)), {
    maxLength: 5,
  }),
);
const payloads = fc.dictionary(fc.constantFrom(...memberNames), odd) as fc.Arbitrary<JsonObject>;
const artifacts = fc
  .tuple(fc.constantFrom(...viewNames), payloads)
  .map(([view_name, payload]) => ({ ...brief, view_name, payload, source_refs: [] }) as unknown as Artifact);

/** Weights by hand: what matters is that they are there. */
function someModel(): Model {
  const task = (names: readonly string[]) => ({
    failed: null,
    feature_names: [...names],
    penalty: "0.010000",
    validation: {
      ...{ base_log_loss: "0.0", base_rate: "0.0", calibration_error: "0.0", log_loss: "0.0", gain: "0.0" },
      ...{ calibration_standard_error: null, standard_error: null, examples: 0, markets: 0, positives: 0 },
    },
    weights: names.map((_, i) => (((i * 7) % 5) - 2).toFixed(6)),
  });
  return {
    feature_version: featureVersion,
    keep: task(keepFeatureNames),
    schema_version: modelSchemaVersion,
    stop: { ...task(stopFeatureNames), stop_confidence: "0.900000" },
    training: {
      ...{ examples_sha256: "0".repeat(64), markets: [], pack_ids: [] },
      ...{ trajectories: 0, until_hour: 0, validation_trajectories: 0 },
    },
  };
}

describe("features", () => {
  it("are as many as their names and none beyond one, whatever a payload holds", () => {
    holds(
      fc.property(fc.array(artifacts, { maxLength: 8 }), (read) => {
        const evidence = read.reduce<Evidence>((known, artifact) => learn(known, brief, artifact), {});
        const shown = [stopFeatures(evidence), ...read.map((artifact) => keepFeatures(artifact, brief))];
        for (const list of shown) expect(list.every((value) => Math.abs(value) <= 1)).toBe(true);
        expect(shown[0]).toHaveLength(stopFeatureNames.length);
        expect(shown[1]?.length ?? keepFeatureNames.length).toBe(keepFeatureNames.length);
      }),
    );
  });

  it("say nothing of other markets and other windows", () => {
    holds(
      fc.property(artifacts, (artifact) => {
        expect(learn({}, { ...brief, anchor_market: "ETH" }, artifact)).toEqual({});
        expect(learn({}, { ...brief, window_id: "v" }, artifact)).toEqual({});
      }),
    );
  });

  it("bring both policies to an end of their own, whatever a payload holds", async () => {
    await holdsAsync(
      fc.asyncProperty(fc.array(artifacts, { maxLength: 5 }), async (read) => {
        const base = stressEpisode();
        const views = Object.fromEntries(
          Object.entries(base.environment_views).map(([name, list]) => {
            const other = read.find(({ view_name }) => view_name === name)?.payload;
            const shaped = { rows: [], ranked_by: "", episodes: [], pattern_id: "p", words: [] };
            const keepsShape = name === "peer_comparisons" || name === "prior_episode_shortlists";
            return [
              name,
              list.map((view) =>
                other === undefined
                  ? view
                  : { ...view, payload: keepsShape ? { ...other, ...shaped } : other },
              ),
            ];
          }),
        ) as unknown as EpisodeRecord["environment_views"];
        for (const policy of [heuristicPolicy(), assistedPolicy(someModel())]) {
          const { terminal, refusals } = await driveEpisode(policy, { ...base, environment_views: views });
          expect(refusals).toEqual([]);
          expect(terminal.stop_reason).toMatch(/^(evidence|history)_/);
        }
      }),
      100,
    );
  });
});
