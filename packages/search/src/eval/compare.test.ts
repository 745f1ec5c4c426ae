import { describe, expect, it } from "vitest";
import { judgement, low, signal, spreadOut, stated } from "../../../../test/support/judgements.js";
import { comparisonOf } from "./compare.js";

const truthOf = (i: number) => (i % 2 === 0 ? signal : low);
const turned = (i: number) => (i % 2 === 0 ? low : signal);
const right = (i: number) => judgement(truthOf(i), truthOf(i));
const wrong = (i: number) => judgement(truthOf(i), turned(i));
const sure = (i: number) => stated(truthOf(i), truthOf(i) === signal ? 0.9 : 0.1);
const unsure = (i: number) => stated(truthOf(i), truthOf(i) === signal ? 0.6 : 0.4);
const inverted = (i: number) => stated(truthOf(i), truthOf(i) === signal ? 0.1 : 0.9);

const costs = {
  finalize_signal: { finalize_signal: 0, finalize_low_signal: 5, abstain: 1 },
  finalize_low_signal: { finalize_signal: 2, finalize_low_signal: 0, abstain: 1 },
};

describe("two policies on the same episodes", () => {
  it("are told apart where every episode says the same, by each measure in its own direction", () => {
    const [all, none] = [spreadOut({}, right), spreadOut({}, wrong)];
    const found = comparisonOf(all, none, costs);
    expect(found).toMatchObject({ better: 36, equal: 0, worse: 0, episodes: 36 });
    expect(found.accuracy).toMatchObject({ value: 1, episodes: 36, verdict: "better" });
    // A missed signal costs 5, a false one 2: less is better.
    expect(found.cost).toMatchObject({ value: -3.5, verdict: "better" });
    expect(found).toMatchObject({ auc: null, brier: null, log_loss: null });
    const back = comparisonOf(none, all, costs);
    expect(back).toMatchObject({ better: 0, worse: 36, accuracy: { value: -1, verdict: "worse" } });
    expect(back.cost).toMatchObject({ value: 3.5, verdict: "worse" });
    expect(comparisonOf(all, none, undefined).cost).toBeNull();
  });

  it("by their probabilities: squares, logarithms and order", () => {
    const [one, other] = [spreadOut({}, sure), spreadOut({}, unsure)];
    const found = comparisonOf(one, other, undefined);
    expect(found.brier?.value).toBeCloseTo(0.01 - 0.16, 12);
    expect(found.brier?.verdict).toBe("better");
    expect(found.log_loss?.value).toBeCloseTo(Math.log(0.6) - Math.log(0.9), 12);
    expect(found.log_loss?.verdict).toBe("better");
    expect(comparisonOf(other, one, undefined)).toMatchObject({
      ...{ brier: { verdict: "worse" }, log_loss: { verdict: "worse" } },
    });
    // Both have every signal above every low.
    expect(found.auc).toMatchObject({ value: 0, verdict: "cannot tell", episodes: 36 });
    expect(comparisonOf(one, spreadOut({}, inverted), undefined).auc).toMatchObject({
      ...{ value: 1, verdict: "better" },
    });
    expect(comparisonOf(spreadOut({}, inverted), one, undefined).auc).toMatchObject({
      ...{ value: -1, verdict: "worse" },
    });
  });

  it("cannot be told apart where the interval holds nothing, or there are five markets or blocks", () => {
    const mixed = spreadOut({}, (i) => (i % 3 === 0 ? right(i) : wrong(i)));
    const other = spreadOut({}, (i) => (i % 3 === 1 ? right(i) : wrong(i)));
    expect(comparisonOf(mixed, other, undefined)).toMatchObject({
      ...{ better: 12, equal: 12, worse: 12, accuracy: { value: 0, verdict: "cannot tell" } },
    });
    for (const size of [{ markets: 5 }, { blocks: 5 }]) {
      const found = comparisonOf(spreadOut(size, right), spreadOut(size, wrong), undefined);
      expect(found.accuracy).toEqual({ value: 1, episodes: 30, interval: null, verdict: "cannot tell" });
    }
  });

  it("have an interval around what they differ by, wider where coins differ", () => {
    const one = spreadOut({}, right);
    const byChance = spreadOut({}, (i) => (i % 7 === 0 ? right(i) : wrong(i)));
    const { accuracy } = comparisonOf(one, byChance, undefined);
    expect(accuracy?.value).toBeCloseTo(1 - 6 / 36, 12);
    const { low: from, high: to } = accuracy?.interval ?? { low: 0, high: 0 };
    expect((from + to) / 2).toBeCloseTo(accuracy?.value as number, 12);
    expect([from > 0.5, to < 1.2, accuracy?.verdict]).toEqual([true, true, "better"]);
  });

  it("count the episodes that both have and that could be decided, a repeated one once by its mean", () => {
    const a = judgement(signal, signal, { episodeId: "a" });
    const twice = { ...a, answer: low };
    const b = judgement(low, low, { episodeId: "b" });
    const unknowable = judgement("abstain", "abstain", { episodeId: "c" });
    const onlyLeft = judgement(low, low, { episodeId: "d" });
    const found = comparisonOf([a, twice, b, unknowable, onlyLeft], [a, b, unknowable], undefined);
    // Half right in a against right, right in b against right.
    expect(found).toMatchObject({ episodes: 2, better: 0, equal: 1, worse: 1, accuracy: { value: -0.25 } });
    expect(comparisonOf([onlyLeft], [a], undefined)).toMatchObject({ accuracy: null, episodes: 0 });
  });

  it("have an order to compare only over episodes of which both state a probability", () => {
    const [s1, s2, l1, l2] = [
      stated(signal, 0.9, { episodeId: "s1" }),
      stated(signal, 0.2, { episodeId: "s2" }),
      stated(low, 0.4, { episodeId: "l1" }),
      stated(low, 0.1, { episodeId: "l2" }),
    ];
    const others = [s1, l1].map((each) => ({
      ...each,
      leaning: { confidence: 0.5, leaning: signal } as const,
    }));
    // Over s1 and l1 the first has them in order and the second has a tie.
    expect(comparisonOf([s1, s2, l1, l2], others, undefined).auc).toMatchObject({ value: 0.5, episodes: 2 });
    expect(comparisonOf(others, [s1, s2, l1, l2], undefined).auc).toMatchObject({ value: -0.5, episodes: 2 });
    expect(comparisonOf([s1, s2], [s1, s2], undefined).auc).toBeNull();
  });
});
