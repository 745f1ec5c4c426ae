/**
 * Training: from lessons to a model, by the split, with everything that decides
 * about the model taken from the training part.
 *
 * The test part is not looked at here. It is for whoever measures the policy that
 * uses the model.
 */
import { canonicalJson, compareCodePoints, type JsonObject, sha256Hex } from "@bridle/record";
import { fixed } from "../pack/build/number.js";
import type { Lesson } from "./examples.js";
import { featureVersion, keepFeatureNames, stopFeatureNames } from "./features.js";
import { fitWeights } from "./logistic.js";
import { type Model, modelSchemaVersion, type TaskModel } from "./model.js";
import { partOf, type Split } from "./split.js";
import {
  examplesOf,
  failureOf,
  foldCount,
  type Judged,
  judgeOutOfFold,
  stopConfidence,
  type Task,
  validate,
  type Validation,
} from "./validate.js";

/** From loose to tight; the one whose probabilities are best on unseen coins is taken. */
const penalties = [0.001, 0.003, 0.01, 0.03, 0.1] as const;

const digits = 6;

/** Contract: the order of `lessons` does not matter. Whether the model failed is in it. */
export function trainModel(lessons: readonly Lesson[], split: Split): Model {
  const used = lessons
    .filter((lesson) => partOf(split, lesson) === "train")
    .map((lesson) => ({ lesson, text: canonicalJson(lesson as unknown as JsonObject) }))
    .toSorted((a, b) => compareCodePoints(a.text, b.text));
  const own = used.map(({ lesson }) => lesson);
  const stop = trainTask(own, "stop", stopFeatureNames);
  const keep = trainTask(own, "keep", keepFeatureNames);
  return {
    feature_version: featureVersion,
    keep: keep.model,
    schema_version: modelSchemaVersion,
    split,
    stop: { ...stop.model, stop_confidence: fixed(stopConfidence(stop.judged), digits) },
    training: {
      examples_sha256: sha256Hex(used.map(({ text }) => `${text}\n`).join("")),
      markets: distinct(own.map(({ anchor_market }) => anchor_market)),
      pack_ids: distinct(own.map(({ key }) => key.slice(0, key.indexOf("/")))),
      trajectories: own.length,
    },
  };
}

function trainTask(
  lessons: readonly Lesson[],
  task: Task,
  featureNames: readonly string[],
): { readonly model: TaskModel; readonly judged: readonly Judged[] } {
  const width = featureNames.length;
  let best: { penalty: number; judged: Judged[]; validation: Validation } | undefined;
  for (const penalty of penalties) {
    const judged = judgeOutOfFold(lessons, task, { width, penalty });
    const validation = validate(judged, task);
    if (best === undefined || validation.squared_error < best.validation.squared_error)
      best = { penalty, judged, validation };
  }
  const { penalty, judged, validation } = best as NonNullable<typeof best>;
  const weights = fitWeights(examplesOf(lessons, task), width, penalty);
  return {
    judged,
    model: {
      failed: failureOf(validation) ?? null,
      feature_names: [...featureNames],
      penalty: fixed(penalty, digits),
      validation: inText(validation),
      weights: weights.map((weight) => fixed(weight, digits)),
    },
  };
}

function inText(validation: Validation): TaskModel["validation"] {
  return {
    accuracy: fixed(validation.accuracy, digits),
    examples: validation.examples,
    folds: foldCount,
    losses: validation.losses,
    majority_accuracy: fixed(validation.majority_accuracy, digits),
    majority_squared_error: fixed(validation.majority_squared_error, digits),
    markets: validation.markets,
    positives: validation.positives,
    predicted_positives: validation.predicted_positives,
    squared_error: fixed(validation.squared_error, digits),
    wins: validation.wins,
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareCodePoints);
}
