/** What the two tools say of themselves before they run: which arguments fit, what a call is, and what it would touch. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "@bridle/record";
import { Compile } from "typebox/compile";
import type * as Type from "typebox";
import { describe, expect, it } from "vitest";
import { writeKit } from "../../../../test/support/write-tools.js";
import { partOf, manifestOf } from "./cut-part.js";
import { isWriteMode } from "./modes.js";

const fits = async (name: "writeFile" | "editFile", args: object) =>
  Compile((await writeKit())[name].parameters as unknown as Type.TSchema).Check(args);

describe("the arguments of write_file", () => {
  it.each([
    { path: "a", content: "" },
    { path: "a", content: "x", mode: "create" },
    { path: "a", content: "x", mode: "append", expected_lines: 0 },
    { path: "a", content: "x", mode: "overwrite", confirm_overwrite: true },
  ])("may be %j", async (args) => expect(await fits("writeFile", args)).toBe(true));

  it.each([
    { path: "a" },
    { content: "x" },
    { path: 1, content: "x" },
    { path: "a", content: 1 },
    { path: "a", content: "x", mode: "replace" },
    { path: "a", content: "x", confirm_overwrite: "true" },
    { path: "a", content: "x", expected_lines: -1 },
    { path: "a", content: "x", expected_lines: 1.5 },
    { path: "a", content: "x", more: 1 },
  ])("may not be %j", async (args) => expect(await fits("writeFile", args)).toBe(false));

  it("have the content last, so that a call that is cut off has said everything else", async () => {
    const kit = await writeKit();
    const names = Object.keys(kit.writeFile.parameters["properties"] as object);
    expect(names).toEqual(["path", "mode", "confirm_overwrite", "expected_lines", "content"]);
    expect(kit.writeFile.parameters).toMatchObject({ properties: { mode: { default: "create" } } });
    expect([kit.writeFile.name, kit.writeFile.family]).toEqual(["write_file", "files"]);
  });

  it("know three modes", () => {
    expect(["create", "overwrite", "append", "replace", "", 1, null].map(isWriteMode)).toEqual([
      ...[true, true, true, false, false, false, false],
    ]);
  });
});

describe("the arguments of edit_file", () => {
  const one = { search: "a", replace: "" };

  it.each([
    { path: "a", replacements: [one] },
    {
      path: "a",
      replacements: [
        { ...one, all: true },
        { ...one, count: 1 },
      ],
      preview: true,
    },
    { path: "a", diff: "@@" },
  ])("may be %j", async (args) => expect(await fits("editFile", args)).toBe(true));

  it.each([
    { diff: "@@" },
    { path: 1, diff: "@@" },
    { path: "a", replacements: [] },
    { path: "a", replacements: [{ search: "", replace: "x" }] },
    { path: "a", replacements: [{ search: "x" }] },
    { path: "a", replacements: [{ replace: "x" }] },
    { path: "a", replacements: [{ ...one, count: 0 }] },
    { path: "a", replacements: [{ ...one, all: 1 }] },
    { path: "a", replacements: [{ ...one, more: 1 }] },
    { path: "a", replacements: one },
    { path: "a", diff: 1 },
    { path: "a", preview: "yes", diff: "@@" },
    { path: "a", diff: "@@", more: 1 },
  ])("may not be %j", async (args) => expect(await fits("editFile", args)).toBe(false));
});

describe("what a call is", () => {
  it("is told with its mode and its size in bytes, before anybody says yes", async () => {
    const kit = await writeKit();
    const intent = (args: object) => kit.writeFile.intent({ path: "./a.txt", content: "ä", ...args });
    expect(intent({})).toMatchObject({
      says: "Create a.txt (2 bytes)",
      risk: "cautious",
      repeat: "run",
      changes: ["a.txt"],
    });
    expect(intent({ mode: "overwrite" }).says).toBe("Replace a.txt (2 bytes)");
    expect(intent({ mode: "append" }).says).toBe("Append to a.txt (2 bytes)");
    expect(intent({}).key).toBe(`write_file a.txt create ${sha256Hex("ä")}`);
    const keys = [
      intent({}),
      intent({ mode: "append" }),
      intent({ content: "b" }),
      intent({ path: "b.txt" }),
    ];
    expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
    expect(intent({ path: "package.json" }).says).toMatch(/^Create package\.json \(2 bytes\); it says /);
  });

  it("of an edit is told apart by what it changes, not by the path it was spelled with", async () => {
    const kit = await writeKit();
    const intent = (args: object) => kit.editFile.intent({ path: "a.txt", diff: "x", ...args });
    expect(intent({})).toMatchObject({
      says: "Edit a.txt",
      risk: "cautious",
      reads: ["a.txt"],
      changes: ["a.txt"],
    });
    expect(intent({ path: "./a.txt" }).key).toBe(intent({}).key);
    expect(intent({ diff: "y" }).key).not.toBe(intent({}).key);
    expect(intent({ path: "b.txt" }).key).not.toBe(intent({}).key);
    expect(intent({ preview: true })).toMatchObject({ says: "Preview an edit of a.txt", risk: "safe" });
    expect(intent({ preview: true })).not.toHaveProperty("changes");
    expect(intent({ path: "package.json" })).toMatchObject({
      risk: "destructive",
      says: expect.stringMatching(/^Edit package\.json; it says /) as string,
    });
    expect(intent({ path: "package.json", preview: true }).risk).toBe("safe");
    expect(intent({ path: "../x" }).forbidden).toBeDefined();
    expect(intent({})).not.toHaveProperty("forbidden");
  });

  it("that finishes one that was cut off says what is kept of it, in the mode of the first", async () => {
    const own = await writeKit();
    const content = "one line of text\n".repeat(100);
    const args = { path: "a.txt", mode: "create", content };
    const text = JSON.stringify(args);
    const cut = await own.cut(args, text.length - 500);
    const kept = cut?.bytes ?? 0;
    expect(own.writeFile.intent({ path: "a.txt", mode: "append", content: "rest" }).says).toBe(
      `Create a.txt: ${kept} bytes kept from a call that was cut off, and 4 bytes more`,
    );
    expect(own.writeFile.intent({ path: "a.txt", mode: "overwrite", content: "rest" }).says).toBe(
      "Replace a.txt (4 bytes)",
    );
  });

  it("is asked about where the path must be, an edit only when it is no preview", async () => {
    const kit = await writeKit();
    const { editFileTool } = await import("./edit-file.js");
    const { writeFileTool } = await import("./write-file.js");
    const asked: string[] = [];
    const options = {
      ...{ workspace: kit.workspace, staging: kit.staging },
      askAbout: async (path: string) => (asked.push(path), `ask: ${path}`),
    };
    const [edit, write] = [editFileTool(options), writeFileTool(options)];
    expect(await edit.asks?.({ path: "./a", diff: "" })).toBe("ask: a");
    expect(await edit.asks?.({ path: "./a", diff: "", preview: true })).toBeUndefined();
    expect(await write.asks?.({ path: "b", content: "" })).toBe("ask: b");
    expect(await write.asks?.({ path: "../b", content: "" })).toBeUndefined();
    expect(await kit.writeFile.asks?.({ path: "b", content: "" })).toBeUndefined();
    expect(asked).toEqual(["a", "b"]);
  });

  it("looks cut by its content and the kind of its file", async () => {
    const kit = await writeKit();
    expect(kit.writeFile.looksCut?.({ path: "a.json", content: '{"a": 1' })).toBe(true);
    expect(kit.writeFile.looksCut?.({ path: "a.json", content: '{"a": 1}' })).toBe(false);
    expect(kit.writeFile.looksCut?.({ path: "a.txt", content: '{"a": 1' })).toBe(false);
  });
});

describe("what is told after a write", () => {
  it("is what stands in the file: verb, bytes, lines, digest, and whether it looks cut", async () => {
    const own = await writeKit();
    const digest = (text: string) => sha256Hex(text);
    expect(await own.write({ path: "a.txt", content: "ä\nb" })).toMatchObject({
      ok: true,
      text: `Created a.txt (4 bytes)\nintegrity=ok lines=2 bytes=4 sha256=${digest("ä\nb").slice(0, 16)}`,
      facts: {
        path: "a.txt",
        bytes: 4,
        lines: 2,
        sha256: digest("ä\nb"),
        likelyTruncated: false,
        integrity: "ok",
      },
    });
    expect((await own.write({ path: "a.txt", content: "c\n", mode: "append" })).text).toBe(
      `Appended to a.txt (2 bytes added)\nintegrity=ok lines=3 bytes=7 sha256=${digest("ä\nb\nc\n").slice(0, 16)}`,
    );
    expect(
      (await own.write({ path: "a.txt", content: "d", mode: "overwrite", expected_lines: 2 })).text,
    ).toBe(
      `Replaced a.txt (1 bytes)\nintegrity=ok lines=1 bytes=1 sha256=${digest("d").slice(0, 16)}\nexpected_lines=2, but the file has 1`,
    );
    const same = await own.write({ path: "a.txt", content: "d", mode: "overwrite", expected_lines: 1 });
    expect(same.text).not.toContain("expected_lines");
    expect((await own.write({ path: "b.json", content: "[" })).text).toMatch(/ likely_truncated=true$/);
    expect((await own.write({ path: "e.txt", content: "" })).facts).toMatchObject({ lines: 0, bytes: 0 });
  });
});

describe("overwrite without a word", () => {
  it.each([
    ["eight lines", "x\n".repeat(8), true],
    ["eight lines, the last without its end", `${"x\n".repeat(7)}x`, true],
    ["nine lines, the last without its end", `${"x\n".repeat(8)}x`, false],
    ["400 bytes", "x".repeat(400), true],
    ["401 bytes of fewer characters", "ä".repeat(200) + "x", false],
  ])("replaces %s or not", async (_, text, replaces) => {
    const own = await writeKit();
    writeFileSync(join(own.workspace.root, "a.txt"), text);
    const written = own.write({ path: "a.txt", content: "new", mode: "overwrite" }).then(
      () => true,
      (error: { readonly failureClass: string }) => error.failureClass !== "overwrite_unconfirmed",
    );
    expect(await written).toBe(replaces);
  });
});

describe("the manifest of a part", () => {
  const part = {
    ...{ callId: "c", path: "a" as never, mode: undefined, confirmed: true, bytes: 3 },
    ...{ sha256: "00", tail: "abc", atMs: 5 },
  };

  it("is read back as it was written, with a mode or without", () => {
    expect(partOf(manifestOf(part))).toEqual(part);
    expect(partOf(manifestOf({ ...part, mode: "append" }))).toEqual({ ...part, mode: "append" });
    expect(manifestOf(part).endsWith("}\n")).toBe(true);
    expect(JSON.parse(manifestOf(part))).toMatchObject({
      kind: "bridle.cut_write.v1",
      complete: false,
      mode: null,
    });
  });

  it.each([
    ...[{ kind: "other" }, { callId: 1 }, { path: 1 }, { sha256: null }, { tail: 0 }, { bytes: "3" }],
    ...[{ atMs: null }, { confirmed: "true" }, { mode: "replace" }, { mode: undefined }],
  ])("is none with %j", (wrong) => {
    const row = { ...(JSON.parse(manifestOf(part)) as object), ...wrong };
    expect(partOf(JSON.stringify(row))).toBeUndefined();
  });

  it("is none where it is no JSON, or no object", () => {
    expect([partOf("{"), partOf("[]"), partOf("null"), partOf("")]).toEqual([...Array(4)]);
  });
});
