/** Kill, pause, resume, restart, and what the others can learn of it. */
import type { Liveness, ProcessIdentity } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { Simulation } from "./simulation.js";
import { utf8 } from "./suite-help.js";

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

function livenessOf(
  sim: Simulation,
  identity: ProcessIdentity,
  machine?: string,
): Promise<Liveness | undefined> {
  const options = machine === undefined ? {} : { machine };
  const asked = sim.spawn("asker", ({ processes }) => processes.liveness(identity), options);
  return asked.ended.then((end) => (end.how === "returned" ? end.value : undefined));
}

describe("kill", () => {
  it("loses nothing that was written; a write in flight happened, did not, or happened in part", async () => {
    const fates = new Map<string, number>();
    for (const seed of seeds) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        const writer = sim.spawn("writer", async ({ files }) => {
          const file = await files.open("/data/log", "append");
          await file.append(utf8("first\n"));
          await file.append(utf8("second\n"));
        });
        await sim.until(() => sim.machine().disk.peekText("/data/log") === "first\n");
        writer.kill();
        expect(await writer.ended).toEqual({ how: "killed" });
      });
      const content = sim.machine().disk.peekText("/data/log") ?? "";
      expect("first\nsecond\n".startsWith(content) && content.startsWith("first\n")).toBe(true);
      const fate = content.length === 6 ? "did not" : content.length === 13 ? "happened" : "in part";
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
    }
    expect([...fates.keys()].sort()).toEqual(["did not", "happened", "in part"]);
    console.log(`kill during a write, ${seeds.length} seeds: ${JSON.stringify(Object.fromEntries(fates))}`);
  });

  it("no code of the process runs again, not even its finally", async () => {
    const sim = new Simulation({ seed: 1 });
    let ranOn = false;
    await sim.run(async () => {
      const victim = sim.spawn("victim", async ({ clock }) => {
        try {
          await clock.sleep(10);
        } finally {
          ranOn = true;
        }
      });
      await sim.events(1);
      victim.kill();
      victim.kill();
      await sim.sleep(1000);
    });
    expect(ranOn).toBe(false);
  });

  it("a killed process is gone; the same id given to another does not bring it back", async () => {
    let idsGivenAgain = 0;
    for (const seed of seeds) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        const first = sim.spawn("first", ({ clock }) => clock.sleep(60_000));
        await sim.events(1);
        expect(await livenessOf(sim, first.identity)).toBe("alive");
        const second = first.restart();
        expect(second.identity).not.toEqual(first.identity);
        if (second.identity.pid === first.identity.pid) idsGivenAgain++;
        expect(await livenessOf(sim, first.identity)).toBe("gone");
        expect(await livenessOf(sim, second.identity)).toBe("alive");
        second.kill();
      });
    }
    expect(idsGivenAgain).toBeGreaterThan(0);
  });

  it("a process whose body returned is gone, and what it left in flight may not have happened", async () => {
    const contents = new Set<string>();
    for (const seed of seeds) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        const hasty = sim.spawn("hasty", async ({ files }) => {
          const file = await files.open("/data/log", "append");
          void file.append(utf8("ab"));
        });
        await hasty.ended;
        expect(await livenessOf(sim, hasty.identity)).toBe("gone");
      });
      contents.add(sim.machine().disk.peekText("/data/log") ?? "missing");
    }
    expect([...contents].sort()).toEqual(["", "a", "ab"]);
  });
});

