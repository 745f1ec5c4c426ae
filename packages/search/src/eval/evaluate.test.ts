import { isRefusal } from "@bridle/record";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { sampleEpisode, truthCanary, windowIds } from "../../../../test/support/search-episode.js";
import { type Answered, playAnswer, truthOf } from "../../../../test/support/answered-episodes.js";
import {
  playEpisode,
  sampleManifest,
  samplePackId,
  script,
} from "../../../../test/support/played-episodes.js";
import type { Truth } from "../types.js";
import { evaluate, type EvaluateOptions } from "./evaluate.js";
import { judge } from "./judge.js";
import { riskCurve } from "./metrics.js";
import { evaluationPlot } from "./plot.js";
import { evaluationTable } from "./table.js";
import { type EpisodeTruth, Evaluation } from "./types.js";

const signal: Truth = "finalize_signal";
const low: Truth = "finalize_low_signal";
const abstain: Truth = "abstain";

const run = (
  answers: readonly Answered[],
  manifest: Parameters<typeof sampleManifest>[0] = {},
  name = "runs/a",
) => ({
  name,
  manifest: sampleManifest({ episode_count: answers.length, ...manifest }),
  episodes: answers.map((one) => playAnswer(one)),
});

async function evaluated(options: Partial<EvaluateOptions> & { readonly answers: readonly Answered[] }) {
  const { answers, ...rest } = options;
  const evaluation = await evaluate({
    packId: samplePackId,
    truths: answers.map(truthOf),
    runs: [run(answers)],
    ...rest,
  });
  if (isRefusal(evaluation)) throw new Error(evaluation.message);
  return evaluation;
}

const answer = (id: number, truth: Truth, given: Truth, more: Partial<Answered> = {}): Answered => ({
  id: `ep-${id}`,
  truth,
  answer: given,
  ...more,
});

/** Eight episodes that a person can count. */
const eight: readonly Answered[] = [
  answer(1, signal, signal, {
    keeps: ["evidence"],
    leaning: { confidence: 0.9, leaning: "finalize_signal" },
  }),
  answer(2, signal, signal, {
    keeps: ["evidence", "other"],
    leaning: { confidence: 0.8, leaning: "finalize_signal" },
  }),
  answer(3, signal, low, { keeps: ["other"], leaning: { confidence: 0.6, leaning: "finalize_low_signal" } }),
  answer(4, low, low, { leaning: { confidence: 0.6, leaning: "finalize_low_signal" } }),
  answer(5, low, low),
  answer(6, low, abstain),
  answer(7, abstain, abstain),
  answer(8, abstain, signal, { leaning: { confidence: 0.5, leaning: "abstain" } }),
];

