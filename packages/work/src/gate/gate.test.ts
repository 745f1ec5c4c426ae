import { describe, expect, it } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "../../../../test/conformance/vectors/fixtures.js";
import { joinFailures } from "./join.js";
import { turnOf } from "./turn.js";
import type { JoinInput } from "./types.js";

if (hasFixtures("premath/_derived")) {
  const known = readFixture<any>("premath/_derived/harness-typestate-digests.json").vectors;
  describe("x", () => {
    for (const path of fixturesUnder("premath/harness-typestate", "case.json")) {
      it(path, () => {
        const { vectorId, input } = readFixture<{ vectorId: string; input: JoinInput }>(path);
        const expected = readFixture<any>(path.replace("case.json", "expect.json"));
        const turn = turnOf(input.evidence);
        expect(joinFailures(turn, input)).toEqual(expected.expectedFailureClasses);
        expect(turn.digests).toEqual(known[vectorId].digests);
      });
    }
  });
}
