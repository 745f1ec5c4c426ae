/** Transactions: read under the lock, decide, change; with others, alone, and on a disk that fails. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { alterFiles, FaultyFiles, Simulation } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import type { JsonObject } from "../json.js";
import { limits } from "../limits.js";
import { nodePorts } from "../ports/node.js";
import { Log } from "./log.js";
import type { Decision, LogOptions, LogState, Stood } from "./types.js";

const real = nodePorts();
const newPath = () => join(newFolder(), "log.jsonl");
const read = (path: string) => readFileSync(path, "utf8");

function open(path: string, options: Partial<LogOptions> = {}): Promise<Log> {
  return Log.open({ path, bearing: "state", ports: real, ...options });
}

async function rowsOf(state: LogState): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const { entries } of state.read()) {
    for (const entry of entries) if (entry.kind === "row") rows.push(entry.row);
  }
  return rows;
}

/** Adds a row that is one more than the last. */
async function countOn(state: LogState): Promise<Decision<number>> {
  const n = Number((await rowsOf(state)).at(-1)?.["n"] ?? 0) + 1;
  return { answer: n, line: JSON.stringify({ n }) };
}

const counted = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `{"n":${from + i}}\n`).join("");

describe("a transaction", () => {
  it("decides on the latest rows of others", async () => {
    const path = newPath();
    const [one, other] = [await open(path), await open(path)];
    for (let n = 1; n <= 20; n += 2) {
      expect(await one.transact(countOn)).toBe(n);
      expect(await other.transact(countOn)).toBe(n + 1);
    }
    await one.close();
    await other.close();
    expect(read(path)).toBe(counted(1, 20));
  });

  it("sees those before it in the same process, however many are under way, in several logs at once", async () => {
    const path = newPath();
    const logs = await Promise.all([open(path), open(path), open(path)]);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => logs[i % 3]?.transact(countOn) ?? Promise.resolve(0)),
    );
    for (const log of logs) await log.close();
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(read(path)).toBe(counted(1, 60));
  });

  it("that refuses or throws writes nothing, and the next one goes on", async () => {
    const path = newPath();
    const log = await open(path);
    await log.transact(countOn);
    expect(await log.transact(async () => ({ answer: "refused" }))).toBe("refused");
    const thrown = new TypeError("a bug of the caller");
    await expect(log.transact(() => Promise.reject(thrown))).rejects.toBe(thrown);
    expect(await log.transact(countOn)).toBe(2);
    await log.close();
    expect(read(path)).toBe(counted(1, 2));
  });

  it("says under the lock where its row stands", async () => {
    const path = newPath();
    const log = await open(path);
    const stood: Stood[] = [];
    for (let i = 0; i < 2; i++) {
      await log.transact(async (state) => ({ ...(await countOn(state)), stood: (at) => stood.push(at) }));
    }
    const { mtimeMs } = (await log.look(async (state) => state)) ?? {};
    await log.close();
    expect(stood).toMatchObject([
      { byte: 0, bytes: 8 },
      { byte: 8, bytes: 8, mtimeMs },
    ]);
  });

  it("answers only after the sync when it is to be synced, and before it when not", async () => {
    const path = newPath();
    const deeds: string[] = [];
    const files = alterFiles(real.files, {
      openFile: (file, name) => ({
        sync: async () => {
          await file.sync();
          if (name === path) deeds.push("synced");
        },
      }),
    });
    const log = await open(path, { ports: { ...real, files } });
    await log.transact(countOn).then(() => deeds.push("answered"));
    expect(deeds).toEqual(["synced", "answered"]);
    await log.transact(countOn, { durability: "written" }).then(() => deeds.push("answered"));
    await log.close();
    expect(deeds).toEqual(["synced", "answered", "answered"]);
  });

  it("hands the lock on before its sync is over, and is still acknowledged after it", async () => {
    const path = newPath();
    let inSync = () => {};
    let goOn = () => {};
    const syncing = new Promise<void>((resolve) => (inSync = resolve));
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const files = alterFiles(real.files, {
      openFile: (file, name) => ({
        sync: async () => {
          if (name === path) {
            inSync();
            await released;
          }
          await file.sync();
        },
      }),
    });
    const [slow, other] = [await open(path, { ports: { ...real, files } }), await open(path)];
    let [inside, joined] = [() => {}, () => {}];
    const isInside = new Promise<void>((resolve) => (inside = resolve));
    const hasJoined = new Promise<void>((resolve) => (joined = resolve));
    let answered = false;
    const first = slow
      .transact(async (state) => {
        inside();
        await hasJoined;
        return countOn(state);
      })
      .then((n) => {
        answered = true;
        return n;
      });
    await isInside;
    const second = other.transact(countOn);
    while ((await real.files.list(`${other.local.lock}.line`).catch(() => [])).length === 0) {
      await new Promise(setImmediate);
    }
    joined();
    await syncing;
    expect(await second).toBe(2);
    expect(answered).toBe(false);
    goOn();
    expect(await first).toBe(1);
    await slow.close();
    await other.close();
    expect(read(path)).toBe(counted(1, 2));
  });

  it("is in doubt when its sync fails, and goes on after a reopening", async () => {
    const path = newPath();
    writeFileSync(path, counted(1, 1));
    const files = new FaultyFiles(real.files, { fault: "fsync", at: 1 });
    const log = await open(path, { ports: { ...real, files } });
    const doubt = await rejectsWith("row_in_doubt", log.transact(countOn));
    expect(doubt).toMatchObject({ detail: { byte: counted(1, 1).length }, cause: { code: "EIO" } });
    const poisoned = await rejectsWith("log_poisoned", log.transact(countOn));
    expect(poisoned).toMatchObject({ cause: { code: "EIO" } });
    for (const { message, hint } of [doubt, poisoned]) {
      expect(message).toContain(basename(path));
      expect(hint).toContain("Reopen the log");
    }
    await log.reopen();
    expect(await log.transact(countOn)).toBe(3);
    await log.close();
  });

  it("changes nothing once it met damage while reading", async () => {
    const path = newPath();
    const damaged = `${counted(1, 1)}not json\n${counted(2, 2)}`;
    writeFileSync(path, damaged);
    const log = await open(path);
    await rejectsWith("log_damaged", log.transact(countOn));
    await rejectsWith(
      "log_damaged",
      log.transact(async () => ({ answer: 0, line: '{"n":9}' })),
    );
    await log.close();
    expect(read(path)).toBe(damaged);
  });

  it("that rewrites replaces the file whole, under the feet of those who have it open", async () => {
    const path = newPath();
    const [one, other] = [await open(path), await open(path)];
    for (let i = 0; i < 3; i++) await other.transact(countOn);
    await one.transact(async () => ({
      answer: undefined,
      rewrite: async function* (entries) {
        for await (const entry of entries) if (entry.kind === "row" && entry.row["n"] !== 2) yield entry.text;
      },
    }));
    expect(read(path)).toBe('{"n":1}\n{"n":3}\n');
    expect(await other.transact(countOn)).toBe(4);
    const failing = one.transact(async () => ({
      answer: undefined,
      // oxlint-disable-next-line require-yield
      rewrite: async function* () {
        throw new Error("half way");
      },
    }));
    await expect(failing).rejects.toThrow("half way");
    expect(await one.transact(countOn)).toBe(5);
    await one.close();
    await other.close();
    expect(read(path)).toBe('{"n":1}\n{"n":3}\n{"n":4}\n{"n":5}\n');
  });

  it("with a row that is too long, or no row at all, is rejected and changes nothing", async () => {
    const path = newPath();
    const log = await open(path);
    await log.transact(countOn);
    const long = JSON.stringify({ pad: "x".repeat(limits.rowBytesMax) });
    await rejectsWith(
      "row_too_long",
      log.transact(async () => ({ answer: 0, line: long })),
    );
    await expect(log.transact(async () => ({ answer: 0, line: "[]" }))).rejects.toThrow();
    expect(await log.transact(countOn)).toBe(2);
    await log.close();
    expect(read(path)).toBe(counted(1, 2));
  });

  it("finds a row that somebody added without a lock before it decides", async () => {
    const path = newPath();
    const log = await open(path);
    await log.transact(countOn);
    appendFileSync(path, '{"n":7}\n');
    expect(await log.transact(countOn)).toBe(8);
    await log.close();
  });

  it("leaves all of its row or nothing, wherever the power goes", async () => {
    let cuts = 0;
    for (let events = 1; events < 60; events++) {
      const sim = new Simulation({ seed: events });
      let acknowledged = 0;
      const body = async (ports: LogOptions["ports"]) => {
        const log = await open("/data/log.jsonl", { ports, bearing: "trajectory" });
        for (let i = 0; i < 3; i++) acknowledged = Math.max(acknowledged, await log.transact(countOn));
        await log.close();
      };
      await sim.run(async () => {
        sim.spawn("counter", body);
        await sim.events(events);
        sim.crashMachine();
      });
      let rows: unknown[] = [];
      await sim.run(async () => {
        await sim.spawn("reader", async (ports) => {
          const log = await open("/data/log.jsonl", { ports, bearing: "trajectory" });
          await log.transact(countOn);
          rows = (await log.look(rowsOf))?.map((row) => row["n"]) ?? [];
          await log.close();
        }).ended;
      });
      cuts++;
      // What stands is what was counted, in order, up to the acknowledged one at least, and the reader's own.
      expect(rows).toEqual(Array.from(rows, (_, i) => i + 1));
      expect(rows.length).toBeGreaterThan(acknowledged);
    }
    console.log(`proof: transact: ${cuts} power cuts, each row whole or not there`);
  });
});
