import { expect, test } from "vitest";
import { columns, displayWidth, wrap } from "./columns.js";

test("columns line up, colour or not, and no line ends in blanks", () => {
  expect(
    columns([
      ["bd-1", "P1", "Retry"],
      ["bd-117", "P2", ""],
      ["\u001b[1mx\u001b[22m", "世界", "y"],
    ]),
  ).toEqual(["  bd-1    P1    Retry", "  bd-117  P2", "  \u001b[1mx\u001b[22m       世界  y"]);
});

test("width is what a terminal shows", () => {
  expect(["abc", "é", "e\u0301", "世", "\u001b[31mred\u001b[39m", "…"].map(displayWidth)).toEqual([
    3, 1, 1, 2, 3, 1,
  ]);
});

test("words are kept whole when lines are broken", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("extraordinary x", 5)).toEqual(["extraordinary", "x"]);
  expect(wrap("a\n\nb", 5)).toEqual(["a", "", "b"]);
});
