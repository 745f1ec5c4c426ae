/** The public vectors of the typestate, with digests that another implementation derived. */
import { readdirSync } from "node:fs";
import { isRefusal, type JsonObject } from "@bridle/record";
import { joinCheck } from "@bridle/work";
import { describe, expect, it } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";

interface Case {
  readonly vectorId: string;
  readonly input: JsonObject;
}
interface Expected {
  readonly result: string;
  readonly expectedFailureClasses: readonly string[];
  readonly expectedJoinClosed?: boolean;
}
interface Derived {
  readonly vectors: Readonly<Record<string, { readonly digests: JsonObject }>>;
}

const folder = "premath/harness-typestate";
if (hasFixtures(folder)) {
  const derived = hasFixtures("premath/_derived")
    ? readFixture<Derived>("premath/_derived/harness-typestate-digests.json").vectors
    : {};
  describe("typestate vectors", () => {
    it.each(fixturesUnder(folder, "case.json"))("%s", (file) => {
      const { vectorId, input } = readFixture<Case>(file);
      const expected = readFixture<Expected>(file.replace(/case\.json$/, "expect.json"));
      const answer = joinCheck(input);
      if (isRefusal(answer)) throw new Error(answer.message);
      expect(answer.result).toBe(expected.result);
      expect(answer.failureClasses).toEqual(expected.expectedFailureClasses);
      if (expected.expectedJoinClosed !== undefined)
        expect(answer.joinClosed).toBe(expected.expectedJoinClosed);
      const digests = derived[vectorId]?.digests;
      if (digests !== undefined) expect(answer.witness.digests).toEqual(digests);
    });
  });
} else {
  it("says that the public vectors are not here", () => {
    console.info("No public typestate vectors beside the checkout; our own are in test/golden/join-check.");
    const own = readdirSync(new URL("../../golden/join-check", import.meta.url));
    expect(own.length).toBeGreaterThan(20);
  });
}
