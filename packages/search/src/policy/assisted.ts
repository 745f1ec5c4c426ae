/**
 * The assisted policy: the heuristic's reading plan, with two small trained models
 * for the tasks that come up again and again: is this artifact worth keeping, and
 * is it time to stop, with which decision and how sure.
 *
 * What the models say are probabilities, and the policy abstains where either answer
 * would be too likely wrong. They are not asked whether the history is all there:
 * that is a rule.
 */
import type { JsonObject } from "@bridle/record";
import { type Model, modelDigest } from "../train/model.js";
import { keepFeatures, stopFeatureNames, stopFeatures } from "../train/features.js";
import { predict } from "../train/logistic.js";
import { viewNames } from "../types.js";
import { type Judgement, Reading, type Verdict, withoutHistory } from "./reading.js";
import type { Policy } from "./types.js";

export const assistedPolicyId = "assisted.v2";

export interface AssistedOptions {
  /** Where either answer is wrong with a greater probability than this, it abstains. */
  readonly abstainRisk?: number;
}

export const abstainRiskUsual = 0.4;

export function assistedPolicy(
  model: Model,
  { abstainRisk = abstainRiskUsual }: AssistedOptions = {},
): Policy {
  const judgement = judgementOf(model, abstainRisk);
  return {
    policyId: assistedPolicyId,
    params: {
      abstain_risk: abstainRisk,
      trained_model: model as unknown as JsonObject,
      trained_model_sha256: modelDigest(model),
    },
    nondeterministicComponents: [],
    begin: (brief) => new Reading(brief, judgement),
  };
}

function judgementOf(model: Model, abstainRisk: number): Judgement {
  const stopWeights = model.stop.weights.map(Number);
  const keepWeights = model.keep.weights.map(Number);
  const enough = Number(model.stop.stop_confidence);
  return {
    keeps: (artifact, _evidence, brief) => predict(keepWeights, keepFeatures(artifact, brief)) > 0.5,

    verdict({ evidence, unread, last }) {
      if (unread.includes("derived_metrics") && !last) return undefined;
      const missing = withoutHistory(evidence);
      if (missing !== undefined) return missing;
      const features = stopFeatures(evidence);
      const share = predict(stopWeights, features);
      const confidence = Math.max(share, 1 - share);
      if (confidence < enough && !last) return undefined;
      return conclude({ stopWeights, features, share, confidence, abstainRisk });
    },
  };
}

const risksMax = 4;

function conclude({
  stopWeights,
  features,
  share,
  confidence,
  abstainRisk,
}: {
  readonly stopWeights: readonly number[];
  readonly features: readonly number[];
  readonly share: number;
  readonly confidence: number;
  readonly abstainRisk: number;
}): Verdict {
  const isSignal = share > 0.5;
  const against = stopFeatureNames
    .map((name, i) => ({ name, says: (stopWeights[i] as number) * (features[i] as number) }))
    .filter(({ name, says }) => name !== "one" && (isSignal ? says < -0.1 : says > 0.1))
    .toSorted((a, b) => Math.abs(b.says) - Math.abs(a.says) || (a.name < b.name ? -1 : 1))
    .slice(0, risksMax);
  const abstains = 1 - confidence > abstainRisk;
  return {
    leaning: isSignal ? "finalize_signal" : "finalize_low_signal",
    confidence: Math.round(confidence * 1000) / 1000,
    abstains,
    stopReason: abstains ? "evidence_conflicting" : "evidence_sufficient",
    detail: abstains
      ? `the risk of ${(1 - confidence).toFixed(3)} is more than ${abstainRisk}`
      : `it goes on with a probability of ${share.toFixed(3)}`,
    openRisks: against.map(({ name }) => `${name} speaks against it`),
    restsOn: viewNames,
  };
}
