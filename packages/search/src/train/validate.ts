/**
 * Whether a model has learnt anything: its probabilities are held against the base
 * rate on the validation part, a time that it was not fitted on.
 *
 * What counts is the log loss: where one answer is right three times in four, the
 * share of right answers cannot see a model that tells which stresses are likelier.
 * A model is of use when it beats the base rate by more than one standard error and
 * its probabilities are not off as a whole.
 */
import { blockOf, blockUnitOf } from "../statistics/blocks-of-time.js";
import { estimate } from "../statistics/estimate.js";
import { logLossOf } from "../statistics/loss.js";
import type { Lesson, Moment } from "./examples.js";
import { type Example, fitWeights, predict } from "./logistic.js";
import { endHourOf } from "../window.js";
import { foldsOf } from "./folds.js";

export type Task = "keep" | "stop";

export interface Judged {
  /** Of each moment of one lesson, in order. */
  readonly shares: readonly number[];
  readonly moments: readonly Moment[];
}

export interface Validation {
  readonly base_log_loss: number;
  readonly base_rate: number;
  readonly calibration_error: number;
  readonly calibration_standard_error: number | null;
  readonly examples: number;
  readonly gain: number;
  readonly log_loss: number;
  readonly markets: number;
  readonly positives: number;
  readonly standard_error: number | null;
}

export const foldCount = 5;

/** Every lesson counts the same, however many reads it took. */
export function examplesOf(lessons: readonly Lesson[], task: Task): Example[] {
  return lessons.flatMap((lesson) =>
    lesson[task].map((moment) => ({ ...moment, weight: 1 / lesson[task].length })),
  );
}

/** What models that never saw a coin say about its lessons; inside the training part, to choose by. */
export function judgeOutOfFold(
  lessons: readonly Lesson[],
  task: Task,
  { width, penalty }: { readonly width: number; readonly penalty: number },
): Judged[] {
  const folds = foldsOf(
    lessons.map(({ anchor_market }) => anchor_market),
    foldCount,
  );
  const judged: Judged[] = [];
  for (let fold = 0; fold < foldCount; fold++) {
    const isIn = ({ anchor_market }: Lesson) => folds.get(anchor_market) === fold;
    const seen = examplesOf(
      lessons.filter((lesson) => !isIn(lesson)),
      task,
    );
    const weights = fitWeights(seen, width, penalty);
    for (const lesson of lessons.filter((each) => isIn(each) && each[task].length > 0))
      judged.push(judgeLesson(lesson, task, weights));
  }
  return judged;
}

function judgeLesson(lesson: Lesson, task: Task, weights: readonly number[]): Judged {
  return { shares: lesson[task].map(({ features }) => predict(weights, features)), moments: lesson[task] };
}

/** The mean log loss of what was said last of each lesson, or of everything. */
export function lossOf(judged: readonly Judged[], task: Task): number {
  const losses = judged.flatMap(({ shares, moments }) =>
    placesThatCount(shares.length, task).map((i) => lossAt(shares[i] as number, moments[i] as Moment)),
  );
  return losses.reduce((sum, loss) => sum + loss, 0) / Math.max(losses.length, 1);
}

/** Of a decision the last moment counts, when everything was read; of keeping every one does. */
function placesThatCount(length: number, task: Task): number[] {
  return task === "stop" ? (length === 0 ? [] : [length - 1]) : Array.from({ length }, (_, i) => i);
}

function lossAt(share: number, { positive }: Moment): number {
  return logLossOf({ probability: share, happened: positive ? 1 : 0 });
}

export function baseRateOf(examples: readonly Example[]): number {
  let [positive, total] = [0, 0];
  for (const { positive: isPositive, weight } of examples) {
    total += weight;
    if (isPositive) positive += weight;
  }
  return total === 0 ? 0.5 : positive / total;
}

