/** Notes are not lost: not to others who write, not to a damaged file, not to an older program's shape. */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileStat, nodePorts, type Ports } from "@bridle/record";
import { alterFiles, VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { useChildren } from "../../../../test/support/children.js";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { share } from "../../../../test/support/scale.js";
import { memoryLimits } from "./limits.js";
import { NoteStore, notesFileName } from "./store.js";

const children = useChildren();
const newPath = () => join(newFolder(), notesFileName);
const storeAt = (path: string, ports: Ports = nodePorts()) => new NoteStore({ path, ports });
const content = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

describe("notes", () => {
  it("are kept with the clock's times in one document with a version", async () => {
    const path = newPath();
    const clock = new VirtualClock({ startMs: Date.parse("2026-03-01T10:00:00Z") });
    const store = storeAt(path, { ...nodePorts(), clock });
    await store.put({ key: " host ", value: "alpha", type: "fact", scope: "deploy" });
    expect(content(path)).toEqual({
      version: 1,
      notes: {
        "fact:host": {
          value: "alpha",
          type: "fact",
          createdAt: "2026-03-01T10:00:00.000Z",
          updatedAt: "2026-03-01T10:00:00.000Z",
          scope: "deploy",
        },
      },
    });
    // Another program says how sure it is.
    writeFileSync(path, readFileSync(path, "utf8").replace('"type"', '"confidence": 0.9, "type"'));
    expect((await store.read()).notes.get("fact:host")?.confidence).toBe(0.9);
    await clock.advance(60_000);
    const { note, before } = await store.put({ key: "fact:host", value: "beta", type: "fact" });
    expect(before?.value).toBe("alpha");
    expect(note).toMatchObject({
      value: "beta",
      scope: "deploy",
      createdAt: "2026-03-01T10:00:00.000Z",
      updatedAt: "2026-03-01T10:01:00.000Z",
    });
    expect(note.confidence, "it was said of the old value").toBeUndefined();
  });

  it("of one key in two types are two notes", async () => {
    const store = storeAt(newPath());
    await store.put({ key: "cache", value: "is warm", type: "belief" });
    await store.put({ key: "cache", value: "lives in memory", type: "fact" });
    expect([...(await store.read()).notes.keys()]).toEqual(["belief:cache", "fact:cache"]);
    const failure = await rejectsWith("note_invalid", store.remove("cache"));
    expect(failure.message).toContain("belief:cache, fact:cache");
    expect((await store.remove("belief:cache")).value).toBe("is warm");
    expect((await store.remove("cache")).id).toBe("fact:cache");
    await rejectsWith("note_missing", store.remove("cache"));
  });

  it("keep the members that this version does not know, of a note and of the file", async () => {
    const path = newPath();
    const mood = { colour: "blue", n: [1, null] };
    const written = {
      notes: {
        "fact:a": { value: "old", type: "fact", mood },
        "dream:b": { value: "of a newer version", type: "dream", x: true },
      },
      version: 1,
      later: "kept",
    };
    writeFileSync(path, JSON.stringify(written));
    const store = storeAt(path);
    await store.put({ key: "a", value: "new", type: "fact" });
    expect(content(path)).toMatchObject({
      later: "kept",
      notes: { "fact:a": { value: "new", mood }, "dream:b": written.notes["dream:b"] },
    });
  });

  it("with names that objects have anyway are notes like others", async () => {
    const path = newPath();
    writeFileSync(path, '{"__proto__":"p","constructor":"c","toString":{"value":"t"}}');
    const store = storeAt(path);
    await store.put({ key: "valueOf", value: "v", type: "fact" });
    const { notes } = await storeAt(path).read();
    expect([...notes.values()].map(({ key, value }) => [key, value])).toEqual([
      ["__proto__", "p"],
      ["constructor", "c"],
      ["toString", "t"],
      ["valueOf", "v"],
    ]);
    await store.remove("__proto__");
    expect([...(await storeAt(path).read()).notes.keys()]).not.toContain("fact:__proto__");
  });

  it("of the older shape are read, and become notes of ours with the first write, each once", async () => {
    const path = newPath();
    const older = {
      plain: "just a text",
      "recipe:build": { value: "npm run build", createdAt: 1_700_000_000_000, accessCount: 3, links: ["x"] },
      twice: "untyped",
      "fact:twice": { value: "typed", updatedAt: "2025-01-02T03:04:05Z", scope: "chat", chatId: "c1" },
      notes: "a note that is called notes",
    };
    const text = JSON.stringify(older);
    writeFileSync(path, text);
    const store = storeAt(path);
    const values = async () =>
      Object.fromEntries([...(await storeAt(path).read()).notes].map(([id, { value }]) => [id, value]));
    const expected = {
      "recipe:build": "npm run build",
      "fact:twice": "typed",
      "fact:plain": "just a text",
      "fact:twice (2)": "untyped",
      "fact:notes": "a note that is called notes",
    };
    expect(await values()).toEqual(expected);
    expect(readFileSync(path, "utf8"), "reading changes nothing").toBe(text);
    await store.put({ key: "new", value: "one", type: "fact" });
    expect(Object.keys(content(path))).toEqual(["version", "notes"]);
    expect(await values()).toEqual({ ...expected, "fact:new": "one" });
    expect((await store.read()).notes.get("recipe:build")).toMatchObject({
      createdAt: "2023-11-14T22:13:20.000Z",
      stored: { accessCount: 3, links: ["x"] },
    });
  });

  it("of an older file that another program adds to meanwhile are not lost either", async () => {
    const path = newPath();
    writeFileSync(path, '{"a":"1"}');
    const real = nodePorts();
    let added = false;
    const files = alterFiles(real.files, {
      files: {
        symlink: async (target, at) => {
          await real.files.symlink(target, at);
          if (added) return;
          added = true;
          writeFileSync(path, '{"a":"1","b":"2"}');
        },
      },
    });
    await storeAt(path, { ...real, files }).put({ key: "c", value: "3", type: "fact" });
    expect(added).toBe(true);
    expect(Object.keys(content(path))).toEqual(["version", "notes"]);
    expect([...(await storeAt(path).read()).notes.keys()]).toEqual(["fact:a", "fact:b", "fact:c"]);
  });

  it("[D7] in a file that cannot be understood are neither read nor written over, and it stays byte for byte", async () => {
    const bad: (string | Uint8Array)[] = [
      "",
      "{",
      '{"version":1,"notes":{"fact:a":{"value":"x"}',
      "[]",
      "null",
      '{"version":1}',
      '{"version":1,"notes":[]}',
      '{"version":1,"notes":{"fact:a":"text"}}',
      '{"version":1,"notes":{"fact:a":{"value":7}}}',
      '{"version":2,"notes":{}}',
      '{"a":7}',
      '{"a":{"text":"no value"}}',
      '\ufeff{"version":1,"notes":{}}',
      '{"version":1,\r\n"notes":{}}',
      new Uint8Array([0x7b, 0xff, 0x7d]),
      new Uint8Array(4096),
    ];
    for (const bytes of bad) {
      const path = newPath();
      writeFileSync(path, bytes);
      const { ino, mtimeMs } = statSync(path);
      const store = storeAt(path);
      const attempts = [
        () => store.read(),
        () => store.put({ key: "a", value: "b", type: "fact" }),
        () => store.remove("a"),
      ];
      for (const attempt of attempts) {
        const failure = await rejectsWith("notes_damaged", attempt());
        expect(failure.message).toContain(path);
        expect(failure.hint).toContain("move it away");
      }
      expect(Buffer.from(bytes).equals(readFileSync(path))).toBe(true);
      expect([statSync(path).ino, statSync(path).mtimeMs]).toEqual([ino, mtimeMs]);
    }
    console.log(`proof: notes: ${bad.length} damaged files refused to readers and writers, none changed`);
  });

  it("are remembered again as soon as the damaged file was mended", async () => {
    const path = newPath();
    writeFileSync(path, "{");
    const store = storeAt(path);
    await rejectsWith("notes_damaged", store.read());
    writeFileSync(path, '{"a":"1"}');
    await store.put({ key: "b", value: "2", type: "fact" });
    expect((await store.read()).notes.size).toBe(2);
  });

  it("beyond a limit are refused with what to do, and nothing is written", async () => {
    const path = newPath();
    const store = storeAt(path);
    const { keyCharsMax, valueCharsMax, scopeCharsMax } = memoryLimits;
    const drafts = [
      { key: " ", value: "x" },
      { key: "fact:", value: "x" },
      { key: "k".repeat(keyCharsMax + 1), value: "x" },
      { key: "k", value: " \n" },
      { key: "k", value: "v".repeat(valueCharsMax + 1) },
      { key: "k", value: "x", scope: "s".repeat(scopeCharsMax + 1) },
    ];
    for (const draft of drafts) {
      const failure = await rejectsWith("note_invalid", store.put({ ...draft, type: "fact" }));
      expect(failure.hint).toBeTruthy();
    }
    expect(existsSync(path)).toBe(false);
    const full = Array.from(
      { length: memoryLimits.notesMax },
      (_, i) => [`fact:${i}`, { value: "x" }] as const,
    );
    writeFileSync(path, JSON.stringify({ version: 1, notes: Object.fromEntries(full) }));
    const failure = await rejectsWith("notes_full", store.put({ key: "k", value: "x", type: "fact" }));
    expect(failure.hint).toContain("Forget");
    await store.put({ key: "7", value: "a note that is there may change", type: "fact" });
  });

  it("are read from the disk once while nobody changes them", async () => {
    const path = newPath();
    let reads = 0;
    const real = nodePorts();
    const files = alterFiles(real.files, {
      files: {
        open: async (at, mode, permissions) => {
          if (at === path) reads++;
          return real.files.open(at, mode, permissions);
        },
      },
    });
    const store = storeAt(path, { ...real, files });
    const age = () => utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect((await store.read()).notes.size).toBe(0);
    await storeAt(path).put({ key: "a", value: "1", type: "fact" });
    age();
    const first = await store.read();
    expect(await store.read()).toBe(first);
    expect(reads).toBe(1);
    await storeAt(path).put({ key: "a", value: "2", type: "fact" });
    age();
    expect((await store.read()).notes.get("fact:a")?.value).toBe("2");
    expect(reads).toBe(2);
  });

  it("are read again while the file is so young that another write could look like the same", async () => {
    const path = newPath();
    const [one, two] = ["1", "2"].map((value) => `{"version":1,"notes":{"fact:a":{"value":"${value}"}}}`);
    const mtimeMs = Date.now();
    const real = nodePorts();
    const files = alterFiles(real.files, {
      files: { stat: async (at) => ({ ...((await real.files.stat(at)) as FileStat), mtimeMs }) },
    });
    const clock = new VirtualClock({ startMs: mtimeMs + 1 });
    const store = storeAt(path, { ...real, files, clock });
    writeFileSync(path, one as string);
    expect((await store.read()).notes.get("fact:a")?.value).toBe("1");
    writeFileSync(path, two as string);
    expect((await store.read()).notes.get("fact:a")?.value).toBe("2");
  });

  it("of six processes that write at once are all there", async () => {
    const path = newPath();
    writeFileSync(path, '{"before":"all of them"}');
    const [writers, times] = [6, share(100, 15)];
    const started = Array.from({ length: writers }, (_, i) =>
      children.start("remember", { path, writer: `writer ${i}`, times }),
    );
    await Promise.all(started.map((child) => child.finish()));
    const { notes } = await storeAt(path).read();
    expect(notes.size).toBe(writers * times + 1);
    expect(notes.get("fact:writer 3 7")?.value).toBe("note 7 of writer 3");
    console.log(`proof: notes: ${writers} processes kept ${times} notes each, none was lost`);
  });
});
