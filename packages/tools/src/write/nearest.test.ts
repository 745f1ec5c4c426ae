import { describe, expect, it } from "vitest";
import { linesAround, nearestTo } from "./nearest.js";

describe("the place that is most like what was looked for", () => {
  it("is the line that shares most with it, and the first of equals", () => {
    expect(nearestTo(["alpha beta gamma", "alpha beta delta"], ["alpha beta delts"])?.line).toBe(2);
    expect(nearestTo(["same x", "same x"], ["same y"])?.line).toBe(1);
  });

  it("is none when too little is shared", () => {
    // One pair of letters of three on each side is a third; less than three tenths is nothing.
    expect(nearestTo(["abxy"], ["abcd"])?.line).toBe(1);
    expect(nearestTo(["abwxyz"], ["abcdefg"])).toBeUndefined();
    expect(nearestTo(["a", "b"], ["c"])).toBeUndefined();
    expect(nearestTo(["anything"], ["", "  "])).toBeUndefined();
  });

  it("counts a pair of letters as often as both have it", () => {
    expect(nearestTo(["aaaaaa"], ["aaaaab"])?.line).toBe(1);
    expect(nearestTo(["axaaayaaa"], ["aabbccddee"])).toBeUndefined();
  });

  it("is told apart by the lines that follow, which never outweigh the line itself", () => {
    const twice = ["if (a) {", "  one();", "}", "if (a) {", "  two();", "}"];
    expect(nearestTo(twice, ["if (a) {", "  two();", "}"])?.line).toBe(4);
    const wanted = ["const value = 1;", "p", "q", "r", "s"];
    expect(nearestTo(["const value = 1;", "w", "const valve = 7;", "p", "x"], wanted)?.line).toBe(1);
  });

  it("says whether only spaces differ, blank lines aside", () => {
    expect(nearestTo(["foo(a)", "bar"], ["foo( a )", "", "bar"])).toMatchObject({ onlySpaces: true });
    expect(nearestTo(["foo(a)", "", "bar"], ["foo( a )", "baz"])).toMatchObject({ onlySpaces: false });
  });

  it("is shown with its neighbours and their numbers, at most seven lines", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
    expect(linesAround(lines, 10).split("\n")).toEqual(
      [8, 9, 10, 11, 12, 13, 14].map((n) => `${String(n).padStart(6)}|line ${n}`),
    );
    expect(linesAround(lines, 1).split("\n")[0]).toBe("     1|line 1");
    expect(linesAround(lines, 20).split("\n").at(-1)).toBe("    20|line 20");
    expect(linesAround(["x".repeat(200)], 1)).toHaveLength(7 + 160);
  });
});
