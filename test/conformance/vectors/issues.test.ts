/**
 * The public vectors of issues, leases and harness recovery, where they are
 * there, each run through our own code on a real file.
 */
import { describe, expect, it, test } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";
import { disagreement, evaluate, invarianceGroups, modeOf } from "./issues/evaluate.js";
import type { Expectation, Vector } from "./issues/types.js";

const places = [
  "premath/capabilities/capabilities.change_morphisms",
  "premath/capabilities/capabilities.ci_witnesses",
].filter(hasFixtures);

const files = places.flatMap((place) => fixturesUnder(place, "case.json"));
const cases = files.map((file) => ({ file, vector: readFixture<Vector>(file) }));
const verdicts = await Promise.all(
  cases.map(async ({ file, vector }) => ({ file, vector, verdict: await evaluate(vector) })),
);
const covered = verdicts.flatMap(({ verdict, ...rest }) =>
  "notCovered" in verdict ? [] : [{ ...rest, verdict }],
);
const modesNotCovered = verdicts.flatMap(({ verdict }) =>
  "notCovered" in verdict ? [verdict.notCovered] : [],
);

if (cases.length > 0) {
  describe("public vectors of issues, leases and recovery", () => {
    test.each(covered)("$vector.vectorId", ({ file, verdict }) => {
      const expected = readFixture<Expectation>(file.replace(/case\.json$/, "expect.json"));
      expect(disagreement(verdict, expected)).toBeUndefined();
    });

    test.each(invarianceGroups(covered.map(({ vector }) => vector)))(
      "$scenario comes to the same verdict every time",
      async ({ vectors }) => {
        const all = await Promise.all(vectors.map(evaluate));
        expect(new Set(all.map((verdict) => JSON.stringify(verdict))).size).toBe(1);
      },
    );

    it("covers every mode of issues and of harness recovery", () => {
      const ours = /^(issue_|harness)/;
      expect(modesNotCovered.filter((mode) => ours.test(mode))).toEqual([]);
      const modes = new Set(covered.map(({ vector }) => modeOf(vector)));
      const missed = [...new Set(modesNotCovered)].toSorted();
      console.info(
        `${covered.length} of ${cases.length} vectors run through our code, modes ${[...modes].toSorted().join(", ")}.\n` +
          `Not covered, ${modesNotCovered.length} vectors:\n${missed.map((mode) => `  ${mode}`).join("\n")}`,
      );
    });
  });
} else {
  it("says that the public vectors are not here", () => {
    console.info("No public vectors of issues beside the checkout; our own are in issues-own.test.ts.");
    expect(cases).toEqual([]);
  });
}