describe("eight episodes counted by hand", () => {
  it("give the accuracy over all and over decisions, coverage and risk", async () => {
    const { policies } = await evaluated({ answers: eight });
    const [policy] = policies;
    expect(policy?.accuracy).toMatchObject({ of: 6, value: 4 / 6 });
    expect(policy?.accuracy_decided).toMatchObject({ of: 5, value: 4 / 5 });
    expect(policy?.coverage).toMatchObject({ of: 6, value: 5 / 6 });
    expect(policy?.selective_risk).toMatchObject({ of: 5, value: 1 / 5 });
    // Two of the eight nobody could decide; in one of them it abstained, and that is no skill.
    expect(policy?.no_history).toEqual({ abstained: 1, count: 2 });
    expect(policy?.confusion).toEqual([
      { answers: { abstain: 0, finalize_low_signal: 1, finalize_signal: 2 }, truth: signal },
      { answers: { abstain: 1, finalize_low_signal: 2, finalize_signal: 0 }, truth: low },
      { answers: { abstain: 1, finalize_low_signal: 0, finalize_signal: 1 }, truth: abstain },
    ]);
  });

  it("give what the probabilities of a signal that were stated are worth", async () => {
    const { policies } = await evaluated({ answers: eight });
    const probability = policies[0]?.probability;
    // 0.9 and 0.8 for two signals, 0.4 for a signal, 0.4 for none: (0.01 + 0.04 + 0.36 + 0.16) / 4
    expect(probability?.brier.value).toBeCloseTo(0.1425, 12);
    expect(probability?.stated).toBe(4);
    // Of three pairs of a signal and none, two are in order and one is a tie.
    expect(probability?.auc.value).toBeCloseTo(2.5 / 3, 12);
    expect(probability?.log_loss.value).toBeCloseTo(
      -(Math.log(0.9) + Math.log(0.8) + Math.log(0.4) + Math.log(0.6)) / 4,
      12,
    );
    expect(probability?.calibration.bins.map(({ from, count, happened }) => [from, count, happened])).toEqual(
      [
        [0.4, 2, 0.5],
        [0.8, 1, 1],
        [0.9, 1, 1],
      ],
    );
    // (2 × 0.1 + 1 × 0.2 + 1 × 0.1) / 4
    expect(probability?.calibration.expected_error).toBeCloseTo(0.125, 12);
  });

  it("put a probability of one into the last bin", async () => {
    const sure = [answer(1, signal, signal, { leaning: { confidence: 1, leaning: "finalize_signal" } })];
    const { policies } = await evaluated({ answers: sure });
    expect(policies[0]?.probability?.calibration.bins).toEqual([
      { count: 1, from: 0.9, happened: 1, probability: 1, to: 1 },
    ]);
  });

  it("give what it took, and nothing about what was kept, since the evidence is the same everywhere", async () => {
    const { policies } = await evaluated({ answers: eight });
    expect([policies[0]?.keep, policies[0]?.retained, policies[0]?.drop]).toEqual([null, null, null]);
    expect(policies[0]?.work).toMatchObject({
      keeps: { value: 4 / 8 },
      reads: { value: 4 / 8 },
      refusals: { value: 0 },
      // Four reads and keeps, five updates, eight ends.
      steps: { value: (4 + 4 + 5 + 8) / 8 },
      updates: { value: 5 / 8 },
    });
    expect(policies[0]?.stop_reasons).toEqual([{ count: 8, reason: "evidence_sufficient" }]);
  });

  it("give what was kept against the evidence where that differs between episodes", async () => {
    const truths = eight.map(truthOf);
    const [first, ...others] = truths as [EpisodeTruth, ...EpisodeTruth[]];
    const { ground_truth_reference: truth } = first;
    const other = { ...first, ground_truth_reference: { ...truth, evidence: [] } };
    const { policies } = await evaluated({ answers: eight, truths: [other, ...others] });
    // The first has none now; of the three others that were kept one is evidence, of seven places.
    expect(policies[0]?.keep).toMatchObject({
      precision: { of: 4, value: 1 / 4 },
      recall: { of: 7, value: 1 / 7 },
    });
  });

  it("give a curve that takes the surest decisions first, ties together, and ends at what was done", async () => {
    const { policies } = await evaluated({ answers: eight });
    expect(policies[0]?.risk_curve).toEqual([
      { confidence: 0.9, coverage: 1 / 6, risk: 0 },
      { confidence: 0.8, coverage: 2 / 6, risk: 0 },
      { confidence: 0.6, coverage: 4 / 6, risk: 1 / 4 },
      { confidence: null, coverage: 5 / 6, risk: 1 / 5 },
    ]);
    expect(riskCurve([])).toEqual([]);
    // Of six that could be decided: one, two, three, five and six of the surest; it decided five.
    expect(policies[0]?.risk_at_coverage).toEqual([
      { coverage: 0.1, risk: 0 },
      { coverage: 0.25, risk: 0 },
      { coverage: 0.5, risk: 1 / 3 },
      { coverage: 0.75, risk: 1 / 5 },
      { coverage: 1, risk: null },
    ]);
  });

  it("stand beside baselines on the same episodes, and are compared with each of them", async () => {
    const { policies, comparisons, truths } = await evaluated({ answers: eight });
    expect(policies.map(({ label, kind, accuracy }) => [label, kind, accuracy.value])).toEqual([
      ["sample.v1", "run", 4 / 6],
      ["always-signal", "baseline", 3 / 6],
      ["always-low", "baseline", 3 / 6],
      ["always-abstain", "baseline", 0],
    ]);
    expect(truths).toEqual({ abstain: 2, finalize_low_signal: 3, finalize_signal: 3 });
    expect(comparisons[0]).toEqual({
      accuracy: { episodes: 6, interval: null, value: 1 / 6, verdict: "cannot tell" },
      against: "always-signal",
      auc: null,
      better: 2,
      brier: null,
      cost: null,
      episodes: 6,
      equal: 3,
      label: "sample.v1",
      log_loss: null,
      worse: 1,
    });
    expect(comparisons.map(({ against }) => against)).toEqual([
      "always-signal",
      "always-low",
      "always-abstain",
    ]);
  });

  it("cost what a matrix says, where they could be decided", async () => {
    const costs = {
      finalize_low_signal: { abstain: 1, finalize_low_signal: 0, finalize_signal: 3 },
      finalize_signal: { abstain: 2, finalize_low_signal: 10, finalize_signal: -1 },
    };
    const { policies, comparisons } = await evaluated({ answers: eight, costs });
    // Two signals found, one missed; two lows found, one abstained from.
    expect(policies[0]?.cost_by_matrix).toMatchObject({ of: 6, value: (-1 - 1 + 10 + 0 + 0 + 1) / 6 });
    expect(policies[1]?.cost_by_matrix?.value).toBeCloseTo((-3 + 9) / 6, 12);
    expect(comparisons[0]?.cost?.value).toBeCloseTo(9 / 6 - 6 / 6, 12);
  });

  it("are a table that fits a terminal", async () => {
    const plain = (text: string) => text;
    const paint = { strong: plain, dim: plain, good: plain, bad: plain, note: plain };
    const table = evaluationTable(await evaluated({ answers: eight }), paint);
    expect(`\n${table.slice(0, 7).join("\n")}`).toBe(`
                  accuracy  decided right  coverage  AUC    log loss  Brier skill  steps  cost
  sample.v1       66.7 %    80.0 %         83.3 %    0.833  0.439     –            2.6    –
  always-signal   50.0 %    50.0 %         100.0 %   –      –         –            –      –
  always-low      50.0 %    50.0 %         100.0 %   –      –         –            –      –
  always-abstain  0.0 %     –              0.0 %     –      –         –            –      –
  part all: all parts, so no measure of a policy that has learnt from it
  8 episodes of 1 market and 1 day · truth: 3 signal, 3 low; 2 without history, counted apart · no intervals: there are 1 markets, and 6 are needed`);
    expect(table.slice(7).join("\n")).toContain("sample.v1 against always-low     +16.7 points cannot tell");
  });
});