/** `lessons` are those of the validation part; `baseRate` is that of the training part. */
export function validate(
  lessons: readonly Lesson[],
  task: Task,
  { weights, baseRate }: { readonly weights: readonly number[]; readonly baseRate: number },
): Validation {
  const unit = blockUnitOf(lessons.flatMap(({ window_id }) => endHourOf(window_id) ?? []));
  const cases = lessons.flatMap((lesson) => {
    const { shares, moments } = judgeLesson(lesson, task, weights);
    const place = { market: lesson.anchor_market, block: blockOf(endHourOf(lesson.window_id), unit) };
    return placesThatCount(shares.length, task).map((i) => {
      const [share, moment] = [shares[i] as number, moments[i] as Moment];
      return {
        ...place,
        share,
        positive: moment.positive,
        loss: lossAt(share, moment),
        base: lossAt(baseRate, moment),
      };
    });
  });
  const mean = (of: (each: (typeof cases)[number]) => number) =>
    cases.reduce((sum, each) => sum + of(each), 0) / Math.max(cases.length, 1);
  const gain = estimate(
    cases.map(({ market, block, loss, base }) => ({ market, block, top: base - loss, bottom: 1 })),
  );
  const calibration = estimate(
    cases.map(({ market, block, share, positive }) => ({
      market,
      block,
      top: share - Number(positive),
      bottom: 1,
    })),
  );
  return {
    base_log_loss: mean(({ base }) => base),
    base_rate: baseRate,
    calibration_error: calibration.value ?? 0,
    calibration_standard_error: calibration.standard_error,
    examples: cases.length,
    gain: gain.value ?? 0,
    log_loss: mean(({ loss }) => loss),
    markets: new Set(cases.map(({ market }) => market)).size,
    positives: cases.filter(({ positive }) => positive).length,
    standard_error: gain.standard_error,
  };
}

/** A mean probability that is off by more than this, and by more standard errors than can be luck, is off. */
const calibrationErrorMax = 0.05;
const calibrationErrorsMax = 3;

/** Why it is of no use; undefined when it has learnt something. `positives` and `examples` are of the training part. */
export function failureOf(
  validation: Validation,
  training: { readonly positives: number; readonly examples: number },
): string | undefined {
  const {
    base_log_loss,
    calibration_error,
    calibration_standard_error,
    examples,
    gain,
    log_loss,
    standard_error,
  } = validation;
  if (training.positives === 0 || training.positives === training.examples)
    return "the examples are all of one class";
  if (examples === 0) return "there is no trajectory of the validation part to judge it by";
  if (standard_error === null || calibration_standard_error === null)
    return "the validation part has fewer than six markets or blocks of time, so nobody could say whether it learnt anything";
  const numbers = `its log loss is ${log_loss.toFixed(4)}, that of the base rate ${base_log_loss.toFixed(4)}`;
  if (!(gain > standard_error))
    return `${numbers}: a gain of ${gain.toFixed(4)} is not more than one standard error (${standard_error.toFixed(4)})`;
  const off = Math.abs(calibration_error);
  if (off > calibrationErrorMax && off > calibrationErrorsMax * calibration_standard_error)
    return `its probabilities are off by ${calibration_error.toFixed(4)} on the whole (standard error ${calibration_standard_error.toFixed(4)})`;
  return undefined;
}

/**
 * How sure is sure enough to stop: the smallest of a few confidences at which
 * stopping early costs no right answer against reading everything.
 */
export function stopConfidence(judged: readonly Judged[]): number {
  const sure = (share: number) => Math.max(share, 1 - share);
  const rightAt = (least: number) =>
    judged.filter(({ shares, moments }) => {
      const early = shares.findIndex((share) => sure(share) >= least);
      const at = early === -1 ? shares.length - 1 : early;
      return (shares[at] as number) > 0.5 === moments[at]?.positive;
    }).length;
  const everything = rightAt(2);
  return confidences.find((least) => rightAt(least) >= everything) ?? 1;
}

const confidences = [0.8, 0.85, 0.9, 0.95];
