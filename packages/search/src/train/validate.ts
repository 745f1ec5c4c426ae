/**
 * Whether a model has learnt anything: it is fitted without some coins and asked
 * about them, coin by coin, all inside the training part.
 *
 * A model that gives one answer everywhere, or that is not right more often than
 * always giving the commoner answer, has failed, however good its share of right
 * answers looks.
 */
import type { Lesson, Moment } from "./examples.js";
import { type Example, fitWeights, predict } from "./logistic.js";
import { foldsOf } from "./split.js";

export type Task = "keep" | "stop";

export interface Judged {
  readonly market: string;
  /** Of each moment of one lesson, in order. */
  readonly shares: readonly number[];
  readonly moments: readonly Moment[];
  /** What the commoner answer was where the model was fitted, and how common the positive one. */
  readonly usualShare: number;
}

export interface Validation {
  readonly accuracy: number;
  readonly examples: number;
  readonly majority_accuracy: number;
  readonly majority_squared_error: number;
  readonly markets: number;
  readonly positives: number;
  readonly predicted_positives: number;
  readonly squared_error: number;
  /** Right where the commoner answer is wrong, and the other way round. */
  readonly wins: number;
  readonly losses: number;
}

export const foldCount = 5;

/** Every lesson counts the same, however many reads it took. */
export function examplesOf(lessons: readonly Lesson[], task: Task): Example[] {
  return lessons.flatMap((lesson) =>
    lesson[task].map((moment) => ({ ...moment, weight: 1 / lesson[task].length })),
  );
}

/** What models that never saw a coin say about its lessons. */
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
    const usualShare = shareOf(seen);
    for (const lesson of lessons.filter((each) => isIn(each) && each[task].length > 0)) {
      const shares = lesson[task].map(({ features }) => predict(weights, features));
      judged.push({ market: lesson.anchor_market, shares, moments: lesson[task], usualShare });
    }
  }
  return judged;
}

function shareOf(examples: readonly Example[]): number {
  let [positive, total] = [0, 0];
  for (const { positive: isPositive, weight } of examples) {
    total += weight;
    if (isPositive) positive += weight;
  }
  return total === 0 ? 0.5 : positive / total;
}

/** Of a decision the last moment counts, when everything was read; of keeping every one does. */
export function validate(judged: readonly Judged[], task: Task): Validation {
  const cases = judged.flatMap(({ shares, moments, usualShare }) =>
    shares.flatMap((share, i) =>
      task === "stop" && i < shares.length - 1
        ? []
        : [{ share, usualShare, positive: (moments[i] as Moment).positive }],
    ),
  );
  const count = (test: (each: (typeof cases)[number]) => boolean) => cases.filter(test).length;
  const right = ({ share, positive }: (typeof cases)[number]) => share > 0.5 === positive;
  const usuallyRight = ({ usualShare, positive }: (typeof cases)[number]) => usualShare > 0.5 === positive;
  const error = (guess: (each: (typeof cases)[number]) => number) =>
    cases.reduce((sum, each) => {
      const miss = guess(each) - Number(each.positive);
      return sum + miss * miss;
    }, 0) / Math.max(cases.length, 1);
  return {
    accuracy: count(right) / Math.max(cases.length, 1),
    examples: cases.length,
    losses: count((each) => !right(each) && usuallyRight(each)),
    majority_accuracy: count(usuallyRight) / Math.max(cases.length, 1),
    majority_squared_error: error(({ usualShare }) => usualShare),
    markets: new Set(judged.map(({ market }) => market)).size,
    positives: count(({ positive }) => positive),
    predicted_positives: count(({ share }) => share > 0.5),
    squared_error: error(({ share }) => share),
    wins: count((each) => right(each) && !usuallyRight(each)),
  };
}

/** Why it is of no use; undefined when it has learnt something. */
export function failureOf(validation: Validation): string | undefined {
  const { examples, markets, positives, predicted_positives, wins, losses } = validation;
  if (markets < foldCount)
    return `there are episodes of ${markets} markets, and ${foldCount} are needed to validate`;
  if (positives === 0 || positives === examples) return "the examples are all of one class";
  if (predicted_positives === 0 || predicted_positives === examples)
    return "it gives the majority class everywhere";
  // One standard error of the difference: less could be luck.
  if (!(wins - losses > Math.sqrt(wins + losses)))
    return `it is right ${wins} times where the majority class is wrong, and wrong ${losses} times where that is right`;
  if (!(validation.squared_error < validation.majority_squared_error))
    return "its probabilities are no better than the share of the majority class";
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
