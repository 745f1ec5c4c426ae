import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { sha256Hex } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { classOf, rejectsWith } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { holds } from "../../../../test/support/property.js";
import { type WriteKit, writeKit } from "../../../../test/support/write-tools.js";
import { applyHunks } from "./diff-apply.js";
import { parseDiff } from "./diff-parse.js";
import { previewOf } from "./line-diff.js";

async function kitWith(text: string): Promise<WriteKit & { now(): string }> {
  const kit = await writeKit();
  const path = join(kit.workspace.root, "a.ts");
  writeFileSync(path, text);
  return { ...kit, now: () => readFileSync(path, "utf8") };
}
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

describe("a diff", () => {
  it("whose line numbers are all off by the same puts a third hunk among repeated lines where it belongs", () => {
    // Ten blocks that differ in nothing but where they stand; the diff was made before two lines were put on top.
    const block = ["begin", "  same", "end", ""];
    const before = Array.from({ length: 10 }, () => block).flat();
    const lines = ["new one", "new two", ...before];
    const hunk = (at: number) => `@@ -${at},3 +${at},3 @@\n begin\n-  same\n+  other\n end\n`;
    const stated = [1, 13, 25];
    const after = applyHunks(`${lines.join("\n")}\n`, parseDiff(stated.map(hunk).join("")), "a.txt");
    const changed = after.split("\n").flatMap((line, i) => (line === "  other" ? [i + 1] : []));
    expect(changed).toEqual([4, 16, 28]);
  });

  it("gives a new line the end of the line that it stands at, and leaves every other end alone", () => {
    const mixed = "a\r\nb\r\nc\nd\ne\r\n";
    const add = (line: number, old: string, more: string) =>
      applyHunks(mixed, parseDiff(`@@ -${line},1 +${line},2 @@\n ${old}\n+${more}\n`), "a.txt");
    expect(add(1, "a", "x")).toBe("a\r\nx\r\nb\r\nc\nd\ne\r\n");
    expect(add(3, "c", "x")).toBe("a\r\nb\r\nc\nx\nd\ne\r\n");
    const change = "@@ -2,2 +2,2 @@\n-b\n-c\n+B\n+C\n";
    expect(applyHunks(mixed, parseDiff(change), "a.txt")).toBe("a\r\nB\nC\nd\ne\r\n");
  });
});

describe("what a diff leaves alone and what it says", () => {
  it("keeps the end of a file that has no newline", () => {
    const diff = parseDiff("@@ -1,1 +1,1 @@\n-a\n+A\n");
    expect(applyHunks("a\nb", diff, "a.txt")).toBe("A\nb");
    expect(applyHunks("a", diff, "a.txt")).toBe("A\n");
  });

  it("says what stands at the line that it names, where nothing is like it", () => {
    const misses = (diff: string, text: string) => () => applyHunks(text, parseDiff(diff), "a.txt");
    const text = "one\ntwo\nthree\n";
    expect(misses("@@ -2,1 +2,1 @@\n-zzzzzz\n+y\n", text)).toThrow("There stands:\n     1|one\n     2|two");
    expect(misses("@@ @@\n-zzzzzz\n+y\n", text)).toThrow(/nothing was changed$/);
    expect(misses("@@ -2,1 +2,1 @@\n-zzzzzz\n+y\n", "")).toThrow(/nothing was changed$/);
  });

  it("is about one file", () => {
    const hunk = "@@ -1,1 +1,1 @@\n-a\n+A\n";
    const second = "diff --git a/b b/b\n--- a/b\n+++ b/b\n";
    expect(() => parseDiff(`${hunk}${second}${hunk}`)).toThrow("more than one file");
    expect(() => parseDiff(`${hunk}--- a/b\n+++ b/b\n${hunk}`)).toThrow("more than one file");
  });

  it("takes blank lines at its end for context only where its header counts them", () => {
    const counted = parseDiff("@@ -1,3 +1,3 @@\n-a\n+A\n\n\n");
    expect(counted[0]?.lines.map(({ kind }) => kind).join("")).toBe("-+  ");
    const uncounted = parseDiff("@@ -1,1 +1,1 @@\n-a\n+A\n\n\n");
    expect(uncounted[0]?.lines.map(({ kind }) => kind).join("")).toBe("-+");
  });
});

