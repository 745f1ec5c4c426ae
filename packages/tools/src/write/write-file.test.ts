import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, sha256Hex } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { writeKit } from "../../../../test/support/write-tools.js";

const nineLines = "line\n".repeat(9);

describe("write_file", () => {
  it("creates a file with the folders above it, and reports what is on the disk", async () => {
    const kit = await writeKit();
    const content = "export const a = 1;\nexport const b = 2;\n";
    const report = await kit.write({ path: "src/a.ts", content });
    const sha256 = sha256Hex(content);
    expect(report.text).toBe(
      `Created src/a.ts (40 bytes)\nintegrity=ok lines=2 bytes=40 sha256=${sha256.slice(0, 16)}`,
    );
    expect(report.facts).toEqual({
      ...{ path: "src/a.ts", bytes: 40, lines: 2, sha256 },
      ...{ likelyTruncated: false, integrity: "ok" },
    });
    expect(readFileSync(join(kit.workspace.root, "src/a.ts"), "utf8")).toBe(content);
  });

  it("[D21] writes what looks cut, and says so", async () => {
    const kit = await writeKit();
    const report = await kit.write({ path: "a.ts", content: "function f() {\n" });
    expect(report.ok).toBe(true);
    expect(report.text).toMatch(/^integrity=ok lines=1 bytes=15 sha256=[0-9a-f]{16} likely_truncated=true$/m);
    expect(report.facts?.["likelyTruncated"]).toBe(true);
  });

  it("create refuses a path that is there, names every way on, and changes nothing", async () => {
    const kit = await writeKit();
    await kit.write({ path: "a.txt", content: "old" });
    const failure = await rejectsWith("file_exists", kit.write({ path: "a.txt", content: "new" }));
    for (const way of ["edit_file", "append", "overwrite", "confirm_overwrite"])
      expect(failure.hint).toContain(way);
    expect(readFileSync(join(kit.workspace.root, "a.txt"), "utf8")).toBe("old");
  });

  it.each([
    ["more than eight lines", nineLines],
    ["more than 400 bytes", "x".repeat(401)],
  ])("overwrite of a file with %s needs confirmation", async (_what, old) => {
    const kit = await writeKit();
    const path = join(kit.workspace.root, "a.txt");
    writeFileSync(path, old);
    const failure = await rejectsWith(
      "overwrite_unconfirmed",
      kit.write({ path: "a.txt", content: "new", mode: "overwrite" }),
    );
    expect(failure.hint).toContain("confirm_overwrite: true");
    expect(readFileSync(path, "utf8")).toBe(old);
    const report = await kit.write({
      path: "a.txt",
      content: "new",
      mode: "overwrite",
      confirm_overwrite: true,
    });
    expect(report.text).toMatch(/^Replaced a\.txt \(3 bytes\)/);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("overwrite of a small file, or of none, needs no confirmation", async () => {
    const kit = await writeKit();
    expect((await kit.write({ path: "a.txt", content: "one\n", mode: "overwrite" })).text).toMatch(
      /^Created/,
    );
    expect((await kit.write({ path: "a.txt", content: "two\n", mode: "overwrite" })).text).toMatch(
      /^Replaced/,
    );
  });

  it.each([
    ["one newline where neither has it", "a", "b", "a\nb"],
    ["nothing behind a newline", "a\n", "b", "a\nb"],
    ["nothing before a newline", "a", "\nb", "a\nb"],
    ["the newline of the file", "a\r\nb", "c", "a\r\nb\r\nc"],
    ["nothing in an empty file", "", "b", "b"],
  ])("append puts %s", async (_what, old, content, now) => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.txt"), old);
    const report = await kit.write({ path: "a.txt", content, mode: "append" });
    expect(report.text).toMatch(/^Appended to a\.txt/);
    expect(readFileSync(join(kit.workspace.root, "a.txt"), "utf8")).toBe(now);
  });

  it("append makes a file that is missing, and keeps bytes that are no text", async () => {
    const kit = await writeKit();
    expect((await kit.write({ path: "n.txt", content: "a", mode: "append" })).text).toMatch(
      /^Created n\.txt/,
    );
    const binary = Buffer.from([0xff, 0x00, 0xfe]);
    writeFileSync(join(kit.workspace.root, "b"), binary);
    await kit.write({ path: "b", content: "é", mode: "append" });
    expect(readFileSync(join(kit.workspace.root, "b"))).toEqual(Buffer.concat([binary, Buffer.from("\né")]));
  });

  it.each([
    ["a.html", "<html><body></body></html>\n", "</html>"],
    ["a.svg", "<svg><g/></svg>", "its root"],
  ])("append to %s refuses a document that has its end", async (path, old, end) => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, path), old);
    const failure = await rejectsWith("document_closed", kit.write({ path, content: "<p>", mode: "append" }));
    expect(failure.message).toContain(end);
    expect(failure.hint).toContain("edit_file");
    expect(readFileSync(join(kit.workspace.root, path), "utf8")).toBe(old);
  });

  it("appends of many callers at once all arrive", async () => {
    const kit = await writeKit();
    const rows = ["one", "two", "three", "four"];
    await Promise.all(
      rows.map((content) => kit.write({ path: "a.txt", content: `${content}\n`, mode: "append" })),
    );
    const lines = readFileSync(join(kit.workspace.root, "a.txt"), "utf8").trim().split("\n");
    expect(lines.toSorted()).toEqual(rows.toSorted());
  });

  it("refuses a first page that leaves tags open, by the name of the rule", async () => {
    const kit = await writeKit();
    const report = await kit.write({ path: "a.html", content: "<html><body><div>\n" });
    expect(report.ok).toBe(false);
    expect(report.refusal).toMatchObject({ code: "artifact_open", rule: "R-CLOSED-ARTIFACT" });
    expect(report.text).toContain("<div> (line 1)");
    expect(existsSync(join(kit.workspace.root, "a.html"))).toBe(false);
    expect((await kit.write({ path: "a.html", content: "<ul><li>one<li>two</ul>" })).ok).toBe(true);
  });

  it("says when the lines are not as many as expected", async () => {
    const kit = await writeKit();
    const report = await kit.write({ path: "a.txt", content: "a\nb\n", expected_lines: 3 });
    expect(report.text).toMatch(/\nexpected_lines=3, but the file has 2$/);
    expect((await kit.write({ path: "b.txt", content: "a\nb\n", expected_lines: 2 })).text).not.toContain(
      "expected_lines",
    );
  });

  it("an abort before it began leaves nothing", async () => {
    const kit = await writeKit();
    const run = { callId: "c", round: 1, signal: AbortSignal.abort(), update() {} };
    await expect(kit.writeFile.run({ path: "a.txt", content: "a" }, run)).rejects.toThrow();
    expect(existsSync(join(kit.workspace.root, "a.txt"))).toBe(false);
  });

  it("its intent names the path as the workspace has it, and forbids one outside", async () => {
    const kit = await writeKit();
    const intent = kit.writeFile.intent({ path: "./src//a.ts", content: "x" });
    expect(intent).toMatchObject({
      changes: ["src/a.ts"],
      risk: "cautious",
      repeat: "run",
      says: "Create src/a.ts (1 bytes)",
    });
    expect(intent.key).toBe(kit.writeFile.intent({ path: "src/a.ts", content: "x" }).key);
    expect(kit.writeFile.intent({ path: "../a", content: "x" }).forbidden).toMatchObject({
      code: "path_outside",
    });
  });
});