describe("what was kept", () => {
  it("counts by view and window of the market asked about, at the end, and a drop of evidence counts against drops", () => {
    const btc = { anchor_market: "BTC", window_id: windowIds[1] };
    const ending = { open_risks: [], retained_artifact_ids: ["$1"], stop_reason: "evidence_missing" };
    const episode = playEpisode(
      sampleEpisode(),
      script([
        ["read_persistence", btc],
        ["read_persistence", { ...btc, anchor_market: "ETH" }],
        ["read_persistence", { ...btc, window_id: windowIds[0] }],
        ["keep_artifact", { artifact_id: "$0" }],
        ["keep_artifact", { artifact_id: "$1" }],
        ["keep_artifact", { artifact_id: "$2" }],
        ["prune_working_set", { artifact_ids: ["$0", "$2"], reason: "superseded" }],
        ["abstain", ending],
      ]),
    );
    const { work } = judge(episode, truthOf({ id: "ep-1", truth: signal, answer: abstain }));
    expect(work).toMatchObject({
      kept: { artifacts: 1, found: 0, hits: 0, places: 1 },
      retained: { artifacts: 1, hits: 0 },
      dropped: { artifacts: 2, hits: 1 },
      stopReason: "evidence_missing",
    });
  });
});

describe("what was done in an episode", () => {
  it("is counted by the kind of its steps, with what was refused", () => {
    const btc = { anchor_market: "BTC", window_id: windowIds[1] };
    const ending = { open_risks: [], retained_artifact_ids: [], stop_reason: "history_missing: no rows" };
    const branch = { anchor_market: "BTC", window_ids: [...windowIds] };
    const episode = playEpisode(
      sampleEpisode(),
      script([
        ["read_persistence", btc],
        ["read_everything", {}],
        ["keep_artifact", { artifact_id: "$0" }],
        ["drop_artifact", { artifact_id: "$0" }],
        ["branch_subquery", { arguments: branch, subquery_type: "derived_metrics" }],
        ["keep_artifact", { artifact_id: "$1" }],
        ["prune_working_set", { artifact_ids: ["$1"], reason: "irrelevant" }],
        ["decision_update", { stop_candidate: { confidence: 0.5, leaning: "abstain" } }],
        ["decision_update", { stop_candidate: { confidence: 0.7, leaning: "abstain" } }],
        ["abstain", ending],
      ]),
    );
    const judgement = judge(episode, truthOf({ id: "ep-1", truth: signal, answer: abstain }));
    expect(judgement.work).toMatchObject({
      counts: {
        ...{ branches: 1, drops: 1, keeps: 2, prunes: 1, reads: 3, refusals: 1, updates: 2 },
        steps: episode.steps.length,
      },
      stopReason: "history_missing",
    });
    expect(judgement).toMatchObject({ answer: abstain, leaning: { confidence: 0.7 }, market: "BTC" });
  });
});