describe("edit_file with replacements", () => {
  it("replaces what stands there once, and shows what changed", async () => {
    const kit = await kitWith(numbered(20));
    const report = await kit.edit({
      path: "a.ts",
      replacements: [{ search: "line 7\n", replace: "seven $& $1\n" }],
    });
    expect(report.text).toBe(
      `Edited a.ts (1 place, ${kit.now().length} bytes)\n--- a.ts\n+++ a.ts\n@@ -5,5 +5,5 @@\n line 5\n line 6\n-line 7\n+seven $& $1\n line 8\n line 9`,
    );
    expect(report.facts).toEqual({
      path: "a.ts",
      bytes: kit.now().length,
      sha256: sha256Hex(kit.now()),
      replacements: 1,
    });
    expect(kit.now()).toBe(numbered(20).replace("line 7\n", () => "seven $& $1\n"));
  });

  it("[D22] refuses a search that stands there more often, and says where", async () => {
    const kit = await kitWith("a b a\na\n");
    const failure = await rejectsWith(
      "edit_unmatched",
      kit.edit({ path: "a.ts", replacements: [{ search: "a", replace: "c" }] }),
    );
    expect(failure.message).toContain("3 times, not once: line 1, 1, 2");
    expect(failure.hint).toContain("all: true");
    expect(kit.now()).toBe("a b a\na\n");
    await kit.edit({ path: "a.ts", replacements: [{ search: "a", replace: "aa", all: true }] });
    expect(kit.now()).toBe("aa b aa\naa\n");
    await rejectsWith(
      "edit_unmatched",
      kit.edit({ path: "a.ts", replacements: [{ search: "aa", replace: "c", count: 2 }] }),
    );
    await kit.edit({ path: "a.ts", replacements: [{ search: "aa", replace: "c", count: 3 }] });
    expect(kit.now()).toBe("c b c\nc\n");
  });

  it("changes nothing when one of several does not fit, and shows the nearest lines", async () => {
    const text = "function one() {\n  return 1;\n}\nfunction two() {\n\treturn 2;\n}\n";
    const kit = await kitWith(text);
    const failure = await rejectsWith(
      "edit_unmatched",
      kit.edit({
        path: "a.ts",
        replacements: [
          { search: "return 1;", replace: "return 10;" },
          { search: "function two() {\n  return 2;", replace: "x" },
        ],
      }),
    );
    expect(failure.message).toContain("search 2 of 2 is not in a.ts");
    expect(failure.message).toContain("     4|function two() {");
    expect(failure.hint).toContain("Only spaces");
    expect(kit.now()).toBe(text);
  });

  it("keeps the line ends of the file", async () => {
    const kit = await kitWith("a\r\nb\r\nc\r\n");
    await kit.edit({ path: "a.ts", replacements: [{ search: "a\nb", replace: "x\ny\nz" }] });
    expect(kit.now()).toBe("x\r\ny\r\nz\r\nc\r\n");
  });

  it("refuses two equal sides by the name of the rule", async () => {
    const kit = await kitWith("a\n");
    const report = await kit.edit({ path: "a.ts", replacements: [{ search: "a", replace: "a" }] });
    expect(report).toMatchObject({ ok: false, refusal: { rule: "R-SYNTAX-COLUMN" } });
    const second = [
      { search: "a", replace: "b" },
      { search: "c", replace: "c" },
    ];
    expect((await kit.edit({ path: "a.ts", replacements: second })).text).toContain("replacement 2 of 2");
    expect(kit.now()).toBe("a\n");
  });

  it("takes exactly one of replacements and diff", async () => {
    const kit = await kitWith("a\n");
    await rejectsWith("edit_invalid", kit.edit({ path: "a.ts" }));
    await rejectsWith(
      "edit_invalid",
      kit.edit({ path: "a.ts", diff: "@@ -1 +1 @@\n-a\n+b", replacements: [{ search: "a", replace: "b" }] }),
    );
  });

  it("previews without changing anything", async () => {
    const kit = await kitWith("a\n");
    const report = await kit.edit({
      path: "a.ts",
      preview: true,
      replacements: [{ search: "a", replace: "b" }],
    });
    expect(report.text).toContain("-a\n+b");
    expect(kit.now()).toBe("a\n");
    expect(kit.editFile.intent({ path: "a.ts", preview: true })).toMatchObject({
      risk: "safe",
      reads: ["a.ts"],
    });
  });

  it("refuses what is no text, and a file that is missing", async () => {
    const kit = await kitWith("a");
    writeFileSync(join(kit.workspace.root, "b.bin"), Buffer.from([0xff, 0x61]));
    await rejectsWith(
      "file_not_text",
      kit.edit({ path: "b.bin", replacements: [{ search: "a", replace: "b" }] }),
    );
    await rejectsWith(
      "file_missing",
      kit.edit({ path: "none.ts", replacements: [{ search: "a", replace: "b" }] }),
    );
  });

  it("keeps a byte order mark", async () => {
    const kit = await kitWith("\ufeffa\n");
    await kit.edit({ path: "a.ts", replacements: [{ search: "a", replace: "b" }] });
    expect(kit.now()).toBe("\ufeffb\n");
  });

  it("edits of many callers at once all arrive", async () => {
    const kit = await kitWith("one two three four\n");
    const words = ["one", "two", "three", "four"];
    await Promise.all(
      words.map((word) =>
        kit.edit({ path: "a.ts", replacements: [{ search: word, replace: word.toUpperCase() }] }),
      ),
    );
    expect(kit.now()).toBe("ONE TWO THREE FOUR\n");
  });
});

