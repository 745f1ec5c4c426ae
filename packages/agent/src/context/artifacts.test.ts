/** What was put aside comes back byte for byte, or not at all; and the tools say what they show. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, nodePorts } from "@bridle/record";
import { alterFiles } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "@bridle/model";
import { round, say } from "../../../../test/support/conversations.js";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import type { ToolReport } from "../types.js";
import { artifactId, ArtifactStore } from "./artifacts.js";
import { compact, type CompactOptions } from "./compact.js";
import { contextLimits } from "./limits.js";
import { type ContextAccess, contextTools } from "./tools.js";

const ports = nodePorts();
const storeIn = (stateFolder: string) => new ArtifactStore({ stateFolder, ports });
const compactInto = async (store: ArtifactStore, messages: readonly Message[], options: CompactOptions) => {
  const compacted = compact(messages, options);
  for (const { text } of compacted.artifacts) await store.put(text);
  return compacted;
};
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("an artifact", () => {
  it("comes back as it was put, under an id that its text alone gives", async () => {
    const store = storeIn(newFastFolder());
    await holdsAsync(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 300 }), async (text) => {
        const id = await store.put(text);
        expect(id).toMatch(/^art_[0-9a-f]{16}$/);
        expect(id).toBe(artifactId(text));
        expect(await store.get(id)).toBe(text);
      }),
      60,
    );
    for (const text of ["", "\ufeffmark", "a\r\nb", "\0"])
      expect(await store.get(await store.put(text))).toBe(text);
  });

  it("is one file named by its content, written once", async () => {
    const folder = newFolder();
    const store = storeIn(folder);
    const id = await store.put("hello");
    const [file, ...others] = filesIn(folder) as [string];
    expect(others).toEqual([]);
    expect(file).toMatch(
      /artifacts\/2c\/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\.txt$/,
    );
    expect(id).toBe("art_2cf24dba5fb0a30e");
    const { ino } = statSync(file);
    await Promise.all([store.put("hello"), storeIn(folder).put("hello")]);
    expect(statSync(file).ino).toBe(ino);
    expect(filesIn(folder)).toEqual([file]);
  });

  it("that was changed on the disk is refused, and whole again when it is put again", async () => {
    const folder = newFolder();
    const store = storeIn(folder);
    const id = await store.put("the true output");
    const [file] = filesIn(folder) as [string];
    writeFileSync(file, "the truer output");
    const failure = await rejectsWith("artifact_damaged", store.get(id));
    expect(failure.message).toContain(file);
    await store.put("the true output");
    expect(await store.get(id)).toBe("the true output");
    writeFileSync(file.replace(/.{5}\.txt$/, "00000.txt"), "another with the same beginning");
    await rejectsWith("artifact_damaged", store.get(id));
  });

  it("that is not there is refused, whatever is written as its id", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "secret.txt"), "secret");
    const store = storeIn(join(folder, "state"));
    for (const id of [
      "art_0123456789abcdef",
      "",
      "../secret",
      "art_../../secret0000",
      "art_0123456789ABCDEF",
      "art_01",
    ]) {
      await rejectsWith("artifact_missing", store.get(id));
    }
    mkdirSync(join(folder, "state", "artifacts", "01"), { recursive: true });
    await rejectsWith("artifact_missing", store.get("art_0123456789abcdef"));
  });

  it("larger than the limit keeps its beginning and says so", async () => {
    const store = storeIn(newFastFolder());
    const text = "é".repeat(contextLimits.artifactBytesMax);
    const id = await store.put(text);
    expect(id).toBe(artifactId(text));
    const kept = await store.get(id);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(contextLimits.artifactBytesMax);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(contextLimits.artifactBytesMax - 10);
    expect(kept).toMatch(/^é+\n\[the rest was not kept: the text had 16777216 bytes\]$/);
  });

  it("is not there at all when the disk is full", async () => {
    const folder = newFolder();
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    const files = alterFiles(ports.files, { openFile: () => ({ append: () => Promise.reject(full) }) });
    const store = new ArtifactStore({ stateFolder: folder, ports: { ...ports, files } });
    await rejectsWith("disk_full", store.put("text"));
    expect(filesIn(folder)).toEqual([]);
    await rejectsWith("artifact_missing", store.get(artifactId("text")));
  });
});

describe("compaction into a store", () => {
  it("leaves every id that it names readable", async () => {
    const store = storeIn(newFastFolder());
    const rounds = Array.from({ length: 12 }, (_, i) =>
      round(i, [{ name: "read_file", args: { path: `f${i}` }, result: `line of ${i}\n`.repeat(600) }]),
    );
    const { messages, report } = await compactInto(store, [say("go"), ...rounds.flat()], { keepRounds: 5 });
    const named = [...new Set(JSON.stringify(messages).match(/art_[0-9a-f]{16}/g))].filter(
      (id) => id !== "art_0123456789abcdef",
    );
    expect(named.toSorted()).toEqual([...report.artifacts].toSorted());
    expect(named.length).toBe(7 + 1 + 2);
    for (const id of named) expect((await store.get(id)).length).toBeGreaterThan(100);
  });
});

describe("the tools of the context", () => {
  const nobody: ContextAccess = {
    status: () => ({ tokens: 0, max: 1_000 }),
    compress: () => Promise.reject(new Error("not asked")),
  };
  function call(
    desk: ContextAccess,
    store: ArtifactStore,
    name: string,
    args: JsonObject,
  ): Promise<ToolReport> {
    const tool = contextTools(desk, store).find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    expect(tool.intent(args).risk).toBe("safe");
    return tool.run(args, { callId: "c", round: 1, signal: new AbortController().signal, update: () => {} });
  }

  it("say how full the context is", async () => {
    const store = storeIn(newFolder());
    const at = (tokens: number) =>
      call({ ...nobody, status: () => ({ tokens, max: 1_000 }) }, store, "check_context", {});
    expect((await at(100)).text).toBe("OK: about 100 of 1000 tokens, 10 %.");
    expect((await at(600)).text).toBe("HIGH: about 600 of 1000 tokens, 60 %. compress_context makes room.");
    expect((await at(900)).facts).toEqual({ tokens: 900, max: 1_000, percent: 90, status: "CRITICAL" });
  });

  it("[D33] report a compression, and one that had nothing to do, as what they were", async () => {
    const store = storeIn(newFastFolder());
    const rounds = Array.from({ length: 9 }, (_, i) =>
      round(i, [{ name: "read_file", args: {}, result: "words ".repeat(300) }]),
    );
    const deskWith = (count: number): ContextAccess => ({
      status: () => ({ tokens: 0, max: 10_000 }),
      compress: async (summary) =>
        (await compactInto(store, [say("go"), ...rounds.slice(0, count).flat()], { keepRounds: 4, summary }))
          .report,
    });
    const done = await call(deskWith(9), store, "compress_context", { summary: "so far so good" });
    expect(done.text).toMatch(
      /^Compressed 5 rounds: the messages were about \d+ tokens \(\d+ %\) and are \d+ \(\d+ %\)\. Full text: art_/,
    );
    expect(done.facts).toMatchObject({ compressed: true, rounds: 5 });
    const idle = await call(deskWith(3), store, "compress_context", { summary: "so far so good" });
    expect(idle.text).toMatch(
      /^Nothing was compressed: there are 3 rounds, and the last 4 stay as they are\./,
    );
    expect(idle.facts).toMatchObject({ compressed: false, rounds: 0 });
  });

  it("read an artifact piece by piece, without half a character", async () => {
    const store = storeIn(newFolder());
    const text = Array.from({ length: 500 }, (_, i) => `${i}😀`).join("");
    const id = await store.put(text);
    let [offset, joined, pieces] = [0, "", 0];
    for (;;) {
      const report = await call(nobody, store, "read_artifact", { id, offset, limit: 97 });
      const [head = "", ...rest] = report.text.split("\n");
      const piece = rest.join("\n");
      expect(piece.isWellFormed()).toBe(true);
      expect(piece.length).toBeLessThanOrEqual(97);
      joined += piece;
      pieces++;
      const next = /Go on with offset (\d+)/.exec(head)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(joined).toBe(text);
    expect(pieces).toBeGreaterThan(20);
    expect((await call(nobody, store, "read_artifact", { id, offset: 1e6 })).text).toContain("nothing is at");
    for (const limit of [1, 2]) {
      const { text: shown } = await call(nobody, store, "read_artifact", { id, offset: 1, limit });
      expect(shown.split("\n")[1]).toBe("😀");
    }
    await rejectsWith(
      "artifact_missing",
      call(nobody, store, "read_artifact", { id: "art_0000000000000000" }),
    );
  });
});
