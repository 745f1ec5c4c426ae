/** The line before a lock, in one process that plays several; with real ones it is in test/crash/lock.test.ts. */
import { existsSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { alterFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { newFolder } from "../../../test/support/folder.js";
import { until } from "../../../test/support/until.js";
import { type HeldLock, Lock } from "./lock.js";
import { nodePorts } from "./ports/node.js";
import type { Files, Liveness, Ports } from "./ports/types.js";

const real = nodePorts();
const longMs = 60_000;
const pollless = { ...real.processes, ring: async () => {} };

/** A lock and its line; each who waits comes a millisecond after the one before. */
class Stage {
  readonly path = join(newFolder(), "the.lock");
  /** What is to be thought of a process, by its number. */
  readonly liveness = new Map<number, Liveness>();
  readonly order: string[] = [];
  private nowMs = 1_000;

  lock(ports: Ports = real, waitMsMax = longMs): Lock {
    return new Lock({ path: this.path, name: "the lock", ports, waitMsMax });
  }

  tickets(): string[] {
    return existsSync(`${this.path}.line`) ? readdirSync(`${this.path}.line`) : [];
  }

  /** The ports of a process of this number; its bell is the one of this process. */
  ports(pid: number, files: Files = real.files): Ports {
    const nowMs = ++this.nowMs;
    const processes: Ports["processes"] = {
      self: async () => ({ ...(await real.processes.self()), pid, startTime: "1" }),
      liveness: async (other) => this.liveness.get(other.pid) ?? "alive",
      ring: async () => real.processes.ring(await real.processes.self()),
      bell: () => real.processes.bell(),
    };
    return { ...real, files, processes, clock: { ...real.clock, now: async () => nowMs } };
  }

  /** Stands in line when this resolves; what it waits for is in `held`. */
  async waiter(name: string, ports: Ports, signal?: AbortSignal): Promise<{ held: Promise<HeldLock> }> {
    const before = this.tickets().length;
    const held = this.lock(ports).acquire(signal);
    void held.then(
      () => this.order.push(name),
      () => this.order.push(`not ${name}`),
    );
    await until(`${name} stands in line`, () => this.tickets().length > before);
    return { held };
  }
}

describe("the line before a lock", () => {
  it("is served in the order of coming", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    const waiters = [];
    for (const pid of [104, 101, 103, 102]) waiters.push(await stage.waiter(`p${pid}`, stage.ports(pid)));
    expect(await first.wanted()).toBe(true);
    await first.release();
    for (const { held } of waiters) await (await held).release();
    expect(stage.order).toEqual(["p104", "p101", "p103", "p102"]);
    expect(stage.tickets()).toEqual([]);
    expect(existsSync(stage.path)).toBe(false);
  });

  it("hands the lock on while it is held, and keeps it when nobody can take it", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    expect(await first.passOn()).toBe(false);
    await first.check();
    const { held } = await stage.waiter("next", stage.ports(101));
    expect(await first.passOn()).toBe(true);
    await rejectsWith("lock_lost", first.release());
    await (await held).release();
  });

  it("passes over a waiter that is stopped, and serves it when it goes on", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    const sleeper = await stage.waiter("sleeper", stage.ports(101));
    const other = await stage.waiter("other", stage.ports(102));
    stage.liveness.set(101, "stopped");
    await first.release();
    const second = await other.held;
    expect(stage.tickets()).toHaveLength(1);
    expect(await second.passOn()).toBe(false);
    stage.liveness.set(101, "alive");
    expect(await second.passOn()).toBe(true);
    await (await sleeper.held).release();
    expect(stage.order).toEqual(["other", "sleeper"]);
  });

  it("drops the ticket of a waiter that is gone", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    const gone = await stage.waiter("gone", stage.ports(101));
    const [ticket = ""] = stage.tickets();
    const target = readlinkSync(join(`${stage.path}.line`, ticket));
    await first.release();
    await (await gone.held).release();
    stage.liveness.set(101, "gone");
    symlinkSync(target, join(`${stage.path}.line`, ticket));
    const again = await stage.lock(stage.ports(100)).acquire();
    expect(await again.passOn()).toBe(false);
    expect(stage.tickets()).toEqual([]);
    await again.release();
  });

  it("hands nothing to a waiter of another machine, who takes the lock when it is free", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    const foreign = await stage.waiter("foreign", stage.ports(101));
    stage.liveness.set(101, "unknown");
    expect(await first.passOn()).toBe(false);
    await first.release();
    await (await foreign.held).release();
    expect(stage.tickets()).toEqual([]);
  });

  it("forgets a waiter of another machine that has stood there for too long", async () => {
    const stage = new Stage();
    const first = await stage.lock({ ...stage.ports(100), clock: real.clock }).acquire();
    const stop = new AbortController();
    const foreign = await stage.waiter("foreign", stage.ports(101), stop.signal);
    stage.liveness.set(101, "unknown");
    const [ticket] = stage.tickets();
    expect(await first.passOn()).toBe(false);
    expect(stage.tickets()).not.toContain(ticket);
    stop.abort();
    await rejectsWith("aborted", foreign.held);
    await first.release();
  });

  it("is left without a trace by who gives up or is aborted", async () => {
    const stage = new Stage();
    const first = await stage.lock().acquire();
    const stop = new AbortController();
    const aborted = await stage.waiter("aborted", stage.ports(101), stop.signal);
    await rejectsWith("lock_busy", stage.lock(stage.ports(102), 30).acquire());
    stop.abort();
    await rejectsWith("aborted", aborted.held);
    expect(stage.tickets()).toEqual([]);
    expect(await first.passOn()).toBe(false);
    await first.release();
  });

  it("serves a waiter whose wake-up got lost", async () => {
    const stage = new Stage();
    const first = await stage.lock({ ...stage.ports(100), processes: pollless }).acquire();
    const { held } = await stage.waiter("deaf", stage.ports(101));
    await first.release();
    await (await held).release();
  });

  it("goes on when the lock was handed to a waiter in the moment in which it was aborted", async () => {
    const stage = new Stage();
    const stop = new AbortController();
    const files = alterFiles(real.files, {
      files: {
        rename: async (from, to) => {
          await real.files.rename(from, to);
          stop.abort();
        },
      },
    });
    const first = await stage.lock(stage.ports(100, files)).acquire();
    const aborted = await stage.waiter("aborted", stage.ports(101), stop.signal);
    const next = await stage.waiter("next", stage.ports(102));
    await first.release();
    await rejectsWith("aborted", aborted.held);
    await (await next.held).release();
    expect(existsSync(stage.path)).toBe(false);
  });

  it("goes on when a waiter withdraws between being chosen and being handed the lock", async () => {
    const stage = new Stage();
    const stop = new AbortController();
    const fickle: { held?: Promise<HeldLock> } = {};
    const files = alterFiles(real.files, {
      files: {
        rename: async (from, to) => {
          stop.abort();
          await fickle.held?.catch(() => {});
          return real.files.rename(from, to);
        },
      },
    });
    const first = await stage.lock(stage.ports(100, files)).acquire();
    const { held } = await stage.waiter("fickle", stage.ports(101), stop.signal);
    fickle.held = held;
    const next = await stage.waiter("next", stage.ports(102));
    await first.release();
    await rejectsWith("aborted", held);
    await (await next.held).release();
    expect(stage.order).toEqual(["not fickle", "next"]);
  });

  it("counts a hand-over that the disk made and reported as failed", async () => {
    const stage = new Stage();
    const files = alterFiles(real.files, {
      files: {
        rename: async (from, to) => {
          await real.files.rename(from, to);
          throw Object.assign(new Error("EIO"), { code: "EIO" });
        },
      },
    });
    const first = await stage.lock(stage.ports(100, files)).acquire();
    const { held } = await stage.waiter("next", stage.ports(101));
    await first.release();
    await (await held).release();
  });

  it("does not keep a lock that came to a ticket which could not be withdrawn", async () => {
    const stage = new Stage();
    let failing = true;
    const files = alterFiles(real.files, {
      files: {
        remove: async (path) => {
          if (failing && path.includes(".line/")) throw Object.assign(new Error("EIO"), { code: "EIO" });
          await real.files.remove(path);
        },
      },
    });
    const first = await stage.lock(stage.ports(100)).acquire();
    const ports = stage.ports(101, files);
    const stop = new AbortController();
    const aborted = await stage.waiter("aborted", ports, stop.signal);
    stop.abort();
    await rejectsWith("aborted", aborted.held);
    expect(stage.tickets()).toHaveLength(1);
    await first.release();
    expect(await stage.lock().holder()).toMatchObject({ pid: 101 });
    failing = false;
    await (await stage.lock(ports, 1_000).acquire()).release();
    expect(existsSync(stage.path)).toBe(false);
  });

  it("gives a waiter another place when the clock was set back under it", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    let nowMs = 9_000_000;
    const ports = { ...stage.ports(101), clock: { ...real.clock, now: async () => nowMs } };
    const { held } = await stage.waiter("early", ports);
    nowMs = 500;
    await until("it stands in front", () => stage.tickets()[0]?.startsWith("000000000000500-") === true);
    expect(stage.tickets()).toHaveLength(1);
    await first.release();
    await (await held).release();
  });

  it("takes a new ticket when somebody removed its own by hand", async () => {
    const stage = new Stage();
    const first = await stage.lock(stage.ports(100)).acquire();
    const { held } = await stage.waiter("robbed", stage.ports(101));
    const [ticket = ""] = stage.tickets();
    await real.files.remove(join(`${stage.path}.line`, ticket));
    await until("it is back", () => stage.tickets().length === 1);
    expect(await first.passOn()).toBe(true);
    await (await held).release();
  });

  it("has links that fit into their inode, and judges holders by the machine that they name", async () => {
    const stage = new Stage();
    const held = await stage.lock().acquire();
    const target = readlinkSync(stage.path);
    expect(Buffer.byteLength(target)).toBeLessThan(60);
    expect(await stage.lock(stage.ports(1)).holder()).toMatchObject(await real.processes.self());
    await held.release();
    symlinkSync(target.replace(/ [0-9a-f]{12} /, " 0123456789ab "), stage.path);
    await rejectsWith("lock_holder_unknown", stage.lock(real, 20).acquire());
  });
});
