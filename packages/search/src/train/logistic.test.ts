import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { type Example, fitWeights, predict, sigmoid } from "./logistic.js";

const examples = fc.array(
  fc.record({
    features: fc.tuple(fc.constant(1), fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(0, 1)),
    positive: fc.boolean(),
    weight: fc.constantFrom(0.2, 0.5, 1),
  }),
  { minLength: 4, maxLength: 60 },
);

function mean(list: readonly Example[], value: (each: Example) => number): number {
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  return list.reduce((sum, each) => sum + each.weight * value(each), 0) / total;
}

describe("the small model", () => {
  it("has a curve that rises from 0 to 1, the same to both sides", () => {
    expect(sigmoid(0)).toBe(0.5);
    expect(sigmoid(1000)).toBeGreaterThan(0.999);
    holds(
      fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (u) => {
        expect(sigmoid(u) + sigmoid(-u)).toBeCloseTo(1, 12);
        expect(sigmoid(u + 0.1)).toBeGreaterThan(sigmoid(u));
      }),
    );
  });

  it("predicts as many as there are, so that what it says can be read as a probability", () => {
    holds(
      fc.property(examples, (list) => {
        const share = mean(list, ({ positive }) => Number(positive));
        fc.pre(share > 0 && share < 1);
        const weights = fitWeights(list, 3, 0.01);
        expect(mean(list, ({ features }) => predict(weights, features))).toBeCloseTo(share, 2);
      }),
    );
  });

  it("finds the shares of two groups", () => {
    const group = (value: number, positives: number) =>
      Array.from({ length: 100 }, (_, i) => ({ features: [1, value], positive: i < positives, weight: 1 }));
    const weights = fitWeights([...group(0, 20), ...group(1, 70)], 2, 0.0001);
    expect(predict(weights, [1, 0])).toBeCloseTo(0.2, 2);
    expect(predict(weights, [1, 1])).toBeCloseTo(0.7, 2);
  });

  it("stays finite where there is one class only, where a feature decides alone, and without features", () => {
    const of = (values: readonly number[], positive: boolean) =>
      values.map((value) => ({ features: [1, value, 0], positive, weight: 1 }));
    for (const list of [of([0.1, 0.5], true), [...of([1, 1], true), ...of([-1, -1], false)]]) {
      expect(fitWeights(list, 3, 0.001).every(Number.isFinite)).toBe(true);
    }
    expect(fitWeights([], 3, 0.001)).toEqual([0, 0, 0]);
  });

  /** As the head of the file states it. */
  function lossOf(weights: readonly number[], list: readonly Example[], penalty: number): number {
    const fit = mean(list, ({ features, positive }) => {
      const u = features.reduce((sum, feature, i) => sum + feature * (weights[i] as number), 0);
      return (u + Math.sqrt(1 + u * u)) / 2 - (positive ? u : 0);
    });
    const of = (i: number) => (i === 0 ? 0.0001 : penalty);
    return weights.reduce((sum, weight, i) => sum + (of(i) * weight * weight) / 2, fit);
  }

  it("stands where its loss is smallest: a step to either side of any weight raises it", () => {
    holds(
      fc.property(examples, fc.constantFrom(0.01, 0.1), (list, penalty) => {
        const weights = fitWeights(list, 3, penalty);
        const least = lossOf(weights, list, penalty);
        for (const [i, weight] of weights.entries()) {
          for (const step of [0.01, -0.01])
            expect(lossOf(weights.with(i, weight + step), list, penalty)).toBeGreaterThan(least);
        }
      }),
      100,
    );
  });

  it("halves a step that would overshoot", () => {
    const of = (positive: boolean, weight: number, ...features: readonly number[]) => ({
      ...{ features: [1, ...features], positive, weight },
    });
    // Few that weigh much against many that weigh little: a whole step would go past the place.
    const list = [
      ...[of(true, 0.01, -0.35, 0.83), of(false, 100, 0.92, 0.87), of(true, 100, -0.93, 0.41)],
      ...[of(true, 0.01, -0.93, 0.91), of(true, 1, 0.68, -0.91), of(true, 1, 0.03, -0.9)],
      ...[of(false, 0.01, -0.15, 0.57), of(false, 100, -0.27, 0.64), of(false, 1, -0.74, 0.15)],
    ];
    const weights = fitWeights(list, 3, 0);
    const least = lossOf(weights, list, 0);
    for (const [i, weight] of weights.entries())
      for (const step of [0.5, -0.5])
        expect(lossOf(weights.with(i, weight + step), list, 0)).toBeGreaterThan(least);
    expect(predict(weights, [1, 0.5, -0.5])).toBeLessThan(0.1);
  });

  it("counts an example by its weight", () => {
    const of = (positive: boolean, weight: number) => ({ features: [1], positive, weight });
    expect(predict(fitWeights([of(true, 3), of(false, 1)], 1, 0), [1])).toBeCloseTo(0.75, 3);
    const twice = fitWeights([of(true, 1), of(true, 1), of(true, 1), of(false, 1)], 1, 0);
    expect(fitWeights([of(true, 0.6), of(false, 0.2)], 1, 0)[0]).toBeCloseTo(twice[0] as number, 9);
  });
});