describe("what a write would leave, for who is asked", () => {
  it("is the whole file before and after, in every mode", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.txt"), "one");
    const preview = (args: JsonObject) => kit.writeFile.preview?.(args);
    expect(await preview({ path: "new.txt", content: "x\n" })).toEqual({ path: "new.txt", after: "x\n" });
    expect(await preview({ path: "a.txt", content: "x", mode: "overwrite" })).toEqual({
      ...{ path: "a.txt", before: "one", after: "x" },
    });
    expect(await preview({ path: "a.txt", content: "two", mode: "append" })).toEqual({
      ...{ path: "a.txt", before: "one", after: "one\ntwo" },
    });
    expect(await preview({ path: "new.txt", content: "two", mode: "append" })).toEqual({
      ...{ path: "new.txt", after: "two" },
    });
    expect(await preview({ path: "../a.txt", content: "x" })).toBeUndefined();
  });

  it("holds what was kept of a call that was cut off, when this one continues it", async () => {
    const kit = await writeKit();
    const content = "word one, word two, word three, word four, word five\n".repeat(4);
    await kit.cut({ path: "a.txt", mode: "create", content }, 120);
    const kept = kit.staged().length;
    const part = await kit.writeFile.preview?.({ path: "a.txt", mode: "append", content: "THE END\n" });
    expect(part?.after).toMatch(/^word one, word two.*THE END\n$/s);
    expect(kit.staged()).toHaveLength(kept);
  });
});

describe("[D1] a write, small or streamed, stays in the workspace", () => {
  const attacks = ["../out.txt", "a/../../out.txt", "/etc/out.txt", "link/out.txt", "direct"];

  it.each(attacks.flatMap((path) => [[path, 10] as const, [path, 20_000] as const]))(
    "%s with %i characters",
    async (path, size) => {
      const outside = newFolder();
      const kit = await writeKit({ minChars: 100 });
      mkdirSync(join(kit.workspace.root, "a"));
      symlinkSync(outside, join(kit.workspace.root, "link"));
      symlinkSync(join(outside, "out.txt"), join(kit.workspace.root, "direct"));
      const content = "text that is streamed\n".repeat(Math.ceil(size / 22));
      for (const mode of ["create", "overwrite", "append"]) {
        const args = { path, mode, confirm_overwrite: true, content };
        const text = JSON.stringify(args);
        const stream = kit.writeFile.stream?.(`whole-${mode}`);
        stream?.delta(text);
        await stream?.drop();
        await expect(kit.write(args)).rejects.toMatchObject({
          failureClass: expect.stringMatching(/^(?:path_|file_)/),
        });
        // The same as a continuation of a call that was cut off.
        await kit.cut(args, Math.floor(text.length / 2));
        await expect(kit.write({ path, mode: "append", content: "the rest" })).rejects.toMatchObject({
          failureClass: expect.stringMatching(/^(?:path_|file_|write_)/),
        });
      }
      expect(existsSync(join(outside, "out.txt"))).toBe(false);
      expect(existsSync(join(kit.workspace.root, "..", "out.txt"))).toBe(false);
    },
  );
});
