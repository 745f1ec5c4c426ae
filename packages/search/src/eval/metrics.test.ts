import { describe, expect, it } from "vitest";
import { judgement, low, signal, stated } from "../../../../test/support/judgements.js";
import type { EpisodeWork, Judgement } from "./judge.js";
import { metricsOf, riskAtCoverage, riskCurve } from "./metrics.js";

const options = { baseRate: undefined, costs: undefined, evidenceVaries: true };

function work(members: Partial<EpisodeWork> & { readonly steps?: number } = {}): EpisodeWork {
  const { steps = 1, ...more } = members;
  return {
    counts: { branches: 1, drops: 2, keeps: 3, prunes: 4, reads: 5, refusals: 6, steps, updates: 7 },
    stopReason: "evidence_sufficient",
    kept: { artifacts: 4, hits: 1, places: 5, found: 2 },
    retained: { artifacts: 2, hits: 1, places: 4, found: 1 },
    dropped: { artifacts: 3, hits: 2 },
    ...more,
  };
}

const did = (more: Partial<EpisodeWork> & { readonly steps?: number } = {}): Judgement =>
  judgement(signal, signal, { work: work(more) });

describe("what was done", () => {
  it("is the mean of each count over the episodes", () => {
    const found = metricsOf([[did({ steps: 2 }), did({ steps: 5 })]], options).work;
    const values = Object.fromEntries(Object.entries(found ?? {}).map(([name, { value }]) => [name, value]));
    expect(values).toEqual({
      ...{ branches: 1, drops: 2, keeps: 3, prunes: 4, reads: 5, refusals: 6, steps: 3.5, updates: 7 },
    });
    expect(metricsOf([[judgement(signal, signal)]], options)).toMatchObject({
      ...{ work: null, keep: null, retained: null, drop: null, stop_reasons: [] },
    });
  });

  it("is what was kept, retained and dropped against the evidence, sums by sums", () => {
    const nothingKept = { artifacts: 0, hits: 0, places: 5, found: 0 };
    const found = metricsOf([[did(), did({ kept: nothingKept })]], options);
    expect(found.keep).toMatchObject({
      precision: { value: 1 / 4, of: 4 },
      recall: { value: 2 / 10, of: 10 },
    });
    expect(found.retained).toMatchObject({ precision: { value: 1 / 2 }, recall: { value: 1 / 4 } });
    expect(found.drop).toMatchObject({ precision: { value: 2 / 3, of: 6 } });
    const same = metricsOf([[did()]], { ...options, evidenceVaries: false });
    expect([same.keep, same.retained, same.drop]).toEqual([null, null, null]);
    expect(same.work).not.toBeNull();
  });

  it("ends for reasons, the most frequent first, then by name", () => {
    const reasons = ["b", "c", "a", "c", "a"].map((stopReason) => did({ stopReason }));
    expect(metricsOf([reasons], options).stop_reasons).toEqual([
      { count: 2, reason: "a" },
      { count: 2, reason: "c" },
      { count: 1, reason: "b" },
    ]);
  });
});

describe("repeats", () => {
  const tried = (id: string, ...right: readonly boolean[]) =>
    right.map((is) => judgement(signal, is ? signal : low, { episodeId: id }));

  it("pass as often as all of k draws without putting back are right, as long as every episode has k", () => {
    const a = tried("a", true, true, true, false);
    const b = tried("b", true, true, false, false);
    const runs = [0, 1, 2, 3].map((i) => [a[i] as Judgement, b[i] as Judgement]);
    const { pass, episode_count, market_count } = metricsOf(runs, options);
    expect([episode_count, market_count]).toEqual([2, 1]);
    expect(pass.map(({ k, share }) => [k, share.of])).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 2],
    ]);
    // Of a: 3/4, 3/6, 1/4, 0; of b: 2/4, 1/6, 0, 0.
    const shares = pass.map(({ share }) => share.value as number);
    for (const [i, expected] of [5 / 8, 4 / 12, 1 / 8, 0].entries())
      expect(shares[i]).toBeCloseTo(expected, 12);
    // An episode that ended in two of three runs leaves two draws.
    expect(metricsOf([[a[0] as Judgement], [a[1] as Judgement], []], options).pass).toHaveLength(2);
    expect(metricsOf([[judgement("abstain", "abstain")]], options).pass).toEqual([]);
  });
});

describe("risk", () => {
  it("is that of the surest decisions; one that is not the leaning stated last comes last", () => {
    const all = [
      stated(signal, 0.7),
      stated(low, 0.9),
      judgement(signal, signal, { leaning: { confidence: 0.99, leaning: low } }),
      judgement(low, "abstain"),
    ];
    expect(riskCurve(all)).toEqual([
      { confidence: 0.9, coverage: 1 / 4, risk: 1 },
      { confidence: 0.7, coverage: 2 / 4, risk: 1 / 2 },
      { confidence: null, coverage: 3 / 4, risk: 1 / 3 },
    ]);
    expect(riskAtCoverage(all)).toEqual([
      { coverage: 0.1, risk: 1 },
      { coverage: 0.25, risk: 1 },
      { coverage: 0.5, risk: 1 / 2 },
      { coverage: 0.75, risk: 1 / 3 },
      { coverage: 1, risk: null },
    ]);
    expect(riskAtCoverage([]).every(({ risk }) => risk === null)).toBe(true);
    // A confidence of nothing at all is still one that was stated.
    const unsure = judgement(signal, signal, { leaning: { confidence: 0, leaning: signal } });
    expect(riskCurve([unsure])).toEqual([{ confidence: 0, coverage: 1, risk: 0 }]);
  });

  it("is a curve of at most a hundred points, of which the first and the last stay", () => {
    const all = Array.from({ length: 250 }, (_, i) => stated(signal, 0.999 - i / 1000));
    const whole = riskCurve(all);
    const { risk_curve } = metricsOf([all], options);
    expect(whole).toHaveLength(250);
    expect(risk_curve).toHaveLength(100);
    expect(risk_curve[0]).toEqual(whole[0]);
    expect(risk_curve.at(-1)).toEqual(whole.at(-1));
    const places = risk_curve.map((point) => whole.findIndex(({ coverage }) => coverage === point.coverage));
    const gaps = new Set(places.slice(1).map((place, i) => place - (places[i] as number)));
    expect([...gaps].toSorted()).toEqual([2, 3]);
    const hundred = all.slice(0, 100);
    expect(metricsOf([hundred], options).risk_curve).toEqual(riskCurve(hundred));
  });
});

describe("shares", () => {
  it("are over what could be decided, each with its place", () => {
    const all = [
      judgement(signal, signal, { market: "A" }),
      judgement(low, signal, { market: "B" }),
      judgement(low, "abstain", { market: "B" }),
      judgement("abstain", "abstain", { market: "C" }),
      judgement("abstain", low, { market: "C" }),
      judgement("abstain", low, { market: "C" }),
    ];
    expect(metricsOf([all], options)).toMatchObject({
      accuracy: { of: 3, value: 1 / 3 },
      accuracy_decided: { of: 2, value: 1 / 2 },
      coverage: { of: 3, value: 2 / 3 },
      selective_risk: { of: 2, value: 1 / 2 },
      no_history: { abstained: 1, count: 3 },
      market_count: 3,
      probability: null,
      cost_by_matrix: null,
    });
  });
});
