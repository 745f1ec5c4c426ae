/**
 * The public vectors of issues, leases and harness recovery, where they are
 * there, each run through our own code on a real file.
 */
import { describe, expect, it, test } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";
import { coverageOf, disagreement, evaluate, invarianceGroups, modeOf } from "./issues/evaluate.js";
import type { Expectation, Vector } from "./issues/types.js";

const places = [
  "premath/capabilities/capabilities.change_morphisms",
  "premath/capabilities/capabilities.ci_witnesses",
].filter(hasFixtures);

const files = places.flatMap((place) => fixturesUnder(place, "case.json"));
const cases = files.map((file) => ({ file, vector: readFixture<Vector>(file) }));
const covered = cases.filter(({ vector }) => coverageOf(vector) !== "none");
const modesOf = (coverage: "mode" | "claim" | "none") =>
  cases.filter(({ vector }) => coverageOf(vector) === coverage).map(({ vector }) => modeOf(vector));

if (cases.length > 0) {
  describe("public vectors of issues, leases and recovery", () => {
    test.each(covered.map(({ file, vector }) => [vector.vectorId, file, vector] as const))(
      "%s",
      async (_id, file, vector) => {
        const expected = readFixture<Expectation>(file.replace(/case\.json$/, "expect.json"));
        expect(disagreement(await evaluate(vector), expected)).toBeUndefined();
      },
    );

    test.each(invarianceGroups(covered.map(({ vector }) => vector)))(
      "$scenario comes to the same verdict every time",
      async ({ vectors }) => {
        const all = await Promise.all(vectors.map(evaluate));
        expect(new Set(all.map((verdict) => JSON.stringify(verdict))).size).toBe(1);
      },
    );

    it("covers every mode of issues and of harness recovery", () => {
      const [run, byClaim, not] = [modesOf("mode"), modesOf("claim"), modesOf("none")];
      expect(not.filter((mode) => /^(issue_|harness)/.test(mode))).toEqual([]);
      const listed = (modes: string[]) => [...new Set(modes)].toSorted().map((mode) => `  ${mode}`);
      console.info(
        [
          `${run.length} of ${cases.length} vectors run through our code:`,
          ...listed(run),
          `${byClaim.length} rejected because the capability is not claimed, whatever their mode:`,
          ...listed(byClaim),
          `${not.length} not covered:`,
          ...listed(not),
        ].join("\n"),
      );
    });
  });
} else {
  it("says that the public vectors are not here", () => {
    console.info("No public vectors of issues beside the checkout; our own are in issues-own.test.ts.");
    expect(cases).toEqual([]);
  });
}
