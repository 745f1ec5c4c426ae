/** Numbers that a person can work out: curves that are flat, coins that are known, losses that are logarithms. */
import { describe, expect, it } from "vitest";
import type { Lesson, Moment } from "./examples.js";
import { foldsOf } from "./folds.js";
import {
  baseRateOf,
  examplesOf,
  failureOf,
  foldCount,
  judgeOutOfFold,
  lossOf,
  stopConfidence,
  validate,
  type Validation,
} from "./validate.js";

const moment = (positive: boolean, feature = 0): Moment => ({ features: [1, feature], positive });

const lesson = (members: Partial<Lesson> = {}): Lesson => ({
  anchor_market: "BTC",
  window_id: "2025-07-11T00:00Z/24h",
  key: "pack_1/ep-1",
  part: "train",
  stop: [],
  keep: [],
  ...members,
});

describe("folds", () => {
  it("are of one size, hold every coin once, and do not depend on the order", () => {
    const coins = Array.from({ length: 23 }, (_, i) => `C${i}`);
    const folds = foldsOf(coins, 5);
    const sizes = [0, 1, 2, 3, 4].map((fold) => [...folds.values()].filter((each) => each === fold).length);
    expect(sizes).toEqual([5, 5, 5, 4, 4]);
    expect([...folds.keys()].toSorted()).toEqual(coins.toSorted());
    expect(foldsOf([...coins, ...coins].toReversed(), 5)).toEqual(folds);
    // By a digest, so that coins of one kind that are listed together do not share a fold.
    expect([...folds.keys()]).not.toEqual(coins);
  });
});

describe("examples", () => {
  it("weigh every lesson the same, however many reads it took", () => {
    const lessons = [
      lesson({ stop: [moment(true), moment(false), moment(true), moment(true)] }),
      lesson({ stop: [moment(false)], keep: [moment(true)] }),
      lesson(),
    ];
    expect(examplesOf(lessons, "stop").map(({ weight, positive }) => [weight, positive])).toEqual([
      [0.25, true],
      [0.25, false],
      [0.25, true],
      [0.25, true],
      [1, false],
    ]);
    expect(examplesOf(lessons, "keep")).toEqual([{ features: [1, 0], positive: true, weight: 1 }]);
    expect(baseRateOf(examplesOf(lessons, "stop"))).toBe(0.375);
    expect(baseRateOf([])).toBe(0.5);
  });
});

describe("judging out of fold", () => {
  const coins = Array.from({ length: 10 }, (_, i) => `C${i}`);

  it("asks a model that never saw the coin: one coin that alone is positive is not expected to be", () => {
    const lessons = coins.map((anchor_market) =>
      lesson({ anchor_market, stop: [moment(anchor_market === "C3"), moment(anchor_market === "C3")] }),
    );
    const judged = judgeOutOfFold(lessons, "stop", { width: 2, penalty: 0.01 });
    expect(judged).toHaveLength(10);
    const [odd] = judged.filter(({ moments }) => moments[0]?.positive);
    expect(odd?.moments).toEqual([moment(true), moment(true)]);
    // Of the eight others none is positive; of those that saw it, one in eight is.
    expect(odd?.shares[0]).toBeLessThan(0.02);
    const folds = foldsOf(coins, foldCount);
    const sawIt = coins.filter((coin) => folds.get(coin) !== folds.get("C3"));
    const others = judged.filter(({ shares }) => (shares[0] as number) > 0.1);
    expect(others).toHaveLength(sawIt.length);
    for (const { shares } of others) expect(shares[0]).toBeCloseTo(1 / 8, 2);
  });

  it("leaves out lessons without a moment of the task", () => {
    const lessons = coins.map((anchor_market, i) =>
      lesson({ anchor_market, keep: i === 0 ? [] : [moment(true)] }),
    );
    expect(judgeOutOfFold(lessons, "keep", { width: 2, penalty: 0.01 })).toHaveLength(9);
    expect(judgeOutOfFold(lessons, "stop", { width: 2, penalty: 0.01 })).toEqual([]);
  });
});

describe("the loss", () => {
  const judged = [
    { shares: [0.1, 0.8], moments: [moment(true), moment(true)] },
    { shares: [0.6], moments: [moment(false)] },
    { shares: [], moments: [] },
  ];

  it("of stopping is that of the last moment of each lesson, of keeping that of every one", () => {
    expect(lossOf(judged, "stop")).toBeCloseTo(-(Math.log(0.8) + Math.log(0.4)) / 2, 12);
    expect(lossOf(judged, "keep")).toBeCloseTo(-(Math.log(0.1) + Math.log(0.8) + Math.log(0.4)) / 3, 12);
    expect(lossOf([], "keep")).toBe(0);
  });
});

