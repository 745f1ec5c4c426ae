/** Which episodes of a run are judged, and what that says about the measure. */
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type Answered, playAnswer, truthOf } from "../../../../test/support/answered-episodes.js";
import { low, signal } from "../../../../test/support/judgements.js";
import { sampleManifest, samplePackId } from "../../../../test/support/played-episodes.js";
import type { PartName } from "../pack/parts.js";
import { bestBaseline, evaluate, type EvaluateOptions } from "./evaluate.js";
import type { Evaluation, PolicyEvaluation } from "./types.js";

const first = 487_000;
const day = 24;
/** Thirty days, an episode each: ten to learn from, ten for validation, ten to judge; every third a signal. */
const answers: readonly Answered[] = Array.from({ length: 30 }, (_, i) => ({
  id: `ep-${String(i).padStart(2, "0")}`,
  market: `M${i % 7}`,
  hour: first + day * i,
  truth: i % 3 === 0 ? signal : low,
  answer: low,
}));
const partOf = ({ hour = 0 }: { readonly hour: number | undefined }): PartName =>
  hour < first + day * 10 ? "train" : hour < first + day * 20 ? "validation" : "test";

const run = (name: string, given = answers, params: Record<string, number> = {}) => ({
  name,
  manifest: sampleManifest({ episode_count: given.length, policy_id: name, policy_params: params }),
  episodes: given.map((one) => playAnswer(one)),
});

async function evaluated(options: Partial<EvaluateOptions> = {}): Promise<Evaluation> {
  const found = await evaluate({
    packId: samplePackId,
    truths: answers.map(truthOf),
    runs: [run("mine")],
    partOf,
    ...options,
  });
  if (isRefusal(found)) throw new Error(found.message);
  return found;
}

describe("the part that is judged", () => {
  it("is the one that was named; train and all are no measure", async () => {
    for (const [part, episodes, measure] of [
      ["train", 10, false],
      ["validation", 10, true],
      ["test", 10, true],
      ["all", 30, false],
    ] as const) {
      const found = await evaluated({ part });
      expect([found.part, found.episode_count, found.is_measure]).toEqual([part, episodes, measure]);
      expect(found.policies[0]).toMatchObject({
        episode_count: episodes,
        counted_as_train: 0,
        missing_count: 0,
      });
    }
    expect(await evaluated()).toMatchObject({ part: "all", episode_count: 30 });
  });

  it("is held against a base rate of the training part: four signals of ten", async () => {
    const { base_rate, policies } = await evaluated({ part: "test" });
    expect(base_rate).toBe(5 / 12);
    expect(policies.map(({ label }) => label)).toEqual([
      ...["mine", "always-signal", "always-low", "always-abstain", "base-rate", "last-outcome"],
    ]);
    expect(policies[4]?.probability?.brier_skill.value).toBeCloseTo(0, 12);
    const { partOf: _, ...without } = { partOf };
    expect((await evaluated({ part: "all", ...without, partOf: () => undefined })).base_rate).toBeNull();
  });

  it("leaves out what a model had learnt from, counts it, and says so only where it would have been judged", async () => {
    const until = first + day * 25;
    const learntUntil = () => until;
    const test = await evaluated({ part: "test", learntUntil });
    expect(test.policies[0]).toMatchObject({ episode_count: 5, counted_as_train: 5 });
    expect(test.episode_count).toBe(5);
    // What begins exactly then was not learnt from.
    expect((await evaluated({ part: "test", learntUntil: () => until + 1 })).episode_count).toBe(4);
    const train = await evaluated({ part: "train", learntUntil });
    expect(train.policies[0]).toMatchObject({ episode_count: 25, counted_as_train: 0 });
    const all = await evaluated({ part: "all", learntUntil });
    expect(all.policies[0]).toMatchObject({ episode_count: 30, counted_as_train: 0 });
  });

  it("holds only what was chosen of it", async () => {
    const chosen: EvaluateOptions["chosen"] = ({ anchor_market, hour, episode_id }) =>
      anchor_market !== "M0" && hour !== first + day * 20 && episode_id !== "ep-22";
    // Of the last ten M0 is ep-21 and ep-28.
    expect((await evaluated({ part: "test", chosen })).episode_count).toBe(6);
  });

  it("is refused where nothing is in it, or where no episode has ended", async () => {
    const options = { packId: samplePackId, truths: answers.map(truthOf), partOf };
    const early = answers.slice(0, 5);
    expect(await evaluate({ ...options, runs: [run("mine", early)], part: "test" })).toMatchObject({
      refused: "eval_part_empty",
    });
    expect(await evaluate({ ...options, runs: [run("mine", [])] })).toMatchObject({
      refused: "run_incomplete",
    });
  });

  it("counts what did not end against the run, whatever the part", async () => {
    const some = { ...run("mine", answers.slice(0, 25)) };
    const manifest = { ...some.manifest, episode_count: 30 };
    const { policies, episode_count } = await evaluated({ part: "test", runs: [{ ...some, manifest }] });
    expect([episode_count, policies[0]?.missing_count]).toEqual([5, 5]);
    const more = { ...some, manifest: { ...manifest, episode_count: 20 } };
    expect((await evaluated({ part: "test", runs: [more] })).policies[0]?.missing_count).toBe(0);
  });

  it("has intervals from six markets and six blocks on, and says what is missing", async () => {
    expect((await evaluated()).no_interval).toBeNull();
    const narrow = answers.map((each, i) => ({ ...each, market: `M${i % 5}` }));
    const fewMarkets = await evaluated({ truths: narrow.map(truthOf), runs: [run("mine", narrow)] });
    expect(fewMarkets.no_interval).toBe("there are 5 markets, and 6 are needed");
    const short = answers.map((each, i) => ({ ...each, hour: first + day * (i % 5) }));
    const fewDays = await evaluated({ truths: short.map(truthOf), runs: [run("mine", short)] });
    expect(fewDays).toMatchObject({ block: "day", block_count: 5, market_count: 7 });
    expect(fewDays.no_interval).toBe("there are 5 days, and 6 are needed");
  });
});

