import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted, grouped } from "./grouped.js";

describe("a count in words", () => {
  it("is what the locale makes of it", () => {
    const count = fc.oneof(fc.integer({ min: -2000, max: 2000 }), fc.maxSafeInteger(), fc.double());
    fc.assert(fc.property(count, (each) => grouped(each) === each.toLocaleString("en-US")));
    for (const each of [0, -0, 999, 1000, -1000, 999_999, 1_000_000, 1.5, 1e21])
      expect(grouped(each)).toBe(each.toLocaleString("en-US"));
  });
});

it("one is one, and everything else is many", () => {
  expect([0, 1, 2, 1_000].map((n) => counted(n, "row", "rows"))).toEqual([
    "0 rows",
    "1 row",
    "2 rows",
    "1,000 rows",
  ]);
});
