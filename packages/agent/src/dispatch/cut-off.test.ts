import { expect, it } from "vitest";
import { joinText } from "./cut-off.js";

it("a continuation that repeats twelve characters is joined without them, and one that shares eleven keeps them", () => {
  const first = "It was a dark and stormy night";
  expect(joinText(first, "stormy night; the rain fell")).toBe(`${first}; the rain fell`);
  expect("stormy night").toHaveLength(12);
  expect(joinText(first, "tormy night; the rain fell")).toBe(`${first}tormy night; the rain fell`);
  expect(joinText(first, "; the rain fell")).toBe(`${first}; the rain fell`);
});

it("the longest repetition is the one that is left out, up to the whole of what was there", () => {
  const first = "abcabcabcabcabcabc";
  expect(joinText(first, `${first} and more`)).toBe(`${first} and more`);
});
