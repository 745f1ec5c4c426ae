import { expect, it } from "vitest";
import { isOfLineage } from "./of-lineage.js";

it.each([
  ["the ref itself", ["ctx://issue/bd-5"], "ctx://issue/bd-5", true],
  [
    "the ref itself, among others and with space around it",
    ["a", " ctx://issue/bd-5 "],
    "ctx://issue/bd-5",
    true,
  ],
  ["a ref below it", ["ctx://issue/bd-5/attempt/1"], "ctx://issue/bd-5", true],
  ["a ref below one that ends in slashes", ["ctx://issue/bd-5/attempt/1"], "ctx://issue/bd-5//", true],
  ["a ref that only begins with the same letters", ["ctx://issue/bd-51"], "ctx://issue/bd-5", false],
  ["a ref that only ends as it does", ["x/ctx://issue/bd-5/"], "ctx://issue/bd-5", false],
  ["the ref above it", ["ctx://issue"], "ctx://issue/bd-5", false],
  ["something that is no text", [7, null], "7", false],
  ["no list", "ctx://issue/bd-5", "ctx://issue/bd-5", false],
])("%s: %j is of the lineage %s: %s", (_, lineageRefs, ref, expected) => {
  expect(isOfLineage({ lineageRefs: lineageRefs as string[] }, ref)).toBe(expected);
});

it("what names no lineage is of none", () => {
  expect(isOfLineage({}, "ctx://issue/bd-5")).toBe(false);
});
