import { describe, expect, it } from "vitest";
import { previewOf } from "./line-diff.js";

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
const text = (...all: readonly string[]) => all.join("\n");
const shown = (before: string, after: string, options: object = {}) =>
  previewOf(before, after, { path: "a", ...options })
    .split("\n")
    .slice(2);

describe("a preview", () => {
  it("names the file twice, and has two lines of context around each change", () => {
    expect(previewOf("a", "b", { path: "x/y" })).toBe("--- x/y\n+++ x/y\n@@ -1,1 +1,1 @@\n-a\n+b");
    const before = lines(1, 9);
    expect(shown(text(...before), text(...before.with(4, "five")))).toEqual([
      ...["@@ -3,5 +3,5 @@", " 3", " 4", "-5", "+five", " 6", " 7"],
    ]);
    expect(shown(text(...before), text(...before.with(4, "five")), { contextLines: 0 })).toEqual([
      ...["@@ -5,1 +5,1 @@", "-5", "+five"],
    ]);
  });

  it("puts changes together whose contexts touch, and keeps apart those that have a line between", () => {
    const before = lines(1, 20);
    const near = before.with(4, "x").with(8, "y");
    expect(shown(text(...before), text(...near)).filter((line) => line.startsWith("@@"))).toEqual([
      "@@ -3,9 +3,9 @@",
    ]);
    const apart = before.with(4, "x").with(10, "y");
    expect(shown(text(...before), text(...apart)).filter((line) => line.startsWith("@@"))).toEqual([
      "@@ -3,5 +3,5 @@",
      "@@ -9,5 +9,5 @@",
    ]);
  });

  it("counts lines of each side by what came before on that side", () => {
    const before = lines(1, 30);
    const after = [...before.slice(0, 4), "new", "newer", ...before.slice(4, 19), ...before.slice(20)];
    expect(shown(text(...before), text(...after)).filter((line) => line.startsWith("@@"))).toEqual([
      "@@ -3,4 +3,6 @@",
      "@@ -18,5 +20,4 @@",
    ]);
  });

  it("is the shortest: what both have stays, also where lines repeat", () => {
    expect(shown("a\nb\na\nb\nc", "a\nb\nc", { contextLines: 9 })).toEqual([
      ...["@@ -1,5 +1,3 @@", " a", " b", "-a", "-b", " c"],
    ]);
    const [before, after] = ["abcabba", "cbabac"].map((word) => [...word].join("\n")) as [string, string];
    const changes = shown(before, after, { contextLines: 9 }).filter((line) => /^[-+]/.test(line));
    expect(changes).toHaveLength(5);
  });

  it("is of an added or a removed end", () => {
    expect(shown("a", "a\nb")).toEqual(["@@ -1,1 +1,2 @@", " a", "+b"]);
    expect(shown("a\nb", "a")).toEqual(["@@ -1,2 +1,1 @@", " a", "-b"]);
    expect(shown("a\na", "a")).toEqual(["@@ -1,2 +1,1 @@", " a", "-a"]);
  });

  it("has no line longer than it may be, whole characters, and no return at its end", () => {
    expect(shown("", "x".repeat(201))[2]).toBe(`+${"x".repeat(200)}…`);
    expect(shown("", "x".repeat(200))[2]).toBe(`+${"x".repeat(200)}`);
    expect(shown("", `${"x".repeat(199)}😀`)[2]).toBe(`+${"x".repeat(199)}\ufffd…`);
    expect(shown("a\r\nb\r", "a\r\nc\r\r")).toEqual(["@@ -1,2 +1,2 @@", " a", "-b", "+c\r"]);
  });

  it("has at most sixty lines, and says how many more there are", () => {
    const many = text(...lines(1, 58));
    const all = previewOf("", many, { path: "a" }).split("\n");
    // Two of the head, one of the hunk, one that was empty, and 58.
    expect(all).toHaveLength(61);
    expect(all.at(-1)).toBe("… 2 more lines of the preview are left out");
    expect(previewOf("", text(...lines(1, 56)), { path: "a" }).split("\n")).toHaveLength(60);
    expect(previewOf("", text(...lines(1, 56)), { path: "a" })).not.toContain("left out");
  });

  it("of texts that differ in more than four hundred lines shows the changed stretch as a whole", () => {
    const before = ["head", ...lines(1, 300), "tail"];
    const after = ["head", ...lines(1, 300).map((line) => `${line}!`), "tail"];
    const rows = shown(text(...before), text(...after), { linesMax: 10_000 });
    expect(rows[0]).toBe("@@ -1,302 +1,302 @@");
    expect(rows.slice(1, 302).map((row) => row[0])).toEqual([" ", ...Array(300).fill("-")]);
    expect(rows.slice(302, 602).every((row) => row.startsWith("+"))).toBe(true);
    expect(rows.at(-1)).toBe(" tail");
  });
});
