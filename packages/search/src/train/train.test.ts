import { sha256Hex } from "@bridle/record";
import { describe, expect, it } from "vitest";
import type { Lesson, Moment } from "./examples.js";
import { keepFeatureNames, stopFeatureNames } from "./features.js";
import { type Model, modelDigest, modelFailure, modelText, readModel } from "./model.js";
import { trainModel } from "./train.js";

/** The first feature after the constant tells the answer, four times of five. */
function moment(names: readonly string[], value: number, positive: boolean): Moment {
  return { features: names.map((_, i) => (i === 0 ? 1 : i === 1 ? value : 0)), positive };
}

function lessons(part: Lesson["part"], count: number, from: number): Lesson[] {
  return Array.from({ length: count }, (_, i) => {
    const leaning = i % 2 === 0;
    const positive = i % 5 === 0 ? !leaning : leaning;
    return {
      anchor_market: `C${i % 9}`,
      window_id: `${new Date((from + 24 * i) * 3_600_000).toISOString().slice(0, 13)}:00Z/24h`,
      key: `pack_${i % 2}/ep-${i}`,
      part,
      stop: [moment(stopFeatureNames, leaning ? 1 : -1, positive)],
      keep: [moment(keepFeatureNames, 1, true), moment(keepFeatureNames, 0, false)],
    };
  });
}

const start = 480_000;
const train = lessons("train", 60, start);
const validation = lessons("validation", 40, start + 24 * 100);
const all = [...train, ...validation];

/** Made in the first test that asks: a mistake in the training is to fail tests, not their file. */
let made: Model | undefined;
const trained = (): Model => (made ??= trainModel(all, { embargoHours: 24 }));

describe("training", () => {
  it("learns what the training part shows, and is judged on the validation part", () => {
    const model = trained();
    expect(modelFailure(model)).toBeUndefined();
    expect(model.stop.feature_names).toEqual(stopFeatureNames);
    expect(model.keep.feature_names).toEqual(keepFeatureNames);
    expect(model.stop.validation).toMatchObject({
      base_rate: "0.500000",
      examples: 40,
      markets: 9,
      positives: 20,
    });
    expect(model.keep.validation).toMatchObject({ base_rate: "0.500000", examples: 80, positives: 40 });
    // What tells the answer weighs, what is always zero does not.
    expect(Number(model.stop.weights[1])).toBeGreaterThan(0.4);
    expect(model.stop.weights.slice(2).every((weight) => weight === "0.000000")).toBe(true);
    expect(model.stop.weights).toHaveLength(stopFeatureNames.length);
    expect(Number(model.stop.validation.gain)).toBeCloseTo(
      Number(model.stop.validation.base_log_loss) - Number(model.stop.validation.log_loss),
      5,
    );
  });

  it("takes the loosest penalty where the feature is sure, and the tightest where it says nothing", () => {
    const model = trained();
    expect(model.keep.penalty).toBe("0.001000");
    const noise = all.map((each, i) => ({
      ...each,
      // The same in both halves of every coin's lessons.
      stop: [moment(stopFeatureNames, i % 3 === 0 ? 1 : -1, i % 2 === 0)],
    }));
    const other = trainModel(noise, { embargoHours: 24 });
    expect(other.stop.penalty).toBe("0.100000");
    expect(other.stop.failed).toMatch(/not more than one standard error/);
    expect(modelFailure(other)).toBe(`stop: ${other.stop.failed}`);
  });

  it("says what it was made from, and until when that counts as learnt: the last hour and the embargo", () => {
    const model = trained();
    expect(model.training).toMatchObject({
      markets: ["C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8"],
      pack_ids: ["pack_0", "pack_1"],
      trajectories: 60,
      validation_trajectories: 40,
      until_hour: start + 24 * 139 + 24,
    });
    expect(trainModel(all, { embargoHours: 100 }).training.until_hour).toBe(start + 24 * 139 + 100);
    const undated = all.map((each) => ({ ...each, window_id: "a week" }));
    expect(trainModel(undated, { embargoHours: 5 }).training.until_hour).toBe(5);
  });

  it("does not depend on the order, nor on lessons of other parts, and does on every lesson of its own", () => {
    const model = trained();
    const others = [...lessons("test", 20, start), ...lessons(undefined, 20, start)];
    expect(modelText(trainModel([...others, ...all.toReversed()], { embargoHours: 24 }))).toBe(
      modelText(model),
    );
    const [first, ...rest] = all as [Lesson, ...Lesson[]];
    const digestOf = (given: readonly Lesson[]) =>
      trainModel(given, { embargoHours: 24 }).training.examples_sha256;
    const digests = [
      digestOf(all),
      digestOf(rest),
      digestOf([{ ...first, part: "validation" }, ...rest]),
      digestOf([{ ...first, anchor_market: "X" }, ...rest]),
    ];
    expect(new Set(digests).size).toBe(4);
    expect(digestOf([])).toBe(sha256Hex(""));
  });

  it("has failed without a validation part", () => {
    const model = trained();
    const { stop, keep } = trainModel(train, { embargoHours: 24 });
    expect(stop.failed).toMatch(/no trajectory of the validation part/);
    expect(stop.validation).toMatchObject({ standard_error: null, calibration_standard_error: null });
    expect(modelFailure({ ...model, stop: { ...model.stop, ...stop }, keep })).toBe(
      `stop: ${stop.failed}; keep: ${keep.failed}`,
    );
  });
});

describe("a model as a file", () => {
  it("is read back as it was, and named by its members whatever their order", () => {
    const model = trained();
    const text = modelText(model);
    expect(readModel(text, "m.json")).toEqual(model);
    expect(text.endsWith("}\n")).toBe(true);
    expect(text.split("\n")[1]).toMatch(/^ {2}"/);
    const turned = Object.fromEntries(Object.entries(model).toReversed()) as unknown as typeof model;
    expect(modelDigest(turned)).toBe(modelDigest(model));
    expect(modelDigest({ ...model, feature_version: "2" })).not.toBe(modelDigest(model));
  });

  it.each<
    [string, (broken: { keep: Record<string, unknown>; stop: Record<string, unknown> }) => void, RegExp]
  >([
    ["keep weighs another feature", ({ keep }) => (keep["feature_names"] = ["x"]), /keep has other features/],
    ["stop lacks a weight", ({ stop }) => (stop["weights"] as string[]).pop(), /stop has other features/],
    ["keep has a weight too many", ({ keep }) => (keep["weights"] as string[]).push("0.0"), /keep has other/],
    ["a weight is no decimal", ({ keep }) => ((keep["weights"] as string[])[0] = "1"), /m\.json: /],
    ["a member is unknown", ({ keep }) => (keep["more"] = 1), /m\.json: /],
  ])("is refused where %s", (_, spoil, why) => {
    const text = modelText(trained());
    const broken = JSON.parse(text) as Parameters<typeof spoil>[0];
    spoil(broken);
    let thrown: unknown;
    try {
      readModel(JSON.stringify(broken), "m.json");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      failureClass: "model_invalid",
      message: expect.stringMatching(why) as string,
    });
  });
});
