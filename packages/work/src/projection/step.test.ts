/** What a row of a trajectory is, before it is written and when it is read. */
import { isRefusal, type JsonObject } from "@bridle/record";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { Step } from "../types.js";
import { newStep, type StepInput, StepReader } from "./step.js";

const fits = Compile(Step);
const order = Object.keys(Step.properties);
const good: StepInput = {
  stepId: "s-1",
  action: "verify",
  resultClass: "accepted",
  finishedAt: "2026-01-31T09:30:00Z",
};
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("", " ", " a ", "𝒳"));
const time = fc.constantFrom(
  "2026-01-31T09:30:00Z",
  " 2026-01-31T09:30:00.5+01:00 ",
  "",
  " ",
  "yesterday",
  "2026-02-30T00:00:00Z",
);
const inputs: fc.Arbitrary<StepInput> = fc.record(
  {
    stepId: text,
    action: text,
    resultClass: text,
    finishedAt: time,
    issueId: text,
    startedAt: time,
    instructionRefs: fc.array(text, { maxLength: 4 }),
    witnessRefs: fc.array(text, { maxLength: 4 }),
    lineageRefs: fc.array(text, { maxLength: 4 }),
  },
  { requiredKeys: ["stepId", "action", "resultClass", "finishedAt"] },
);

describe("a new step", () => {
  it("has its kind, its schema and its members in order [TUSK-12.7] [TUSK-12.8] [TUSK-12.9] [TUSK-12.11] [RUNTIME-6.2] [RUNTIME-6.4]", () => {
    const step = newStep({
      ...good,
      issueId: "bd-1",
      lineageRefs: ["l"],
      instructionRefs: ["i"],
      witnessRefs: ["w"],
      startedAt: "2026-01-31T09:00:00Z",
    });
    expect(JSON.stringify(step)).toBe(
      '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"s-1","issueId":"bd-1","action":"verify",' +
        '"resultClass":"accepted","instructionRefs":["i"],"witnessRefs":["w"],"lineageRefs":["l"],' +
        '"startedAt":"2026-01-31T09:00:00Z","finishedAt":"2026-01-31T09:30:00Z"}',
    );
  });

  it("links witnesses by reference and has no place for their payload [TUSK-12.4] [TUSK-6.3]", () => {
    const step = newStep({ ...good, witnessRefs: ["ci://1"], payload: { log: "…" } } as StepInput);
    expect(step).toEqual({ ...newStep(good), witnessRefs: ["ci://1"] });
  });

  it("has its refs trimmed, sorted and without repeats [TUSK-12.15]", () => {
    expect(newStep({ ...good, witnessRefs: [" b", "a ", "", "b", "\uffff", "𝒳"] })).toMatchObject({
      witnessRefs: ["a", "b", "\uffff", "𝒳"],
    });
  });

  it("drops optional values that are empty [TUSK-12.16]", () => {
    expect(newStep({ ...good, issueId: " ", startedAt: "", witnessRefs: [" "], lineageRefs: [] })).toEqual(
      newStep(good),
    );
  });

  it.each(["stepId", "action", "resultClass", "finishedAt"] as const)(
    "is refused with a blank %s",
    (member) => {
      expect(newStep({ ...good, [member]: " \n" })).toMatchObject({
        refused: "step_invalid",
        message: `${member} must be non-empty`,
      });
    },
  );

  it.each(["finishedAt", "startedAt"] as const)(
    "is refused with a malformed %s [TUSK-12.17] [TUSK-12.10] [TUSK-12.12] [RUNTIME-6.3]",
    (member) => {
      for (const malformed of ["yesterday", "2026-02-30T00:00:00Z", "2026-01-31T25:00:00Z", "2026-01-31"]) {
        const refusal = newStep({ ...good, [member]: malformed });
        expect(refusal).toMatchObject({ refused: "timestamp_invalid" });
        expect(isRefusal(refusal) && refusal.message).toContain(`${member} must be RFC3339`);
      }
    },
  );

  it("is normalised once and for all, fits the published schema, and reads back as itself", () => {
    const reader = new StepReader();
    let accepted = 0;
    holds(
      fc.property(inputs, (input) => {
        const step = newStep(input);
        if (isRefusal(step)) return;
        accepted++;
        expect(newStep(step)).toEqual(step);
        expect(fits.Check(step)).toBe(true);
        expect(reader.step(step as unknown as JsonObject)).toEqual(step);
        expect(Object.keys(step)).toEqual(order.filter((member) => member in step));
      }),
      2_000,
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

describe("a row that stands in a file", () => {
  const reader = new StepReader();
  const row = (change: object = {}) => ({
    schema: 1,
    stepKind: "premath.harness.step.v1",
    ...good,
    ...change,
  });

  it.each<[object, RegExp]>([
    [{ stepKind: "premath.harness.step.v2" }, /^stepKind is "premath.harness.step.v2", expected/],
    [{ schema: 2 }, /^schema is 2, expected 1/],
    [{ stepId: undefined }, /^stepId is missing/],
    [{ stepId: " " }, /^stepId is " "/],
    [{ action: 5 }, /^action is 5/],
    [{ resultClass: null }, /^resultClass is null/],
    [{ finishedAt: undefined }, /^finishedAt is missing/],
    [{ finishedAt: "2026-02-30T00:00:00Z" }, /^finishedAt is .* RFC3339/],
    [{ startedAt: "soon" }, /^startedAt is "soon"/],
    [{ issueId: 7 }, /^issueId is 7/],
    [{ witnessRefs: "w" }, /^witnessRefs is "w"/],
    [{ lineageRefs: [1] }, /^lineageRefs is \[1\]/],
  ])(
    "and is no step is told by what is wrong: %j [TUSK-12.7] [TUSK-12.8] [TUSK-12.9] [RUNTIME-6.2] [RUNTIME-6.3]",
    (change, problem) => {
      expect(reader.problem(row(change) as unknown as JsonObject)).toMatch(problem);
      expect(reader.step(row(change) as unknown as JsonObject)).toBeUndefined();
    },
  );

  it("is read normalised; nulls are absent and members of a newer version are no problem", () => {
    const read = row({
      stepId: " s-1 ",
      finishedAt: ` ${good.finishedAt} `,
      witnessRefs: ["b", "a", "b"],
      issueId: null,
      startedAt: null,
      lineageRefs: null,
      attempt: 3,
    });
    expect(reader.step(read as unknown as JsonObject)).toEqual({ ...row(), witnessRefs: ["a", "b"] });
  });
});
