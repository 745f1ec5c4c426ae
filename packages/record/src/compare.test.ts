import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { normalizeRefs } from "./compare.js";

describe("a list of refs", () => {
  it("is trimmed, without empties or repeats, and in the order of its bytes", () => {
    expect(normalizeRefs([" b ", "a", "", "  ", "b", "\ta\n", "😀", "\uffff"])).toEqual([
      "a",
      "b",
      "\uffff",
      "😀",
    ]);
  });

  it("normalised twice is the same as normalised once, whatever the order it came in", () => {
    holds(
      fc.property(fc.array(fc.string({ unit: "binary" })), (refs) => {
        const once = normalizeRefs(refs);
        expect(normalizeRefs(once)).toEqual(once);
        expect(normalizeRefs(refs.toReversed())).toEqual(once);
      }),
    );
  });
});
