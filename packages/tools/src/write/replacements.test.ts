import { describe, expect, it } from "vitest";
import { classOf } from "../../../../test/support/failure.js";
import { applyHunks } from "./diff-apply.js";
import { parseDiff } from "./diff-parse.js";
import { applyReplacements, type Replacement } from "./replacements.js";

const apply = (text: string, ...list: readonly Replacement[]) => applyReplacements(text, list, "a.txt");
const messageOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return `${(error as Error).message}\n${(error as { readonly hint: string }).hint}`;
  }
  throw new Error("it was not refused");
};

describe("replacements", () => {
  it("are made one after the other, each in what the ones before it made, and counted by places", () => {
    expect(apply("a b", { search: "a", replace: "b" }, { search: "b", replace: "c", all: true })).toEqual({
      text: "c c",
      places: 3,
    });
    // Places do not overlap.
    expect(apply("aaaa", { search: "aa", replace: "b", count: 2 })).toEqual({ text: "bb", places: 2 });
    expect(apply("a", { search: "a", replace: "$&$1" }).text).toBe("$&$1");
  });

  it("say which of them, how often it stands there and where, at most eight lines", () => {
    const nine = "x\n".repeat(9);
    const once = messageOf(() => apply(nine, { search: "x", replace: "y" }));
    expect(once).toContain("the search stands in a.txt 9 times, not once: line 1, 2, 3, 4, 5, 6, 7, 8, …;");
    expect(once).toContain("all: true");
    const eight = messageOf(() => apply("x\n".repeat(8), { search: "x", replace: "y", count: 3 }));
    expect(eight).toContain("8 times, not 3 times: line 1, 2, 3, 4, 5, 6, 7, 8;");
    expect(eight).toContain("Say count: 8");
    expect(messageOf(() => apply("x", { search: "x", replace: "y", count: 2 }))).toContain(
      "once, not 2 times",
    );
    const second = messageOf(() =>
      apply("x x z", { search: "z", replace: "w" }, { search: "x", replace: "y" }),
    );
    expect(second).toContain("search 2 of 2 stands");
    // A count says how many there must be, whatever `all` says.
    expect(classOf(() => apply("x x", { search: "x", replace: "y", all: true, count: 1 }))).toBe(
      "edit_unmatched",
    );
    expect(classOf(() => apply("x", { search: "z", replace: "y", all: true }))).toBe("edit_unmatched");
  });

  it("are in the line ends of the file where it has one kind only", () => {
    expect(apply("a\r\nb\r\n", { search: "a\nb", replace: "c\nd\r\ne" }).text).toBe("c\r\nd\r\ne\r\n");
    expect(apply("a\r\nb\r\n", { search: "a\r\nb", replace: "c\nd" }).text).toBe("c\nd\r\n");
    expect(classOf(() => apply("a\r\nb\nc", { search: "a\nb", replace: "x" }))).toBe("edit_unmatched");
    expect(apply("a\nb\n", { search: "a\nb", replace: "c\r\nd" }).text).toBe("c\r\nd\n");
  });

  it("that do not fit show what is most like them, and say when only spaces differ", () => {
    const near = messageOf(() =>
      apply("one\nfunction two() {\nthree\n", { search: "function too() {", replace: "x" }),
    );
    expect(near).toMatch(
      /the search is not in a\.txt; nothing was changed\nNearest, from line 2:\n +1\|one\n/,
    );
    expect(near).toContain("Read the place again");
    expect(messageOf(() => apply("a  =  1\n", { search: "a = 1", replace: "x" }))).toContain(
      "Only spaces or line ends",
    );
    expect(messageOf(() => apply("qqq\n", { search: "zzz", replace: "x" }))).not.toContain("Nearest");
  });
});