describe("rows", () => {
  it("are compared with the baselines and with every run before them", async () => {
    const { comparisons } = await evaluated({ runs: [run("a"), run("b")], partOf: () => undefined });
    expect(comparisons.map(({ label, against }) => `${label} ${against}`)).toEqual([
      ...["a always-signal", "a always-low", "a always-abstain"],
      ...["b a", "b always-signal", "b always-low", "b always-abstain"],
    ]);
    const named = await evaluated({ runs: [run("a"), run("b")], against: "always-low" });
    expect(named.comparisons.map(({ label, against }) => `${label} ${against}`)).toEqual([
      ...["a always-low", "b always-low"],
    ]);
  });

  it("are repeats where only seed and repeat differ", async () => {
    const runs = [
      { ...run("a", answers, { seed: 1, repeat: 1, heat: 1 }), name: "one" },
      { ...run("a", answers, { seed: 2, heat: 1, repeat: 2 }), name: "two" },
      { ...run("a", answers, { seed: 2, heat: 2 }), name: "three" },
    ];
    const { policies } = await evaluated({ runs, baselines: false });
    expect(policies.map(({ label, runs: names }) => [label, names])).toEqual([
      ["a (one, two)", ["one", "two"]],
      ["a (three)", ["three"]],
    ]);
  });

  it("name the best baseline: by accuracy, of equals the first, and none where there is none", () => {
    const row = (label: string, kind: PolicyEvaluation["kind"], value: number | null) =>
      ({ label, kind, accuracy: { value } }) as unknown as PolicyEvaluation;
    const rows = [
      row("mine", "run", 1),
      row("a", "baseline", 0.2),
      row("b", "baseline", 0.6),
      row("c", "baseline", 0.6),
    ];
    expect(bestBaseline(rows)?.label).toBe("b");
    expect(bestBaseline([row("n", "baseline", null)])?.label).toBe("n");
    expect(bestBaseline(rows.slice(0, 1))).toBeUndefined();
  });

  it("say of what was kept only where the evidence differs between episodes, whatever its order", async () => {
    const truths = answers.map(truthOf);
    const withEvidence = (i: number, names: readonly ("persistence" | "market_state")[]) => ({
      ...(truths[i] as (typeof truths)[number]),
      ground_truth_reference: {
        ...(truths[i] as (typeof truths)[number]).ground_truth_reference,
        evidence: names.map((view_name) => ({ view_name, window_id: "w" })),
      },
    });
    const same = truths.map((_, i) =>
      withEvidence(i, i % 2 === 0 ? ["persistence", "market_state"] : ["market_state", "persistence"]),
    );
    expect((await evaluated({ truths: same })).policies[0]?.keep).toBeNull();
    const differs = same.map((each, i) => (i === 3 ? withEvidence(i, ["persistence"]) : each));
    expect((await evaluated({ truths: differs })).policies[0]?.keep).not.toBeNull();
  });
});
