import { describe, expect, it } from "vitest";
import { judgement, low, signal } from "../../../../test/support/judgements.js";
import type { Truth } from "../types.js";
import { baselineNames, baselinesOn, baseRateOf, type PastEpisode } from "./baselines.js";

const past = (
  hour: number | undefined,
  truth: Truth,
  { market = "A", isTraining = true }: { readonly market?: string; readonly isTraining?: boolean } = {},
): PastEpisode => ({
  anchor_market: market,
  episode_id: `ep-${market}-${hour}`,
  window_id: "",
  ground_truth_reference: { evidence: [], outcome: {}, truth },
  hour,
  isTraining,
});

/** Of the training part: three signals and one low; the rest counts for nothing but as a market's last outcome. */
const known = [
  past(0, signal),
  past(10, signal),
  past(20, low),
  past(30, signal),
  past(35, "abstain"),
  past(100, low, { isTraining: false }),
  past(undefined, low, { isTraining: false }),
];

const at = (hour: number | undefined, market = "A") => judgement(signal, "abstain", { hour, market });
const of = (name: string, episodes: readonly ReturnType<typeof at>[], horizonHours = 3, from = known) =>
  baselinesOn(episodes, { past: from, horizonHours }).find((each) => each.name === name)?.judgements;

describe("the base rate", () => {
  it("is the share of signals in the training part, with one imagined case of each kind", () => {
    expect(baseRateOf(known)).toBe(4 / 6);
    expect(baseRateOf([past(0, signal)])).toBe(2 / 3);
    expect(baseRateOf([past(0, "abstain"), past(1, signal, { isTraining: false })])).toBeUndefined();
    expect(baseRateOf([])).toBeUndefined();
  });

  it("is stated of every episode, with the answer that is likelier; of a half that is no signal", () => {
    expect(of("base-rate", [at(50)])).toMatchObject([
      { answer: signal, leaning: { confidence: 4 / 6, leaning: signal } },
    ]);
    const lows = [past(0, low), past(1, low), past(2, signal)];
    expect(of("base-rate", [at(50)], 3, lows)).toMatchObject([
      { answer: low, leaning: { confidence: 1 - 2 / 5, leaning: low } },
    ]);
    expect(of("base-rate", [at(50)], 3, [past(0, low), past(1, signal)])).toMatchObject([
      { answer: low, leaning: { confidence: 0.5, leaning: low } },
    ]);
  });
});

describe("baselines", () => {
  it("are those with one answer for everything, and with a training part the two that learn from it", () => {
    const episodes = [at(50), at(60)];
    const found = baselinesOn(episodes, { past: known, horizonHours: 3 });
    expect(found.map(({ name }) => name)).toEqual(baselineNames);
    expect(found.slice(0, 3).map(({ judgements }) => judgements.map(({ answer }) => answer))).toEqual([
      [signal, signal],
      [low, low],
      ["abstain", "abstain"],
    ]);
    expect(
      found[0]?.judgements.every(({ leaning, work }) => leaning === undefined && work === undefined),
    ).toBe(true);
    expect(found[0]?.judgements[1]).toMatchObject({ episodeId: episodes[1]?.episodeId, hour: 60 });
    const none = baselinesOn(episodes, { past: [], horizonHours: 3 });
    expect(none.map(({ name }) => name)).toEqual(["always-signal", "always-low", "always-abstain"]);
  });
});

describe("what the market did last", () => {
  // After a signal came a signal and a low: (1 + 1) / (2 + 2). After a low came a signal: (1 + 1) / (1 + 2).
  const afterSignal = { leaning: { confidence: 0.5, leaning: low } };
  const afterLow = { leaning: { confidence: 2 / 3, leaning: signal } };

  it("is the answer, with how often that was followed by a signal in the training part", () => {
    expect(of("last-outcome", [at(40), at(104)])).toMatchObject([
      { answer: signal, ...afterSignal },
      { answer: low, ...afterLow },
    ]);
  });

  it("counts from the hour at which it was known, and skips what nobody could decide", () => {
    expect(of("last-outcome", [at(33), at(32), at(39)])).toMatchObject([
      { answer: signal, ...afterSignal },
      { answer: low, ...afterLow },
      { answer: signal, ...afterSignal },
    ]);
    expect(of("last-outcome", [at(33)], 4)).toMatchObject([{ answer: low }]);
  });

  it("is the base rate where there was none: before the first, in another market, and without an hour", () => {
    const rate = { answer: signal, leaning: { confidence: 4 / 6, leaning: signal } };
    expect(of("last-outcome", [at(2), at(40, "B"), at(undefined)])).toMatchObject([rate, rate, rate]);
  });

  it("is not put out of order by an episode that does not say when it was", () => {
    const odd = [past(30, signal), past(undefined, low), past(10, low)];
    expect(of("last-outcome", [at(40)], 3, odd)).toMatchObject([{ answer: signal }]);
  });

  it("does not depend on the order in which the episodes stand, and learns nothing from beyond the training part", () => {
    const episodes = [at(40), at(32), at(104)];
    const expected = of("last-outcome", episodes);
    expect(of("last-outcome", episodes, 3, known.toReversed())).toEqual(expected);
    const later = [...known, past(200, signal, { isTraining: false }), past(210, low, { isTraining: false })];
    expect(of("last-outcome", episodes, 3, later)).toEqual(expected);
    const elsewhere = [...known, past(5, low, { market: "B", isTraining: false })];
    expect(of("last-outcome", episodes, 3, elsewhere)).toEqual(expected);
  });
});
