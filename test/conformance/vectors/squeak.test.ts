/** The public vectors of locations: names, overlaps and glue. */
import type { JsonValue } from "@bridle/record";
import { glueFailure, type Location, locationRef, overlapFailure, type Section } from "@bridle/work";
import { describe, expect, it } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";

interface Case {
  readonly artifacts: {
    readonly leftDescriptor?: Location;
    readonly rightDescriptor?: Location;
    readonly leftSection?: Section;
    readonly rightSection?: Section;
    readonly glueProposals?: readonly JsonValue[];
  };
}

interface Expectation {
  readonly result: string;
  readonly expectedFailureClasses?: readonly string[];
}

function judge({ artifacts }: Case): string | undefined {
  const { leftDescriptor, rightDescriptor, leftSection, rightSection, glueProposals } = artifacts;
  if (leftDescriptor && rightDescriptor)
    return locationRef(leftDescriptor) === locationRef(rightDescriptor) ? undefined : "site_loc_ref_mismatch";
  if (leftSection && rightSection) return overlapFailure(leftSection, rightSection);
  return glueProposals === undefined ? "not covered" : glueFailure(glueProposals);
}

const suite = "premath/capabilities/capabilities.squeak_site";
if (hasFixtures(suite)) {
  const names = fixturesUnder(suite, "case.json").map((file) => file.replace(/\/case\.json$/, ""));

  describe("public vectors of locations", () => {
    it.each(names)("%s", (name) => {
      const expected = readFixture<Expectation>(`${name}/expect.json`);
      const failureClass = judge(readFixture<Case>(`${name}/case.json`));
      expect(failureClass === undefined ? "accepted" : "rejected").toBe(expected.result);
      if (expected.expectedFailureClasses !== undefined)
        expect(failureClass === undefined ? [] : [failureClass]).toEqual(expected.expectedFailureClasses);
    });
  });
} else {
  it("says that the public vectors are not here", () => {
    console.info("No public vectors of locations beside the checkout; our own are in transport.test.ts.");
    expect(judge({ artifacts: {} } as Case)).toBe("not covered");
  });
}
