import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentTool, ToolReport } from "@bridle/agent";
import { type JsonObject, sha256Hex } from "@bridle/record";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { openWorkspace } from "../outside/workspace.js";
import type { Workspace } from "../types.js";
import { grepFileTool } from "./grep-file.js";
import { listDirTool } from "./list-dir.js";
import { readChunk, readFileChunkedTool } from "./read-file-chunked.js";
import { readFileTool } from "./read-file.js";

async function spaceWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<Workspace> {
  const root = newFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return openWorkspace(root);
}

const going = new AbortController().signal;
const call = async (tool: AgentTool, args: JsonObject, signal = going): Promise<ToolReport> =>
  tool.run(args, { callId: "c1", round: 1, signal, update: () => {} });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`);

describe("read_file", () => {
  it("gives a small file whole, with the hash that a later edit can rely on", async () => {
    const space = await spaceWith({ "src/a.ts": "one\ntwo\n" });
    const report = await call(readFileTool(space), { path: "./src//a.ts" });
    expect(report).toEqual({
      ok: true,
      text: "one\ntwo",
      facts: {
        path: "src/a.ts",
        from: 1,
        to: 2,
        lines: 2,
        whole: true,
        bytes: 8,
        sha256: sha256Hex("one\ntwo\n"),
      },
    });
  });

  it("says how many lines remain and where to go on, and the parts make the file", async () => {
    const all = numbers(4_500);
    const space = await spaceWith({ f: all.join("\n") });
    const got: string[] = [];
    const notes: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined;) {
      const { text } = await call(readFileTool(space), { path: "f", offset });
      const lines = text.split("\n");
      const note = lines.at(-1)?.startsWith("[") === true ? lines.pop() : undefined;
      got.push(...lines);
      if (note !== undefined) notes.push(note);
      offset = note === undefined ? undefined : Number(/offset=(\d+)/.exec(note)?.[1]);
    }
    expect(got).toEqual(all);
    expect(notes).toEqual([
      "[2500 lines remain; go on with offset=2001]",
      "[500 lines remain; go on with offset=4001]",
    ]);
  });

  it("takes offset, limit and line numbers", async () => {
    const space = await spaceWith({ f: numbers(10).join("\n") });
    const { text } = await call(readFileTool(space), { path: "f", offset: 8, limit: 2, line_numbers: true });
    expect(text).toBe("      8|line 8\n      9|line 9\n[1 line remains; go on with offset=10]");
    const failure = await rejectsWith("input_invalid", call(readFileTool(space), { path: "f", offset: 11 }));
    expect(failure.message).toContain("has 10 lines");
  });

  it("is bounded by characters too, and cuts a line that is endless", async () => {
    const space = await spaceWith({ wide: `${"x".repeat(999)}\n`.repeat(100), long: "y".repeat(3_000_000) });
    const wide = await call(readFileTool(space), { path: "wide" });
    expect(wide.text.length).toBeLessThan(41_000);
    expect(wide.text).toMatch(/\[60 lines remain; go on with offset=41\]$/);
    const long = await call(readFileTool(space), { path: "long" });
    expect(long.text.length).toBeLessThan(5_000);
    expect(long.text).toContain("2996000 more characters of this line");
    expect(long.facts?.["whole"]).toBe(false);
  });

  it("does not hold a huge file in memory", async () => {
    const space = await spaceWith({ huge: numbers(2_000).join("\n") });
    truncateSync(join(space.root, "huge"), 200 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const { text } = await call(readFileTool(space), { path: "huge", limit: 3 });
    expect(text.startsWith("line 1\nline 2\nline 3\n[")).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("puts letters together that lie across the pieces it reads", async () => {
    const text = `${"x".repeat(256 * 1024 - 1)}\n漢字😀é`;
    const odd = `a${"😀\n".repeat(120_000)}`;
    const space = await spaceWith({ a: text, odd });
    expect((await call(readFileTool(space), { path: "a", offset: 2 })).text).toBe("漢字😀é");
    const { text: end } = await call(readFileTool(space), { path: "odd", offset: 119_999 });
    expect(end).toBe("😀\n😀");
  });

  it("refuses what is no text, with its size and kind", async () => {
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(92, 1)]);
    const space = await spaceWith({
      "i.png": png,
      bin: Buffer.from([1, 0, 2]),
      latin: Buffer.from("caf\xe9", "latin1"),
    });
    const image = await rejectsWith("file_not_text", call(readFileTool(space), { path: "i.png" }));
    expect(image.message).toBe("i.png is a PNG image, 100 bytes, not text");
    await rejectsWith("file_not_text", call(readFileTool(space), { path: "bin" }));
    const latin = await rejectsWith("file_not_text", call(readFileTool(space), { path: "latin" }));
    expect(latin.hint).toContain("encoding");
    expect((await call(readFileTool(space), { path: "latin", encoding: "latin1" })).text).toBe("café");
  });

  it("reads UTF-16 by its mark, says CRLF, and tells an empty file from a missing one", async () => {
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("wide\nlines", "utf16le")]);
    const space = await spaceWith({ wide, crlf: "a\r\nb\r\n", empty: "" });
    expect((await call(readFileTool(space), { path: "wide" })).text).toBe("wide\nlines");
    expect((await call(readFileTool(space), { path: "crlf" })).text).toBe("a\r\nb\r\n[lines end with CRLF]");
    expect((await call(readFileTool(space), { path: "empty" })).text).toBe("[the file is empty]");
    await rejectsWith("file_missing", call(readFileTool(space), { path: "missing" }));
  });

  it.each([
    ["src/idnex.ts", 'Did you mean "src/index.ts"?'],
    ["scr/index.ts", 'Did you mean "src/index.ts"?'],
    ["README.MD", "in another case"],
    ["cafe\u0301", "spelled with other characters"],
    ["nothing/like/it", "List its folder."],
  ])("names what is nearest to %s", async (path, hint) => {
    const space = await spaceWith({ "src/index.ts": "", "readme.md": "", "caf\u00e9": "" });
    expect((await rejectsWith("file_missing", call(readFileTool(space), { path }))).hint).toContain(hint);
  });

  it("stops when the turn ends", async () => {
    const space = await spaceWith({ f: "x" });
    await rejectsWith("aborted", call(readFileTool(space), { path: "f" }, AbortSignal.abort()));
    await rejectsWith("aborted", call(grepFileTool(space), { path: ".", pattern: "x" }, AbortSignal.abort()));
  });
});

describe("read_file_chunked", () => {
  it("gives parts that make the file, byte for byte, cut where lines or letters end", async () => {
    const space = await spaceWith({});
    const unit = fc.constantFrom("a", "\n", "é", "漢", "😀", "word ", "x".repeat(400), "é\n");
    await fc.assert(
      fc.asyncProperty(
        fc.array(unit, { maxLength: 120 }),
        fc.integer({ min: 1024, max: 3000 }),
        async (units, size) => {
          const content = units.join("").repeat(3);
          writeFileSync(join(space.root, "f"), content);
          const path = space.place("f");
          const { chunks } = await readChunk(space, path, { chunk: 1, size });
          const parts = [];
          for (let chunk = 1; chunk <= chunks; chunk++)
            parts.push((await readChunk(space, path, { chunk, size })).text);
          expect(parts.join("")).toBe(content);
          for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(size * 1.5 + 4);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  it("says which part of how many it is, and refuses one that is not there", async () => {
    const space = await spaceWith({ f: "0123456789\n".repeat(300) });
    const first = await call(readFileChunkedTool(space), { path: "f", chunk: 1, chunk_bytes: 1100 });
    expect(first.text).toMatch(/\n\[chunk 1 of 3, bytes 0–1100 of 3300; go on with chunk=2\]$/);
    const last = await call(readFileChunkedTool(space), { path: "f", chunk: 3, chunk_bytes: 1100 });
    expect(last.text).toMatch(/\n\[chunk 3 of 3, bytes \d+–3300 of 3300\]$/);
    await rejectsWith(
      "input_invalid",
      call(readFileChunkedTool(space), { path: "f", chunk: 4, chunk_bytes: 1100 }),
    );
  });
});

describe("grep_file", () => {
  const tree = {
    "src/a.ts": "const one = 1;\nconst two = 2;\r\n",
    "src/b.ts": "let three = 3;\n",
    "node_modules/x/i.js": "const hidden = 1;\n",
    ".git/config": "const hidden = 1;\n",
    ".netrc": "const secret = 1;\n",
    bin: Buffer.from("const \0 = 1"),
  };

  it("finds lines in all files of a folder and says what it skipped", async () => {
    const space = await spaceWith(tree);
    symlinkSync("/etc", join(space.root, "etc"));
    const { text, facts } = await call(grepFileTool(space), { path: ".", pattern: "^const \\w+ = \\d;$" });
    expect(text.split("\n")).toEqual([
      "src/a.ts:1: const one = 1;",
      "src/a.ts:2: const two = 2;",
      "[2 matches in 1 files; skipped: 1 files with credentials, 1 binary files, 1 links]",
    ]);
    expect(facts).toEqual({ path: ".", matches: 2, files: 2, stopped: null });
  });

  it("takes a file, plain text, either case and a bound", async () => {
    const space = await spaceWith({ f: "a.b\nA.B\naxb\n" });
    const grep = async (args: JsonObject) =>
      (await call(grepFileTool(space), { path: "f", ...args })).text.split("\n");
    expect(await grep({ pattern: "a.b", fixed: true })).toEqual(["f:1: a.b", "[1 matches in 1 files]"]);
    expect(await grep({ pattern: "a.b", ignore_case: true })).toHaveLength(4);
    expect((await grep({ pattern: "a.b", max_matches: 1 })).at(-1)).toContain("stopped after 1 matches");
    expect(await grep({ pattern: "nothing" })).toEqual(["[no line matches; 1 files searched]"]);
    await rejectsWith("pattern_invalid", grep({ pattern: "(a" }));
    await rejectsWith("file_missing", call(grepFileTool(space), { path: "g", pattern: "a" }));
  });

  it("ends on a pattern and a text that are made for each other", async () => {
    const space = await spaceWith({ f: `${"a".repeat(60_000)}!\n`.repeat(40) });
    const { text } = await call(grepFileTool(space), { path: "f", pattern: "(a|aa)+(a*)*$" });
    expect(text).toBe(
      "[no line matches; 1 files searched; 40 lines searched only in their first 16384 characters]",
    );
  });

  it("gives up on a search that is too much work, and says so", async () => {
    const letters = Array.from({ length: 16_000 }, (_, i) => "abcdefgh"[((i * i * 7919) >> 3) % 8]).join("");
    const space = await spaceWith({ f: `${letters}\n`.repeat(40) });
    const { text } = await call(grepFileTool(space), { path: "f", pattern: "(?:(?:\\pL?){30}){30}[01]" });
    expect(text).toContain("stopped after as much work as one search may do");
  });

  it("does not let a file's name make a line of its own", async () => {
    const space = await spaceWith({ "x\nevil.ts:1: const": "const a = 1\n" });
    const { text } = await call(grepFileTool(space), { path: ".", pattern: "const" });
    expect(text).toBe("[no line matches; 0 files searched; skipped: 1 files that cannot be read]");
    expect((await call(listDirTool(space), { path: "." })).text).toBe('"x\\nevil.ts:1: const"');
  });
});

describe("list_dir", () => {
  it("lists a folder with sizes, and deeper when asked", async () => {
    const space = await spaceWith({ "a/b/c.txt": "12345", "a/d": "", "node_modules/x": "", z: "1" });
    symlinkSync("z", join(space.root, "l"));
    const list = async (args: JsonObject) => (await call(listDirTool(space), args)).text.split("\n");
    expect(await list({ path: "." })).toEqual(["a/", "l@", "node_modules/ (not entered)", "z 1"]);
    expect(await list({ path: "a", depth: 3 })).toEqual(["b/", "b/c.txt 5", "d 0"]);
    expect(await list({ path: "node_modules" })).toEqual(["x 0"]);
    expect((await rejectsWith("file_not_regular", list({ path: "z" }))).hint).toContain("read_file");
    expect((await rejectsWith("file_missing", list({ path: "b" }))).hint).toContain('"a"');
  });

  it("is bounded and says so; an empty folder and one that cannot be entered are no failure", async () => {
    const files = Object.fromEntries(numbers(501).map((name) => [`many/${name}`, ""]));
    const space = await spaceWith(files);
    mkdirSync(join(space.root, "odd./inner"), { recursive: true });
    mkdirSync(join(space.root, "none"));
    chmodSync(join(space.root, "none"), 0o755);
    const many = await call(listDirTool(space), { path: "many" });
    expect(many.text.split("\n")).toHaveLength(501);
    expect(many.text).toMatch(/\[more than 500 entries; list a folder below this one\]$/);
    expect((await call(listDirTool(space), { path: "none" })).text).toBe("[the folder is empty]");
    expect((await call(listDirTool(space), { path: ".", depth: 2 })).text).toContain("[more than 500");
  });
});

describe("what a reading call is after", () => {
  it("is the same for two spellings of one path, and another for another part", async () => {
    const space = await spaceWith({});
    const read = readFileTool(space);
    const key = (args: JsonObject) => read.intent(args).key;
    expect(key({ path: "a/b" })).toBe(key({ path: "./a//b", offset: 1, limit: 2000, line_numbers: false }));
    expect(key({ path: `${space.root}/a/b` })).toBe(key({ path: "a/b" }));
    expect(key({ path: "a/b", offset: 2 })).not.toBe(key({ path: "a/b" }));
    expect(key({ path: "a/B" })).not.toBe(key({ path: "a/b" }));
    expect(read.intent({ path: "a/b" })).toMatchObject({ repeat: "answer", risk: "safe", reads: ["a/b"] });
    expect(listDirTool(space).intent({ path: "." }).reads).toEqual(["."]);
  });

  it("is forbidden with the reason for a path that leads out, and running it is refused all the same", async () => {
    const space = await spaceWith({});
    const tools: readonly (readonly [AgentTool, JsonObject])[] = [
      [readFileTool(space), {}],
      [readFileChunkedTool(space), { chunk: 1 }],
      [grepFileTool(space), { pattern: "x" }],
      [listDirTool(space), {}],
    ];
    for (const [tool, args] of tools) {
      expect(tool.intent({ path: "../x", ...args }).forbidden?.code).toBe("path_outside");
      await rejectsWith("path_outside", call(tool, { path: "../x", ...args }));
      expect(tool.parameters["additionalProperties"]).toBe(false);
    }
  });
});

describe("files of settings", () => {
  it("are read when somebody said yes, and are not searched with their folder", async () => {
    const space = await spaceWith({
      ".env": "KEY=hidden-value\n",
      ".env.example": "KEY=\n",
      "a.txt": "KEY here\n",
    });
    const read = readFileTool(space);
    const grep = grepFileTool(space);
    expect(read.intent({ path: ".env" }).risk).toBe("cautious");
    expect(grep.intent({ path: ".env.local", pattern: "KEY" }).risk).toBe("cautious");
    expect(read.intent({ path: ".env.example" }).risk).toBe("safe");
    const run = { callId: "c", round: 1, signal: new AbortController().signal, update() {} };
    const { text } = await grep.run({ path: ".", pattern: "KEY" }, run);
    expect(text).toContain("a.txt");
    expect(text).not.toContain("hidden-value");
  });
});