describe("validation", () => {
  /** Weights of (1 + u / √(1 + u²)) / 2 that give a fifth and four fifths: u = ∓0.75. */
  const weights = [-0.75, 1.5];
  const lessons = Array.from({ length: 8 }, (_, i) =>
    lesson({
      anchor_market: `C${i % 7}`,
      window_id: `2025-0${1 + i}-11T00:00Z/24h`,
      stop: [moment(false, 0), moment(i !== 0, i < 4 ? 1 : 0)],
      keep: [moment(true, 1), moment(false, 0)],
    }),
  );

  it("counts what was said, and holds it against the base rate of the training part", () => {
    const found = validate(lessons, "stop", { weights, baseRate: 0.5 });
    // The last moments: four told 0.8, of which one did not happen; four told 0.2, of which all happened.
    const log_loss = -(3 * Math.log(0.8) + Math.log(0.2) + 4 * Math.log(0.2)) / 8;
    expect(found).toMatchObject({ base_rate: 0.5, examples: 8, markets: 7, positives: 7 });
    expect(found.log_loss).toBeCloseTo(log_loss, 9);
    expect(found.base_log_loss).toBeCloseTo(Math.log(2), 9);
    expect(found.gain).toBeCloseTo(Math.log(2) - log_loss, 9);
    // Half told 0.8 and half 0.2: 0.5 on the mean, 7 of 8 happened.
    expect(found.calibration_error).toBeCloseTo(0.5 - 7 / 8, 9);
    expect(found.standard_error).toBeGreaterThan(0.1);
    expect(found.standard_error).toBeLessThan(1);
    expect(found.calibration_standard_error).toBeGreaterThan(0.05);
    expect(found.calibration_standard_error).toBeLessThan(0.5);
  });

  it("of keeping counts every moment, and has no error where every lesson says the same", () => {
    const found = validate(lessons, "keep", { weights, baseRate: 0.25 });
    expect(found).toMatchObject({ examples: 16, markets: 7, positives: 8 });
    expect(found.log_loss).toBeCloseTo(-Math.log(0.8), 9);
    expect(found.base_log_loss).toBeCloseTo(-(Math.log(0.25) + Math.log(0.75)) / 2, 9);
    expect(found.calibration_error).toBeCloseTo(0, 9);
  });

  it("has no standard error with five markets, or five days, and is all zero without lessons", () => {
    const fewMarkets = lessons.map((each, i) => ({ ...each, anchor_market: `C${i % 5}` }));
    expect(validate(fewMarkets, "stop", { weights, baseRate: 0.5 })).toMatchObject({
      standard_error: null,
      calibration_standard_error: null,
    });
    const fewDays = lessons.map((each, i) => ({ ...each, window_id: `2025-07-1${i % 5}T00:00Z/24h` }));
    expect(validate(fewDays, "stop", { weights, baseRate: 0.5 }).standard_error).toBeNull();
    const sixDays = lessons.map((each, i) => ({ ...each, window_id: `2025-07-1${i % 6}T00:00Z/24h` }));
    expect(validate(sixDays, "stop", { weights, baseRate: 0.5 }).standard_error).not.toBeNull();
    expect(validate([], "stop", { weights, baseRate: 0.3 })).toEqual({
      ...{ base_log_loss: 0, base_rate: 0.3, calibration_error: 0, calibration_standard_error: null },
      ...{ examples: 0, gain: 0, log_loss: 0, markets: 0, positives: 0, standard_error: null },
    });
  });
});

describe("a model has failed", () => {
  const good: Validation = {
    ...{ base_log_loss: 0.6, base_rate: 0.4, log_loss: 0.5, gain: 0.1, standard_error: 0.05 },
    ...{ calibration_error: 0.01, calibration_standard_error: 0.01, examples: 50, markets: 9, positives: 20 },
  };
  const trained = { positives: 10, examples: 30 };
  const why = (members: Partial<Validation>) => failureOf({ ...good, ...members }, trained);

  it("where it saw one class only, has nothing to be judged by, or too little", () => {
    expect(failureOf(good, trained)).toBeUndefined();
    expect(failureOf(good, { positives: 0, examples: 30 })).toMatch(/one class/);
    expect(failureOf(good, { positives: 30, examples: 30 })).toMatch(/one class/);
    expect(why({ examples: 0 })).toMatch(/no trajectory/);
    expect(why({ standard_error: null })).toMatch(/fewer than six/);
    expect(why({ calibration_standard_error: null })).toMatch(/fewer than six/);
  });

  it("where it gains no more than one standard error", () => {
    expect(why({ gain: 0.05 })).toMatch(/not more than one standard error/);
    expect(why({ gain: 0.0501 })).toBeUndefined();
    expect(why({ gain: -0.3 })).toMatch(/0\.5000.*0\.6000.*-0\.3000.*0\.0500/);
  });

  it("where its probabilities are off to either side by more than five hundredths and by more than three standard errors", () => {
    expect(why({ calibration_error: 0.06 })).toMatch(/off by 0\.0600/);
    expect(why({ calibration_error: -0.06 })).toMatch(/off by -0\.0600/);
    expect(why({ calibration_error: 0.05 })).toBeUndefined();
    expect(why({ calibration_error: 0.06, calibration_standard_error: 0.02 })).toBeUndefined();
    expect(why({ calibration_error: 0.061, calibration_standard_error: 0.02 })).toMatch(/off by/);
  });
});

describe("how sure is sure enough to stop", () => {
  const said = (shares: readonly number[], positive: boolean) => ({
    shares,
    moments: shares.map(() => moment(positive)),
  });

  it("is the smallest confidence at which stopping early costs no right answer", () => {
    expect(stopConfidence([said([0.8, 0.9], true)])).toBe(0.8);
    // At 0.82 it would have stopped, and been wrong; at 0.85 it reads on.
    expect(stopConfidence([said([0.82, 0.3], false)])).toBe(0.85);
    expect(stopConfidence([said([0.85, 0.3], false)])).toBe(0.9);
    expect(stopConfidence([said([0.1, 0.9], true)])).toBe(0.95);
    expect(stopConfidence([said([0.96, 0.3], false)])).toBe(1);
    // One that is lost is made up for by one that is won.
    expect(stopConfidence([said([0.82, 0.3], false), said([0.81, 0.3], true)])).toBe(0.8);
    expect(stopConfidence([])).toBe(0.8);
  });

  it("takes a half for no signal", () => {
    expect(stopConfidence([said([0.82, 0.5], false)])).toBe(0.85);
    expect(stopConfidence([said([0.18, 0.5], true)])).toBe(0.8);
  });
});