describe("repeated runs", () => {
  const right = (id: number) => answer(id, signal, signal);
  const wrong = (id: number) => answer(id, signal, low);
  const runs = [
    run([right(1), right(2), wrong(3)], { policy_params: { seed: 1, temperature: 1 } }, "runs/1"),
    run([right(1), wrong(2), wrong(3)], { policy_params: { seed: 2, temperature: 1 } }, "runs/2"),
    run([right(1), right(2), wrong(3)], { policy_params: { seed: 3, temperature: 1 } }, "runs/3"),
  ];
  const answers = [right(1), right(2), right(3)];

  it("of one policy are one row, whose pass^k is the share of draws that are all right", async () => {
    const { policies } = await evaluated({ answers, runs, baselines: false });
    expect(policies).toHaveLength(1);
    expect(policies[0]).toMatchObject({ episode_count: 3, runs: ["runs/1", "runs/2", "runs/3"] });
    expect(policies[0]?.accuracy.value).toBeCloseTo(5 / 9, 12);
    const [one, two, three] = policies[0]?.pass.map(({ share }) => share.value) ?? [];
    expect(one).toBeCloseTo((1 + 2 / 3 + 0) / 3, 12);
    expect(two).toBeCloseTo((1 + 1 / 3 + 0) / 3, 12);
    expect(three).toBeCloseTo(1 / 3, 12);
  });

  it("with other parameters are another row under a name that tells them apart", async () => {
    const other = run([right(1), right(2), right(3)], { policy_params: { temperature: 0 } }, "runs/cold");
    const { policies, comparisons } = await evaluated({
      answers,
      runs: [...runs, other],
      baselines: false,
      against: "sample.v1 (runs/cold)",
    });
    expect(policies.map(({ label }) => label)).toEqual([
      "sample.v1 (runs/1, runs/2, runs/3)",
      "sample.v1 (runs/cold)",
    ]);
    expect(comparisons).toMatchObject([{ better: 0, equal: 1, worse: 2 }]);
    expect(comparisons[0]?.accuracy?.value).toBeCloseTo(-4 / 9, 12);
  });

  it("of a policy that is called like a baseline are not taken for it", async () => {
    const named = run([right(1), right(2), right(3)], { policy_id: "always-low" }, "runs/low");
    const { policies } = await evaluated({ answers, runs: [named] });
    expect(policies[0]?.label).toBe("always-low (runs/low)");
  });

  it("cost what their bills say together, and nothing is claimed where one is missing", async () => {
    const bill = (cost_usd: number) => ({ cost_usd, jobs: 1, sessions: [], wall_ms: 10 });
    const paid = runs.map((each, i) => ({ ...each, sidecar: bill(i) }));
    const { policies } = await evaluated({ answers, runs: paid, baselines: false });
    expect(policies[0]?.cost).toEqual({ per_episode_usd: 3 / 9, total_usd: 3 });
    const [first, ...others] = runs;
    const some = [...others.map((each) => ({ ...each, sidecar: bill(1) })), first as (typeof runs)[number]];
    expect((await evaluated({ answers, runs: some })).policies[0]?.cost).toBeNull();
  });
});