describe("a hunk", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
  const applied = (text: string, diff: string) => applyHunks(text, parseDiff(diff), "a.txt");

  it("is looked for at its line first, then ever further away, below before above", () => {
    const marks = (places: readonly number[]) =>
      Array.from({ length: 40 }, (_, i) => (places.includes(i + 1) ? "x\n" : `${i + 1}\n`)).join("");
    const changedAt = (places: readonly number[], line: number) =>
      applied(marks(places), `@@ -${line} +${line} @@\n-x\n+y\n`).split("\n").indexOf("y") + 1;
    expect(changedAt([10, 20], 10)).toBe(10);
    expect(changedAt([10, 20], 14)).toBe(10);
    expect(changedAt([10, 20], 16)).toBe(20);
    expect(changedAt([10, 20], 15)).toBe(20);
  });

  it("is near within a hundred and twenty lines; further away there must be one place only", () => {
    const far = (away: number) => {
      const rows = [...Array(away).fill("-"), "x", ...Array(400).fill("-"), "x"].join("\n");
      return () => applied(rows, "@@ -1 +1 @@\n-x\n+y\n");
    };
    expect(far(120)().split("\n").indexOf("y")).toBe(120);
    expect(messageOf(far(121))).toContain("fits more than one place of a.txt");
    expect(applied(`${"-\n".repeat(500)}x\n`, "@@ -1 +1 @@\n-x\n+y\n")).toBe(`${"-\n".repeat(500)}y\n`);
  });

  it("that fits exactly somewhere near is preferred to one that fits but for spaces at the end", () => {
    expect(applied("x \n-\nx\n", "@@ -1 +1 @@\n-x\n+y\n")).toBe("x \n-\ny\n");
    expect(applied("x \n-\n", "@@ -1 +1 @@\n-x\n+y\n")).toBe("y\n-\n");
    expect(applied("-\nx\t\n", "@@\n-x\n+y\n")).toBe("-\ny\n");
  });

  it("never reaches back over the one before it", () => {
    const twice = "@@ -3 +3 @@\n-line 3\n+three\n@@ -1 +1 @@\n-line 1\n+one\n";
    expect(classOf(() => applied(numbered(5), twice))).toBe("edit_unmatched");
    const inOrder = "@@ -1 +1 @@\n-line 1\n+one\n@@ -2 +2 @@\n-line 2\n+two\n";
    expect(applied(numbered(3), inOrder)).toBe("one\ntwo\nline 3\n");
    const inserted = "@@ -3 +3 @@\n-line 3\n+three\n@@ -1,0 +1,1 @@\n+new\n";
    expect(classOf(() => applied(numbered(5), inserted))).toBe("edit_unmatched");
  });

  it("without old lines stands behind the line that it names, inside the file", () => {
    expect(applied("a\nb\n", "@@ -1,0 +2,1 @@\n+x\n")).toBe("a\nx\nb\n");
    expect(applied("a\nb\n", "@@ -0,0 +1,1 @@\n+x\n")).toBe("x\na\nb\n");
    expect(applied("a\nb\n", "@@ -2,0 +3,1 @@\n+x\n")).toBe("a\nb\nx\n");
    expect(classOf(() => applied("a\nb\n", "@@ -3,0 +4,1 @@\n+x\n"))).toBe("edit_unmatched");
    expect(classOf(() => applied("a\nb\n", "@@\n+x\n"))).toBe("edit_unmatched");
    expect(applied("", "@@ -0,0 +1,2 @@\n+x\n+y\n")).toBe("x\ny\n");
    // Behind a last line without its end, which gets one.
    expect(applied("a\nb", "@@ -2,0 +3,1 @@\n+x\n")).toBe("a\nb\nx\n");
  });

  it("that says that a line has no newline is about the last line alone", () => {
    expect(
      applied("a\na", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
    ).toBe("a\nb");
    expect(applied("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")).toBe("b\n");
  });

  it.each([
    ["a header without counts", "@@ -1 +1 @@", "b\nx\n"],
    ["a header without lines", "@@", "b\nx\n"],
    ["a header with a name behind it", "@@ -1,2 +1,2 @@ function f() {", "b\nx\n"],
  ])("may have %s", (_, head, result) => {
    expect(applied("a\nx\n", `${head}\n-a\n+b\n x\n`)).toBe(result);
  });

  it("may stand in a fence and behind the lines that git and others write", () => {
    const diff =
      "```diff\nIndex: a\n===\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n```\n";
    expect(applied("a\n", diff)).toBe("b\n");
    expect(applied("a\nx\n", "@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n x\r\n")).toBe("b\nx\n");
  });

  it("that lost the space of its blank context lines has them all the same", () => {
    expect(applied("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n")).toBe("a\n\nc\n");
    const [hunk] = parseDiff("@@ -1,3 +1,3 @@\n-a\n+A\n\n\n\n");
    expect(hunk?.lines.map(({ kind, text }) => kind + text)).toEqual(["-a", "+A", " ", " "]);
    const [uneven] = parseDiff("@@ -1,3 +1,2 @@\n-a\n+A\n\n\n");
    expect(uneven?.lines).toHaveLength(2);
    const [more] = parseDiff("@@ -1,4 +1,4 @@\n-a\n+A\n\n\n");
    expect(more?.lines).toHaveLength(2);
  });

  it("ends where its counts do, so that the head of another file is none of its lines", () => {
    const other = "--- d\n+++ d\n@@ -1 +1 @@\n-a\n+b\n";
    for (const first of [
      "@@ -1 +1,2 @@\n-a\n+b\n+c\n",
      "@@ -1,2 +1 @@\n-a\n-b\n+c\n",
      "@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    ])
      expect(messageOf(() => parseDiff(first + other))).toContain("more than one file");
  });

  it("names the line of the diff that is none of a hunk", () => {
    expect(messageOf(() => parseDiff("@@ -1 +1 @@\n-a\n+b\nAnd so on.\n"))).toContain(
      'line 4 of the diff, "And so on."',
    );
    expect(messageOf(() => parseDiff("@@ -1 +1 @@\n a\n"))).toContain("changes nothing");
  });
});
