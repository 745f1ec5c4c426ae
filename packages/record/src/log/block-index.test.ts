/** The index is quick or it is rebuilt; it never answers for bytes that it did not see, and it keeps its evidence. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { alterFiles } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { limits } from "../limits.js";
import { localOf } from "../local.js";
import { nodePorts } from "../ports/node.js";
import type { Ports } from "../ports/types.js";
import { checksumsOnly, openIndex, readBlock, type LogIndex, type Summarizer } from "./block-index.js";
import { Log } from "./log.js";

const ports = nodePorts();
const ids: Summarizer<string[]> = {
  name: "ids.v1",
  summarize: (entries) => entries.flatMap((entry) => (entry.kind === "row" ? [String(entry.row["id"])] : [])),
};

const row = (id: number, bytes = 100) =>
  `${JSON.stringify({ id, pad: "x".repeat(Math.max(0, bytes - 30)) })}\n`;
const rows = (from: number, to: number, bytes = 100) =>
  Array.from({ length: to - from }, (_, i) => row(from + i, bytes)).join("");

function newLog(content: string): string {
  const path = join(newFolder(), "log.jsonl");
  writeFileSync(path, content);
  return path;
}

interface Asking {
  readonly ports?: Ports;
  readonly thorough?: boolean;
  readonly comments?: boolean;
}

async function indexOf<S extends string[] | null>(
  path: string,
  summarizer: Summarizer<S>,
  asking: Asking = {},
): Promise<LogIndex<S>> {
  const through = asking.ports ?? ports;
  const local = await localOf(path, through.files);
  const file = await through.files.open(path, "read");
  try {
    return await openIndex({ ...asking, local, file, ports: through, summarizer });
  } finally {
    await file.close();
  }
}

const idsIn = (index: LogIndex<string[]>) => index.blocks.flatMap((block) => block.summary).map(Number);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const indexFile = async (path: string) => (await localOf(path, ports.files)).index;

/** Changes one character of a value, so that the line stays JSON; the time of the file stays too when asked. */
function flip(path: string, id: number, options: { readonly keepTime?: boolean } = {}): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  const at = bytes.indexOf(`{"id":${id},`);
  bytes[bytes.indexOf("x", at)] = "y".charCodeAt(0);
  writeFileSync(path, bytes);
  if (options.keepTime === true) utimesSync(path, atime, mtime);
}

const severalBlocks = rows(0, 10_000);