describe("an evaluation", () => {
  it("counts episodes that did not end and leaves them out", async () => {
    const { policies } = await evaluated({ answers: eight, runs: [run(eight, { episode_count: 11 })] });
    expect(policies[0]?.missing_count).toBe(3);
  });

  it("refuses a run of another pack, an episode without a truth, and an unknown name to compare with", async () => {
    const options = { packId: samplePackId, truths: eight.map(truthOf), runs: [run(eight)] };
    expect(await evaluate({ ...options, packId: "pack_other" })).toMatchObject({
      refused: "eval_pack_mismatch",
    });
    expect(await evaluate({ ...options, truths: eight.slice(1).map(truthOf) })).toMatchObject({
      refused: "eval_truth_missing",
      message: "runs/a: episode ep-1 of BTC has no truth in this pack",
    });
    expect(await evaluate({ ...options, runs: [run([...eight, ...eight])] })).toMatchObject({
      refused: "eval_truth_missing",
      message: "runs/a: episode ep-1 of BTC is in the run twice",
      detail: { episode_id: "ep-1" },
    });
    const elsewhere = [answer(1, signal, signal, { market: "DOGE" })];
    expect(await evaluate({ ...options, runs: [run(elsewhere)] })).toMatchObject({
      refused: "eval_truth_missing",
      message: "runs/a: episode ep-1 of DOGE has no truth in this pack",
    });
    expect(await evaluate({ ...options, against: "sample" })).toMatchObject({ refused: "input_invalid" });
  });

  it("says nothing of the truth but its class, fits its schema, and is the same bytes every time", async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      ...(eight[i % 8] as Answered),
      id: `ep-${i}`,
      market: `M${i % 12}`,
      hour: 487_000 + 24 * i,
    }));
    const [one, again] = [
      await evaluated({ answers: many }),
      await evaluated({ answers: many.toReversed() }),
    ];
    const written = JSON.stringify(one) + evaluationPlot(one);
    expect(written).not.toContain(truthCanary);
    expect(Compile(Evaluation).Check(one)).toBe(true);
    expect(JSON.stringify(again)).toBe(JSON.stringify(one));
    expect(evaluationPlot(again)).toBe(evaluationPlot(one));
    expect(one.comparisons[0]?.accuracy?.interval).not.toBeNull();
    expect([one.block, one.block_count, one.no_interval]).toEqual(["week", 9, null]);
  });
});

describe("the plot", () => {
  it("names every policy and baseline that decides, with its accuracy, and escapes what would break it", async () => {
    const odd = run(eight, { policy_id: 'a<b>&"c"' });
    const svg = evaluationPlot(await evaluated({ answers: eight, runs: [odd] }));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 980 \d+"/);
    const said = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    expect(said).toEqual(
      expect.arrayContaining(["a&lt;b&gt;&amp;&quot;c&quot;", "66.7 %", "always-signal", "always-low"]),
    );
    expect(said).not.toContain("always-abstain");
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg.endsWith("</svg>\n")).toBe(true);
  });

  it("is drawn for no baselines, a policy that always abstains, and one that is always right", async () => {
    for (const given of [abstain, signal]) {
      const answers = [1, 2, 3].map((id) => answer(id, signal, given));
      const svg = evaluationPlot(await evaluated({ answers, baselines: false }));
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