describe("edit_file with a diff", () => {
  it("[D22] applies all hunks", async () => {
    const kit = await kitWith(numbered(30));
    const diff =
      "--- a/a.ts\n+++ b/a.ts\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+three\n line 4\n@@ -20,3 +20,4 @@\n line 20\n-line 21\n+twenty\n+one\n line 22\n";
    const report = await kit.edit({ path: "a.ts", diff });
    expect(report.facts).toMatchObject({ hunks: 2 });
    expect(kit.now()).toBe(numbered(30).replace("line 3\n", "three\n").replace("line 21\n", "twenty\none\n"));
  });

  it("applies none of them when one does not fit, and shows the nearest lines", async () => {
    const kit = await kitWith(numbered(30));
    const diff = "@@ -2 +2 @@\n-line 2\n+two\n@@ -20,2 +20,2 @@\n-line twenty\n+x\n line 21\n";
    const failure = await rejectsWith("edit_unmatched", kit.edit({ path: "a.ts", diff }));
    expect(failure.message).toContain("hunk 2 of 2 does not fit");
    expect(failure.message).toMatch(/\n +\d+\|line /);
    expect(kit.now()).toBe(numbered(30));
  });

  it("finds a hunk near its line, and anywhere if there is one such place", () => {
    const text = numbered(400);
    const at = (line: number, old: number) =>
      applyHunks(text, parseDiff(`@@ -${line} +${line} @@\n-line ${old}\n+new\n`), "a");
    for (const line of [300, 310, 250, 1]) expect(at(line, 300)).toBe(text.replace("line 300\n", "new\n"));
    expect(applyHunks(text, parseDiff("@@\n-line 300\n+new"), "a")).toBe(text.replace("line 300\n", "new\n"));
    const twice = `x\n${numbered(300)}x\n`;
    expect(classOf(() => applyHunks(twice, parseDiff("@@\n-x\n+y"), "a"))).toBe("edit_unmatched");
    expect(applyHunks(twice, parseDiff("@@ -300 +300 @@\n-x\n+y"), "a")).toBe(`x\n${numbered(300)}y\n`);
  });

  it("believes lines more than counts", () => {
    expect(applyHunks("a\nb\nc\n", parseDiff("@@ -1,9 +1,1 @@\n a\n-b\n+B\n c\n\n"), "a")).toBe("a\nB\nc\n");
  });

  it("a removed line that looks like a header is a removed line", () => {
    expect(applyHunks("-- a\nb\n", parseDiff("@@ -1,2 +1,2 @@\n--- a\n+++ a\n b\n"), "a")).toBe("++ a\nb\n");
  });

  it.each([
    ["more than one file", "--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n"],
    ["no hunk", "-a\n+b\n"],
    ["a hunk that changes nothing", "@@ -1 +1 @@\n a\n"],
    ["a line of something else", "@@ -1 +1 @@\n-a\n+b\nAnd so on.\n"],
  ])("refuses a diff with %s", (_what, diff) => {
    expect(classOf(() => parseDiff(diff))).toBe("edit_invalid");
  });

  it("what git says about two texts turns the one into the other", () => {
    const folder = newFastFolder();
    const line = fc.constantFrom(
      "a",
      "b",
      "",
      "  x",
      "-- y",
      "++ z",
      "@@ -1 +1 @@",
      "\\ w",
      "ä",
      "same",
      "other",
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
      .map(([lines, end, closed]) => lines.join(end) + (closed && lines.length > 0 ? end : ""));
    let applied = 0;
    holds(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
        writeFileSync(join(folder, "before"), before);
        writeFileSync(join(folder, "after"), after);
        const diff = gitDiff(folder, context);
        if (diff === "") return;
        applied++;
        // Git's diff has the line ends of both sides in its lines; ours keeps those of the file.
        const result = applyHunks(before, parseDiff(diff), "a");
        expect(result.replaceAll("\r\n", "\n")).toBe(after.replaceAll("\r\n", "\n"));
        if (!before.includes("\r") && !after.includes("\r")) expect(result).toBe(after);
      }),
      60,
    );
    expect(applied).toBeGreaterThan(40);
  });
});

it("a preview of two texts, applied to the first, gives the second", () => {
  const line = fc.constantFrom("a", "b", "c", "d", "");
  const text = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => `${lines.join("\n")}\n`);
  holds(
    fc.property(text, text, (before, after) => {
      if (before === after) return;
      const preview = previewOf(before, after, { path: "a", linesMax: 1_000 });
      // The preview takes what follows the last newline for a line, which the hunks leave alone.
      expect(applyHunks(`${before}\n`, parseDiff(preview), "a").replace(/\n$/, "")).toBe(after);
    }),
    500,
  );
});

function gitDiff(folder: string, context: number): string {
  try {
    execFileSync("git", ["diff", "--no-index", "--no-color", `-U${context}`, "before", "after"], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe",
    });
    return "";
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
