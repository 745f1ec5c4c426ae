import { describe, expect, it } from "vitest";
import { low, signal } from "../../../../test/support/judgements.js";
import { costOf, readCosts } from "./costs.js";
import { learntUntil } from "./learnt-until.js";

const row = { abstain: 1, finalize_low_signal: 5, finalize_signal: -2 };
const matrix = { finalize_low_signal: { ...row, finalize_signal: 3 }, finalize_signal: row };

describe("a matrix of costs", () => {
  it("is by truth, then by answer; what nobody could decide costs nothing", () => {
    const costs = readCosts(JSON.stringify(matrix), "costs.json");
    expect(costs).toEqual(matrix);
    expect(costOf({ truth: signal, answer: low }, costs)).toBe(5);
    expect(costOf({ truth: low, answer: signal }, costs)).toBe(3);
    expect(costOf({ truth: "abstain", answer: signal }, costs)).toBeUndefined();
  });

  it.each([
    ["{", /costs\.json: .*not JSON/],
    ["{}", /costs\.json: /],
    [JSON.stringify({ ...matrix, abstain: row }), /costs\.json: /],
    [JSON.stringify({ ...matrix, finalize_signal: { ...row, more: 1 } }), /costs\.json: /],
    [JSON.stringify({ ...matrix, finalize_signal: { ...row, abstain: "1" } }), /costs\.json: /],
    [JSON.stringify({ ...matrix, finalize_signal: { abstain: 1 } }), /costs\.json: /],
  ])("is refused where it is %s", (text, why) => {
    let thrown: unknown;
    try {
      readCosts(text, "costs.json");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      failureClass: "input_invalid",
      message: expect.stringMatching(why) as string,
    });
  });
});

describe("until when what decided had learnt", () => {
  it.each([
    [{ trained_model: { training: { until_hour: 7 } }, learnt_until_hour: 1 }, 7],
    [{ trained_model: { split: { cut_hour: 8 } }, learnt_until_hour: 1 }, 8],
    [{ trained_model: { training: { until_hour: 0 }, split: { cut_hour: 8 } } }, 0],
    [{ learnt_until_hour: 9 }, 9],
    [{ learnt_until_hour: "9" }, undefined],
    [{ trained_model: "model.json", learnt_until_hour: 9 }, 9],
    [{ trained_model: { training: 3 } }, undefined],
    [{}, undefined],
  ])("of %j", (policy_params, hour) => {
    expect(learntUntil({ policy_params })).toBe(hour);
  });
});
