/** A model with weights by hand: what it says is known before it is asked. */
import type { Model } from "@bridle/search";
import {
  featureVersion,
  keepFeatureNames,
  stopFeatureNames,
} from "../../packages/search/src/train/features.js";
import { modelSchemaVersion } from "../../packages/search/src/train/model.js";

/** Weights by the name of their feature; 0 where none is given. */
export interface HandWeights {
  readonly keep: Readonly<Record<string, number>>;
  readonly stop: Readonly<Record<string, number>>;
}

export function handModel({ keep, stop }: HandWeights): Model {
  const task = (names: readonly string[], weights: Readonly<Record<string, number>>) => ({
    failed: null,
    feature_names: [...names],
    penalty: "0.010000",
    validation: {
      ...{ base_log_loss: "0.0", base_rate: "0.0", calibration_error: "0.0", log_loss: "0.0", gain: "0.0" },
      ...{ calibration_standard_error: null, standard_error: null, examples: 0, markets: 0, positives: 0 },
    },
    weights: names.map((name) => (weights[name] ?? 0).toFixed(6)),
  });
  return {
    feature_version: featureVersion,
    keep: task(keepFeatureNames, keep),
    schema_version: modelSchemaVersion,
    stop: { ...task(stopFeatureNames, stop), stop_confidence: "0.990000" },
    training: {
      ...{ examples_sha256: "0".repeat(64), markets: [], pack_ids: [] },
      ...{ trajectories: 0, until_hour: 0, validation_trajectories: 0 },
    },
  };
}