describe("an index", () => {
  it("that is current reads no block, and one that is behind reads only what was added", async () => {
    const path = newLog(severalBlocks);
    const first = await indexOf(path, ids);
    expect(first.blocksRead).toBeGreaterThan(3);
    expect(first.reused).toBe(false);
    const current = await indexOf(path, ids);
    expect(current).toMatchObject({ blocksRead: 0, reused: true });
    expect(current.blocks).toEqual(first.blocks);
    appendFileSync(path, rows(10_000, 10_010));
    const extended = await indexOf(path, ids);
    expect(extended.blocksRead).toBe(1);
    expect(idsIn(extended)).toEqual(upTo(10_010));
  });

  it("that is current looks at no block but the last, and is not written again", async () => {
    const path = newLog(severalBlocks);
    const { blocks } = await indexOf(path, ids);
    const looked: number[] = [];
    const seen = alterFiles(ports.files, {
      openFile: (file, name) => ({
        read: (at, length) => (name === path && looked.push(at), file.read(at, length)),
      }),
    });
    const written = async () => statSync(await indexFile(path)).ino;
    const before = await written();
    const last = blocks.at(-1);
    const end = (last?.byte ?? 0) + (last?.bytes ?? 0);
    await indexOf(path, ids, { ports: { ...ports, files: seen } });
    expect([looked, await written()]).toEqual([[last?.byte, end], before]);
    appendFileSync(path, row(10_000));
    looked.length = 0;
    await indexOf(path, ids, { ports: { ...ports, files: seen } });
    expect(Math.min(...looked)).toBe(last?.byte);
    expect(await written()).not.toBe(before);
  });

  it("that was made for another question is written anew for this one", async () => {
    const path = newLog(severalBlocks);
    const counts: Summarizer<string[]> = { name: "counts.v1", summarize: ({ length }) => [String(length)] };
    await indexOf(path, ids);
    expect((await indexOf(path, counts)).blocksRead).toBeGreaterThan(0);
    expect((await indexOf(path, counts)).blocksRead).toBe(0);
  });

  it("covers every byte of the whole rows exactly once, however the file grew and whenever it was asked", async () => {
    const step = fc.record({
      bytes: fc.integer({ min: 30, max: 200_000 }),
      ask: fc.boolean(),
      tail: fc.boolean(),
    });
    await holdsAsync(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const path = newLog("");
        let torn = "";
        for (const [id, { bytes, ask, tail }] of steps.entries()) {
          // What was torn is finished before the next row, as by a writer that was only slow.
          appendFileSync(path, torn);
          const line = row(id, bytes);
          torn = tail ? line.slice(line.length >> 1) : "";
          appendFileSync(path, tail ? line.slice(0, line.length >> 1) : line);
          if (ask) await indexOf(path, ids);
        }
        const index = await indexOf(path, ids);
        const content = readFileSync(path);
        let [byte, line] = [0, 1];
        for (const block of index.blocks) {
          expect([block.byte, block.line]).toEqual([byte, line]);
          expect(block.crc).toBe(crc32(content.subarray(byte, byte + block.bytes)));
          byte += block.bytes;
          line += block.lines;
        }
        expect(byte).toBe(content.lastIndexOf(10) + 1);
        expect(index.unfinishedBytes).toBe(content.length - byte);
        expect(idsIn(index)).toEqual(upTo(line - 1));
        expect(index.mismatches).toEqual([]);
      }),
      40,
    );
  });

  it("is built anew for another file of that name", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    writeFileSync(`${path}.new`, rows(0, 50));
    renameSync(`${path}.new`, path);
    const index = await indexOf(path, ids);
    expect(index).toMatchObject({ reused: false, mismatches: [] });
    expect(idsIn(index)).toEqual(upTo(50));
  });

  it("sees no damage in a checkout that the disk gave the same inode number", async () => {
    const path = newLog(rows(0, 20));
    let reused = 0;
    for (let round = 0; round < 20; round++) {
      await indexOf(path, ids);
      const { ino } = statSync(path);
      rmSync(path);
      writeFileSync(path, rows(100 * round, 100 * round + 30 + round));
      if (statSync(path).ino === ino) reused++;
      const index = await indexOf(path, ids);
      expect(index.mismatches, `round ${round}`).toEqual([]);
      expect(idsIn(index)).toHaveLength(30 + round);
    }
    console.log(
      `proof: index: ${reused} of 20 checkouts had the same inode number, none was taken for damage`,
    );
  });

  it("that was torn or garbled is no index: it is rebuilt, whatever is left of it", async () => {
    const path = newLog(rows(0, 20));
    await indexOf(path, ids);
    const stored = await indexFile(path);
    const good = readFileSync(stored);
    for (let cut = 0; cut < good.length; cut += 7) {
      writeFileSync(stored, good.subarray(0, cut));
      expect(await indexOf(path, ids)).toMatchObject({ reused: false, mismatches: [] });
      const garbled = Buffer.from(good);
      garbled[cut] = (garbled[cut] ?? 0) ^ 1;
      writeFileSync(stored, garbled);
      const index = await indexOf(path, ids);
      expect(idsIn(index)).toEqual(upTo(20));
      expect(index.mismatches).toEqual([]);
    }
    for (const nonsense of ["", "0\n", "0\nnull", `${crc32("null")}\nnull`, `${crc32("{}")}\n{}`, "x"]) {
      writeFileSync(stored, nonsense);
      expect(idsIn(await indexOf(path, ids))).toEqual(upTo(20));
    }
  });

  it("finds a bit that flipped in place", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    flip(path, 4_000);
    const at = readFileSync(path).indexOf('{"id":4000,');
    const { mismatches } = await indexOf(path, ids);
    expect(mismatches).toHaveLength(1);
    const [found] = mismatches;
    expect(found).toMatchObject({ damage: "checksum_mismatch", readable: true });
    expect(found?.byte).toBeLessThanOrEqual(at);
    expect((found?.byte ?? 0) + (found?.bytes ?? 0)).toBeGreaterThan(at);
  });

  it("finds it also where the disk did not tell the time, when it looks at every block", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    flip(path, 0, { keepTime: true });
    expect((await indexOf(path, ids, { thorough: true })).mismatches).toHaveLength(1);
  });

  it("keeps its evidence: who looks later, and for another question, finds the flip too", async () => {
    for (const [written, asked] of [
      [ids, checksumsOnly],
      [checksumsOnly, ids],
      [ids, ids],
      [checksumsOnly, checksumsOnly],
    ] as const) {
      const path = newLog(severalBlocks);
      await indexOf<never>(path, written as never);
      flip(path, 5_000);
      for (let look = 0; look < 3; look++) {
        const index = await indexOf<never>(path, asked as never, { thorough: look === 1 });
        expect(index.mismatches, `${written.name} then ${asked.name}`).toHaveLength(1);
        expect(index.blocks.reduce((sum, block) => sum + block.rows, 0)).toBe(10_000);
      }
    }
  });

  it("of the queries is not thrown away by a verification, and serves it", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    expect(await indexOf(path, checksumsOnly, { thorough: true })).toMatchObject({
      reused: true,
      mismatches: [],
    });
    expect(await indexOf(path, ids)).toMatchObject({ reused: true, blocksRead: 0 });
  });

  it("of rows that a power loss took answers for what is left", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    const kept = severalBlocks.indexOf('{"id":9990,');
    truncateSync(path, kept);
    const index = await indexOf(path, ids);
    expect(index.mismatches).toEqual([]);
    expect(idsIn(index)).toEqual(upTo(9_990));
  });

  it("that cannot be written still answers", async () => {
    for (const code of ["EACCES", "EROFS", "ENOSPC"]) {
      const path = newLog(rows(0, 20));
      const refuse = async () => {
        throw Object.assign(new Error(code), { code });
      };
      const files = alterFiles(ports.files, { files: { makeDirectory: refuse } });
      expect(idsIn(await indexOf(path, ids, { ports: { ...ports, files } }))).toEqual(upTo(20));
      expect(existsSync(await indexFile(path))).toBe(false);
    }
  });

  it("lets two ask at once", async () => {
    const path = newLog(severalBlocks);
    const [one, other] = await Promise.all([indexOf(path, ids), indexOf(path, ids)]);
    expect(one.blocks).toEqual(other.blocks);
    expect(await indexOf(path, ids)).toMatchObject({ blocksRead: 0 });
  });

  it("counts rows, not remarks", async () => {
    const path = newLog(`# a remark\n${rows(0, 5)}# another\n`);
    const index = await indexOf(path, ids, { comments: true });
    expect(index.blocks.map(({ rows: count, lines }) => [count, lines])).toEqual([[5, 7]]);
  });

  it("covers a line that is longer than any may be, and finds a bit that flipped in it", async () => {
    const path = newLog(`${row(0)}${"x".repeat(limits.rowBytesMax + 10)}\n${row(1)}`);
    const index = await indexOf(path, ids);
    const ends = index.blocks.map(({ byte, bytes }) => byte + bytes);
    expect(index.blocks.map(({ byte }) => byte)).toEqual([0, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(statSync(path).size);
    expect(await indexOf(path, ids, { thorough: true })).toMatchObject({ blocksRead: 0, mismatches: [] });
    const bytes = readFileSync(path);
    bytes[limits.rowBytesMax] = "y".charCodeAt(0);
    writeFileSync(path, bytes);
    expect((await indexOf(path, ids)).mismatches).toMatchObject([{ damage: "checksum_mismatch", line: 2 }]);
  });

  it("lists damage that comes behind what it knew, and all of it together no longer than the limit", async () => {
    const path = newLog(`not json\n${severalBlocks}`);
    const kept = (await indexOf(path, ids)).blocks.length - 1;
    appendFileSync(path, `not json\n${rows(10_000, 14_000)}`);
    const { blocks } = await indexOf(path, ids);
    const listed = (from: number) => blocks.slice(from).flatMap(({ damage }) => damage);
    expect([listed(0).length, listed(kept).length]).toEqual([2, 1]);
    appendFileSync(path, "not json\n".repeat(limits.damageListMax));
    const more = await indexOf(path, ids);
    expect(more.blocks.flatMap(({ damage }) => damage)).toHaveLength(limits.damageListMax);
    expect(more.blocks.reduce((sum, block) => sum + block.damageCount, 0)).toBe(limits.damageListMax + 2);
  });

  it("of a file that is no log at all stays small, and the count is still exact", async () => {
    const lines = 60_000;
    const path = newLog("x\n".repeat(lines));
    const log = await Log.open({ path, bearing: "state", ports });
    const before = process.memoryUsage.rss();
    const verification = await log.verify();
    expect(verification).toMatchObject({ damageCount: lines, rows: 0, lines });
    expect(verification?.damage).toHaveLength(limits.damageListMax);
    expect(statSync(await indexFile(path)).size).toBeLessThan(100_000);
    expect((process.memoryUsage.rss() - before) / 1e6, "MB more than before").toBeLessThan(200);
  });
});

describe("a block", () => {
  it("whose bytes changed since they were indexed is not passed off as the one that was", async () => {
    const path = newLog(severalBlocks);
    const { blocks } = await indexOf(path, ids);
    const [first, second] = blocks;
    if (first === undefined || second === undefined) throw new Error("two blocks");
    flip(path, 0, { keepTime: true });
    const file = await ports.files.open(path, "read");
    expect(await readBlock(file, first, false)).toBeUndefined();
    expect((await readBlock(file, second, false))?.map((entry) => entry.line)[0]).toBe(second.line);
    await file.close();
    truncateSync(path, second.byte + 10);
    const short = await ports.files.open(path, "read");
    expect(await readBlock(short, second, false)).toBeUndefined();
    await short.close();
  });
});

describe("a copy of a log", () => {
  it("made with its index beside it is indexed anew, not taken for damaged", async () => {
    const path = newLog(severalBlocks);
    await indexOf(path, ids);
    const copy = newLog("");
    await indexOf(copy, ids);
    copyFileSync(path, copy);
    copyFileSync(await indexFile(path), await indexFile(copy));
    const index = await indexOf(copy, ids);
    expect(index.mismatches).toEqual([]);
    expect(idsIn(index)).toEqual(upTo(10_000));
  });
});