describe("pause", () => {
  it("a paused process learns of nothing until resumed; a call in flight may take effect", async () => {
    const whilePaused = new Set<string>();
    for (const seed of seeds) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        let acknowledged = false;
        const writer = sim.spawn("writer", async ({ files }) => {
          const file = await files.open("/data/log", "append");
          await file.append(utf8("x"));
          acknowledged = true;
        });
        await sim.until(() => sim.machine().disk.peek("/data/log") !== undefined);
        writer.pause();
        expect(await livenessOf(sim, writer.identity)).toBe("stopped");
        await sim.sleep(60_000);
        expect(acknowledged).toBe(false);
        whilePaused.add(sim.machine().disk.peekText("/data/log") ?? "");
        writer.resume();
        expect(await livenessOf(sim, writer.identity)).not.toBe("stopped");
        expect((await writer.ended).how).toBe("returned");
        expect(acknowledged).toBe(true);
      });
      expect(sim.machine().disk.peekText("/data/log")).toBe("x");
    }
    expect([...whilePaused].sort()).toEqual(["", "x"]);
  });

  it("time passes for a paused process: its sleep is over when it wakes", async () => {
    const sim = new Simulation({ seed: 4 });
    await sim.run(async () => {
      const sleeper = sim.spawn("sleeper", async ({ clock }) => {
        await clock.sleep(100);
        return clock.monotonic();
      });
      await sim.events(1);
      sleeper.pause();
      await sim.sleep(5000);
      sleeper.resume();
      const end = await sleeper.ended;
      expect(end.how === "returned" && end.value).toBeGreaterThanOrEqual(5000);
      expect(sim.elapsedMs).toBeLessThan(5050);
    });
  });

  it("a paused process can be killed", async () => {
    const sim = new Simulation({ seed: 4 });
    await sim.run(async () => {
      const sleeper = sim.spawn("sleeper", ({ clock }) => clock.sleep(100));
      sleeper.pause();
      sleeper.kill();
      sleeper.resume();
      expect(sleeper.state).toBe("ended");
    });
  });
});

describe("crashMachine", () => {
  it("ends every process on that machine and none on another, and starts a new boot", async () => {
    const sim = new Simulation({ seed: 9 });
    await sim.run(async () => {
      const here = ["a", "b"].map((name) => sim.spawn(name, ({ clock }) => clock.sleep(60_000)));
      const there = sim.spawn("c", ({ clock }) => clock.sleep(60_000), { machine: "other" });
      await sim.events(3);
      const { bootId } = sim.machine();
      sim.crashMachine();
      expect(here.map(({ state }) => state)).toEqual(["ended", "ended"]);
      expect(there.state).toBe("running");
      expect(sim.machine().bootId).not.toBe(bootId);
      const next = sim.spawn("a", ({ clock }) => clock.monotonic());
      expect(next.identity.pid).toBe(here[0]?.identity.pid);
      expect(await livenessOf(sim, here[0]?.identity as ProcessIdentity)).toBe("gone");
      expect(await livenessOf(sim, there.identity)).toBe("unknown");
      expect(await livenessOf(sim, there.identity, "other")).toBe("alive");
    });
  });
});

describe("watch", () => {
  it("wakes within moments of a change, or by its timeout where there are no notifications", async () => {
    for (const [watches, atLeastMs, atMostMs] of [
      ["prompt", 0, 100],
      ["timeout-only", 0, 5100],
    ] as const) {
      for (const seed of seeds.slice(0, 50)) {
        const sim = new Simulation({ seed, watches });
        await sim.run(async () => {
          const waiter = sim.spawn("waiter", async ({ files, clock }) => {
            const watcher = await files.watch("/data");
            while ((await files.readLink("/data/lock")) === undefined) await watcher.changed(5000);
            await watcher.close();
            return clock.monotonic();
          });
          await sim.sleep(1000);
          sim.spawn("locker", ({ files }) => files.symlink("me", "/data/lock"));
          const end = await waiter.ended;
          const took = (end.how === "returned" ? end.value : 0) - 1000;
          expect(took).toBeGreaterThanOrEqual(atLeastMs);
          expect(took).toBeLessThan(atMostMs);
        });
      }
    }
  });
});

describe("pause after pause", () => {
  it("does not let a call that took effect during the first take effect again", async () => {
    for (const seed of seeds) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        const writer = sim.spawn("writer", async ({ files }) => {
          const file = await files.open("/data/log", "append");
          await file.append(utf8("once\n"));
        });
        await sim.until(() => sim.machine().disk.peek("/data/log") !== undefined);
        for (let i = 0; i < 4; i++) {
          writer.pause();
          writer.resume();
        }
        await writer.ended;
      });
      expect(sim.machine().disk.peekText("/data/log")).toBe("once\n");
    }
  });
});
