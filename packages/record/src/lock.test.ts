/** The lock in one process; what it does under real signals is in test/crash/lock.test.ts. */
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { newFolder } from "../../../test/support/folder.js";
import { until } from "../../../test/support/until.js";
import { Lock } from "./lock.js";
import { nodePorts } from "./ports/node.js";

const ports = nodePorts();
const newPath = () => join(newFolder(), "the.lock");
const lockAt = (path: string, waitMsMax = 2_000) => new Lock({ path, name: "the lock", ports, waitMsMax });

describe("a lock", () => {
  it("has one holder at a time, and everybody gets it in the end", async () => {
    const path = newPath();
    let inside = 0;
    const visit = async () => {
      const held = await lockAt(path, 20_000).acquire();
      inside++;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside--;
      await held.release();
    };
    await Promise.all(Array.from({ length: 30 }, visit));
    expect(readdirSync(join(path, "..")).filter((name) => name.startsWith("the.lock"))).toEqual([
      "the.lock.line",
    ]);
  });

  it("names its holder, and nobody once it is free", async () => {
    const path = newPath();
    const lock = lockAt(path);
    expect(await lock.holder()).toBeUndefined();
    const held = await lock.acquire();
    expect(await lock.holder()).toMatchObject({ pid: process.pid });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    await held.release();
    expect(await lock.holder()).toBeUndefined();
  });

  it("tells its holder that somebody waits, and reports a holder that does not let go", async () => {
    const path = newPath();
    const held = await lockAt(path).acquire();
    expect(await held.wanted()).toBe(false);
    const failure = await rejectsWith("lock_busy", lockAt(path, 50).acquire());
    expect(failure.message).toContain(`process ${process.pid}`);
    expect(failure.detail).toMatchObject({ pid: process.pid });
    expect(await held.wanted()).toBe(false);
    const waiting = lockAt(path).acquire();
    await until("somebody waits", () => readdirSync(`${path}.line`).length > 0);
    expect(await held.wanted()).toBe(true);
    await held.release();
    const next = await waiting;
    expect(await next.wanted()).toBe(false);
    await next.release();
  });

  it("is given up at once by a caller who aborts", async () => {
    const path = newPath();
    const held = await lockAt(path).acquire();
    const stop = new AbortController();
    const from = performance.now();
    const waiting = lockAt(path, 60_000).acquire(stop.signal);
    stop.abort();
    await rejectsWith("aborted", waiting);
    expect(performance.now() - from).toBeLessThan(5_000);
    await held.release();
  });

  it("that was removed by hand is missed by its holder, who does not remove the next one's", async () => {
    const path = newPath();
    const held = await lockAt(path).acquire();
    await held.check();
    rmSync(path);
    const next = await lockAt(path).acquire();
    await rejectsWith("lock_lost", held.check());
    await rejectsWith("lock_lost", held.release());
    await next.check();
    await next.release();
  });

  it("is not mistaken for something else that stands in its place", async () => {
    const { pid, startTime, bootId, pidNamespace, host } = await ports.processes.self();
    const links = [
      "somewhere/else",
      "100%zz a b c d e",
      ["1x", startTime, bootId, pidNamespace, host, "n"].join(" "),
      ["0", startTime, bootId, pidNamespace, host, "n"].join(" "),
      ["-1", startTime, bootId, pidNamespace, host, "n"].join(" "),
      [pid, startTime, bootId, pidNamespace, host].join(" "),
      [pid, startTime, bootId, pidNamespace, host, "n", "more"].join(" "),
    ];
    for (const target of links) {
      const path = newPath();
      symlinkSync(target, path);
      await rejectsWith("file_not_regular", lockAt(path).acquire());
      expect(lstatSync(path).isSymbolicLink(), target).toBe(true);
    }
    for (const make of [(path: string) => writeFileSync(path, ""), (path: string) => mkdirSync(path)]) {
      const path = newPath();
      make(path);
      await rejectsWith("file_not_regular", lockAt(path).acquire());
    }
  });

  it("keeps a host's name that has spaces, percent signs or no letters at all", async () => {
    for (const host of ["a b", "100%", "é😀", "", "x".repeat(64)]) {
      const path = newPath();
      const self = { ...(await ports.processes.self()), host };
      const processes = { ...ports.processes, self: async () => self };
      const lock = new Lock({ path, name: "the lock", ports: { ...ports, processes } });
      const held = await lock.acquire();
      expect(await lock.holder()).toMatchObject(self);
      await held.release();
    }
  });
});
