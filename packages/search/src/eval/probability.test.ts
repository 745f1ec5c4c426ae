import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgement, low, signal, stated } from "../../../../test/support/judgements.js";
import { holds } from "../../../../test/support/property.js";
import { aucInfluences, aucOf, probabilityEvaluation, statedOf } from "./probability.js";

const cases = fc.array(
  fc.tuple(
    fc.boolean(),
    fc.integer({ min: 0, max: 8 }).map((n) => n / 8),
  ),
  {
    maxLength: 30,
  },
);
const judged = (list: readonly (readonly [boolean, number])[]) =>
  list.map(([happened, probability]) => stated(happened ? signal : low, probability));

describe("the probabilities that were stated", () => {
  it("are of a signal: the confidence in one, or one less the confidence in none", () => {
    const all = [
      judgement(signal, signal, { leaning: { confidence: 0.7, leaning: signal } }),
      judgement(low, signal, { leaning: { confidence: 0.7, leaning: low } }),
      judgement(signal, signal, { leaning: { confidence: 0.7, leaning: "abstain" } }),
      judgement("abstain", signal, { leaning: { confidence: 0.7, leaning: signal } }),
      judgement(signal, signal),
    ];
    expect(statedOf(all).map(({ probability, happened }) => [probability, happened])).toEqual([
      [0.7, 1],
      [1 - 0.7, 0],
    ]);
    expect(probabilityEvaluation(all.slice(2), 0.5)).toBeNull();
  });

  it("are in order as often as counting every pair of a signal and none says, a tie half", () => {
    holds(
      fc.property(cases, (list) => {
        const [up, down] = [true, false].map((kind) =>
          list.filter(([happened]) => happened === kind).map(([, probability]) => probability),
        ) as [number[], number[]];
        const found = aucOf(statedOf(judged(list)));
        if (up.length === 0 || down.length === 0) {
          expect(found.value).toBeNull();
          return;
        }
        let inOrder = 0;
        for (const high of up)
          for (const under of down) inOrder += high > under ? 1 : high === under ? 0.5 : 0;
        expect(found.value).toBeCloseTo(inOrder / (up.length * down.length), 12);
        expect(found.of).toBe(list.length);
        // What each adds to the error is its distance from the whole, so either class sums to nothing.
        const all = statedOf(judged(list));
        for (const kind of [1, 0]) {
          const parts = aucInfluences(all)?.parts.filter((_, i) => all[i]?.happened === kind) ?? [];
          expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(0, 12);
        }
      }),
    );
  });

  it("have an order whose error is that of the parts: what each adds sums to nothing", () => {
    const spread = Array.from({ length: 48 }, (_, i) =>
      stated(i % 2 === 0 ? signal : low, ((i * 7) % 11) / 11, { market: `M${i % 6}`, block: String(i % 8) }),
    );
    const { value, interval, standard_error } = aucOf(statedOf(spread));
    expect(standard_error).toBeGreaterThan(0.01);
    expect(standard_error).toBeLessThan(0.3);
    expect(((interval?.low ?? 0) + (interval?.high ?? 0)) / 2).toBeCloseTo(value as number, 12);
  });

  it("have a skill: one less their squared error by that of always stating the base rate", () => {
    const all = judged([
      [true, 0.9],
      [false, 0.2],
    ]);
    const found = probabilityEvaluation(all, 0.25);
    // (0.01 + 0.04) by (0.75² + 0.25²)
    expect(found?.brier_skill.value).toBeCloseTo(1 - 0.05 / 0.625, 12);
    expect(found?.brier_skill).toMatchObject({ of: 2, interval: null });
    expect(found?.brier).toMatchObject({ of: 2 });
    expect(probabilityEvaluation(all, undefined)?.brier_skill.value).toBeNull();
    // Where the base rate is never wrong there is nothing to be better than.
    expect(probabilityEvaluation(judged([[false, 0.2]]), 0)?.brier_skill.value).toBeNull();
  });

  it("have a skill whose interval is turned over with it", () => {
    const spread = Array.from({ length: 48 }, (_, i) =>
      stated(i % 2 === 0 ? signal : low, i % 5 === 0 ? 0.4 : i % 2 === 0 ? 0.9 : 0.1, {
        ...{ market: `M${i % 6}`, block: String(i % 8) },
      }),
    );
    const { value, interval } = probabilityEvaluation(spread, 0.5)?.brier_skill ?? {};
    const { low: from, high: to } = interval ?? { low: 2, high: 2 };
    expect(from).toBeLessThan(value as number);
    expect(to).toBeGreaterThan(value as number);
    expect((from + to) / 2).toBeCloseTo(value as number, 12);
  });

  it("fall into ten bins of a tenth, each from its lower bound on, however it was stated, one into the last", () => {
    const found = probabilityEvaluation(
      judged([
        [false, 0],
        [true, 0.09],
        [false, 0.1],
        [true, 0.5],
        [true, 0.95],
        [true, 1],
      ]),
      undefined,
    );
    expect(found?.calibration.bins).toEqual([
      { count: 2, from: 0, happened: 0.5, probability: expect.closeTo(0.045, 12) as number, to: 0.1 },
      { count: 1, from: 0.1, happened: 0, probability: expect.closeTo(0.1, 12) as number, to: 0.2 },
      { count: 1, from: 0.5, happened: 1, probability: 0.5, to: 0.6 },
      { count: 2, from: 0.9, happened: 1, probability: 0.975, to: 1 },
    ]);
    // (2 × 0.455 + 0.1 + 0.5 + 2 × 0.025) / 6
    expect(found?.calibration.expected_error).toBeCloseTo(1.56 / 6, 12);
    expect(found?.stated).toBe(6);
  });
});
