/**
 * Training: from lessons to a model. It is fitted on the training part, and judged
 * on the validation part; the test part is for whoever measures the policy that
 * uses the model, and is not looked at here.
 */
import { canonicalJson, compareCodePoints, type JsonObject, sha256Hex } from "@bridle/record";
import { fixed } from "../pack/build/number.js";
import type { PartName } from "../pack/parts.js";
import type { Lesson } from "./examples.js";
import { featureVersion, keepFeatureNames, stopFeatureNames } from "./features.js";
import { fitWeights } from "./logistic.js";
import { type Model, modelSchemaVersion, type TaskModel } from "./model.js";
import { endHourOf } from "../window.js";
import {
  baseRateOf,
  examplesOf,
  failureOf,
  type Judged,
  judgeOutOfFold,
  lossOf,
  stopConfidence,
  type Task,
  validate,
  type Validation,
} from "./validate.js";

/** From loose to tight; the one whose probabilities are best on unseen coins of the training part is taken. */
const penalties = [0.001, 0.003, 0.01, 0.03, 0.1] as const;

const digits = 6;

export interface TrainOptions {
  /** Of the packs: how long after an episode nothing may be judged by what has learnt from it. */
  readonly embargoHours: number;
}

/** Contract: the order of `lessons` does not matter, nor do lessons of other parts. Whether the model failed is in it. */
export function trainModel(lessons: readonly Lesson[], { embargoHours }: TrainOptions): Model {
  const [train, validation] = [inOrder(lessons, "train"), inOrder(lessons, "validation")];
  const own = train.map(({ lesson }) => lesson);
  const judging = validation.map(({ lesson }) => lesson);
  const stop = trainTask(own, judging, "stop", stopFeatureNames);
  const keep = trainTask(own, judging, "keep", keepFeatureNames);
  const hours = [...own, ...judging].flatMap(({ window_id }) => endHourOf(window_id) ?? []);
  return {
    feature_version: featureVersion,
    keep: keep.model,
    schema_version: modelSchemaVersion,
    stop: { ...stop.model, stop_confidence: fixed(stopConfidence(stop.judged), digits) },
    training: {
      examples_sha256: sha256Hex([...train, ...validation].map(({ text }) => `${text}\n`).join("")),
      markets: distinct([...own, ...judging].map(({ anchor_market }) => anchor_market)),
      pack_ids: distinct([...own, ...judging].map(({ key }) => key.slice(0, key.indexOf("/")))),
      trajectories: own.length,
      until_hour: hours.reduce((last, hour) => Math.max(last, hour), 0) + embargoHours,
      validation_trajectories: judging.length,
    },
  };
}

function inOrder(lessons: readonly Lesson[], part: PartName) {
  return lessons
    .filter((lesson) => lesson.part === part)
    .map((lesson) => ({ lesson, text: canonicalJson({ ...lesson, part } as unknown as JsonObject) }))
    .toSorted((a, b) => compareCodePoints(a.text, b.text));
}

function trainTask(
  lessons: readonly Lesson[],
  judging: readonly Lesson[],
  task: Task,
  featureNames: readonly string[],
): { readonly model: TaskModel; readonly judged: readonly Judged[] } {
  const width = featureNames.length;
  let best: { penalty: number; judged: Judged[]; loss: number } | undefined;
  for (const penalty of penalties) {
    const judged = judgeOutOfFold(lessons, task, { width, penalty });
    const loss = lossOf(judged, task);
    if (best === undefined || loss < best.loss) best = { penalty, judged, loss };
  }
  const { penalty, judged } = best as NonNullable<typeof best>;
  const examples = examplesOf(lessons, task);
  const weights = fitWeights(examples, width, penalty);
  const validation = validate(judging, task, { weights, baseRate: baseRateOf(examples) });
  const positives = examples.filter(({ positive }) => positive).length;
  return {
    judged,
    model: {
      failed: failureOf(validation, { positives, examples: examples.length }) ?? null,
      feature_names: [...featureNames],
      penalty: fixed(penalty, digits),
      validation: inText(validation),
      weights: weights.map((weight) => fixed(weight, digits)),
    },
  };
}

function inText(validation: Validation): TaskModel["validation"] {
  const orNull = (value: number | null) => (value === null ? null : fixed(value, digits));
  return {
    base_log_loss: fixed(validation.base_log_loss, digits),
    base_rate: fixed(validation.base_rate, digits),
    calibration_error: fixed(validation.calibration_error, digits),
    calibration_standard_error: orNull(validation.calibration_standard_error),
    examples: validation.examples,
    gain: fixed(validation.gain, digits),
    log_loss: fixed(validation.log_loss, digits),
    markets: validation.markets,
    positives: validation.positives,
    standard_error: orNull(validation.standard_error),
  };
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareCodePoints);
}
