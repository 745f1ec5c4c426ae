import type { Ports } from "@bridle/record";
import { describe, expect, it, vi } from "vitest";
import { explore } from "./explore.js";
import { harass } from "./nemesis.js";
import { Simulation } from "./simulation.js";
import { SimulationFailure } from "./simulation-failure.js";
import { utf8 } from "./suite-help.js";
import type { SimulationOptions } from "./types.js";

const forever = 3_600_000;

async function appendLines(ports: Ports, path: string, lines: readonly string[]): Promise<void> {
  const file = await ports.files.open(path, "append");
  for (const line of lines) await file.append(utf8(`${line}\n`));
  await file.close();
}

/** A bit of everything: three writers, a follower, kills, pauses and a crash. */
async function busyRun(options: SimulationOptions): Promise<Simulation> {
  const sim = new Simulation(options);
  await sim.run(async () => {
    const writers = ["a", "b", "c"].map((name) =>
      sim.spawn(name, async (ports) => {
        for (let i = 0; i < 5; i++) {
          await appendLines(ports, "/data/log", [
            `${name} ${await ports.ids.next()} ${await ports.clock.now()}`,
          ]);
          await ports.clock.sleep((await ports.randomness.bytes(1))[0] ?? 0);
        }
      }),
    );
    sim.spawn(
      "follower",
      async ({ files }) => {
        const watcher = await files.watch("/data");
        for (;;) await watcher.changed(1000);
      },
      { background: true },
    );
    await harass(sim, {
      kills: 1,
      pauses: 2,
      crashes: 1,
      clockJumps: 1,
      gapEventsMax: 20,
      victims: () => writers,
    });
    await sim.spawn("late", (ports) => appendLines(ports, "/data/log", ["late"])).ended;
  });
  return sim;
}

describe("determinism", () => {
  it("the same seed gives the same trace and the same disk, another seed another trace", async () => {
    const digests = new Set<string>();
    for (let seed = 1; seed <= 50; seed++) {
      const [one, two] = [await busyRun({ seed }), await busyRun({ seed })];
      expect(two.traceDigest).toBe(one.traceDigest);
      expect(two.trace).toEqual(one.trace);
      expect(two.machine().disk.peekText("/data/log")).toBe(one.machine().disk.peekText("/data/log"));
      digests.add(one.traceDigest);
    }
    expect(digests.size).toBe(50);
  });

  it("two simulations at the same time do not disturb each other", async () => {
    const alone = await busyRun({ seed: 5 });
    const [left, right] = await Promise.all([busyRun({ seed: 5 }), busyRun({ seed: 6 })]);
    expect(left.traceDigest).toBe(alone.traceDigest);
    expect(right.traceDigest).not.toBe(alone.traceDigest);
  });

  it("the digest covers lines that are no longer kept", async () => {
    const [short, long] = [await busyRun({ seed: 5, traceLinesMax: 3 }), await busyRun({ seed: 5 })];
    expect(short.traceDigest).toBe(long.traceDigest);
    expect(short.trace).toEqual(long.trace.slice(-3));
  });
});

describe("scheduling", () => {
  it("two calls of different processes may interleave: a lost update is found and seen again", async () => {
    const increment = async ({ files }: Ports) => {
      const file = await files.open("/data/count", "update");
      const before = (await file.read(0, 1))[0] ?? 0;
      await file.writeAt(0, Uint8Array.of(before + 1));
      await file.close();
    };
    const run = async (sim: Simulation) => {
      sim.machine().disk.put("/data/count", Uint8Array.of(0));
      await sim.run(async () => void ["a", "b"].map((name) => sim.spawn(name, increment)));
      expect(sim.machine().disk.peek("/data/count")?.[0]).toBe(2);
    };
    vi.stubEnv("BRIDLE_SEED", "");
    const { failure } = await explore({ seeds: 100, run });
    vi.unstubAllEnvs();
    expect(failure).toBeDefined();
    const again = await explore({ seeds: 100, run, onlySeed: failure?.seed ?? 0 });
    expect(again.seedsTried).toBe(1);
    expect(again.failure?.traceDigest).toBe(failure?.traceDigest);
  });

  it("two calls that one process makes at once are completed in either order", async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const sim = new Simulation({ seed });
      await sim.run(async () => {
        sim.spawn("writer", async ({ files }) => {
          const file = await files.open("/data/log", "append");
          await Promise.all([file.append(utf8("a")), file.append(utf8("b"))]);
        });
      });
      orders.add(sim.machine().disk.peekText("/data/log") ?? "");
    }
    expect([...orders].sort()).toEqual(["ab", "ba"]);
  });

  it("time jumps to the next timer when nothing else can happen, and hardly moves otherwise", async () => {
    const sim = new Simulation({ seed: 1 });
    await sim.run(async () => {
      const { ended } = sim.spawn("sleeper", async ({ clock }) => {
        const before = [await clock.now(), await clock.monotonic()];
        await clock.sleep(forever);
        return [(await clock.now()) - (before[0] ?? 0), (await clock.monotonic()) - (before[1] ?? 0)];
      });
      const end = await ended;
      for (const passed of end.how === "returned" ? end.value : []) {
        expect(passed).toBeGreaterThanOrEqual(forever);
        expect(passed).toBeLessThan(forever + 100);
      }
    });
    expect(sim.eventCount).toBeLessThan(20);
  });

  it("a timer goes off while others are busy", async () => {
    const sim = new Simulation({ seed: 1 });
    await sim.run(async () => {
      const busy = sim.spawn("busy", async ({ clock }) => {
        for (;;) await clock.now();
      });
      await sim.sleep(20);
      busy.kill();
    });
    expect(sim.elapsedMs).toBeLessThan(100);
  });
});

describe("what stops a run", () => {
  const failureOf = (run: Promise<unknown>): Promise<SimulationFailure> =>
    run.then(
      () => Promise.reject(new Error("the run did not fail")),
      (error: SimulationFailure) => error,
    );

  it("a wait for something outside of the simulation, or for each other, is reported as stuck", async () => {
    const sim = new Simulation({ seed: 3 });
    const failure = await failureOf(
      sim.run(async () => {
        sim.spawn("lonely", async () => new Promise<never>(() => {}));
      }),
    );
    expect(failure).toBeInstanceOf(SimulationFailure);
    expect(failure.message).toContain("stuck");
    expect(failure.message).toContain("BRIDLE_SEED=3");
  });

  it("a paused process that nobody resumes is named", async () => {
    const sim = new Simulation({ seed: 3 });
    const run = sim.run(async () => {
      const process = sim.spawn("sleepy", ({ clock }) => clock.sleep(5));
      process.pause();
    });
    expect((await failureOf(run)).message).toContain("sleepy/1 (paused)");
  });

  it("a process that never ends is a livelock", async () => {
    const sim = new Simulation({ seed: 1, eventsMax: 500 });
    const run = sim.run(async () => {
      sim.spawn("spinner", async ({ clock }) => {
        for (;;) await clock.now();
      });
    });
    expect((await failureOf(run)).message).toContain("livelock: more than 500 events");
  });

  it("a process that throws fails the run, unless it may", async () => {
    const boom = new Error("boom");
    const sim = new Simulation({ seed: 1 });
    const failure = await failureOf(sim.run(async () => void sim.spawn("bad", () => Promise.reject(boom))));
    expect(failure.message).toContain("process bad threw: boom");
    expect(failure.cause).toBe(boom);
    const other = new Simulation({ seed: 1 });
    const end = await other.run(
      () => other.spawn("bad", () => Promise.reject(boom), { mayThrow: true }).ended,
    );
    expect(end).toEqual({ how: "threw", error: boom });
  });

  it("an invariant is checked after each event, one of the end only there", async () => {
    const sim = new Simulation({ seed: 1 });
    let checks = 0;
    sim.invariant("at the end", () => expect(sim.machine().disk.peekText("/data/log")).toBe("x\n"), {
      when: "end",
    });
    sim.invariant("no log of more than two lines", () => {
      checks++;
      expect((sim.machine().disk.peek("/data/log")?.length ?? 0) <= 4).toBe(true);
    });
    await sim.run(async () => void sim.spawn("fine", (ports) => appendLines(ports, "/data/log", ["x"])));
    expect(checks).toBeGreaterThan(3);
    const failure = await failureOf(
      sim.run(async () => void sim.spawn("bad", (ports) => appendLines(ports, "/data/log", ["y", "z", "!"]))),
    );
    expect(failure.message).toContain(`invariant "no log of more than two lines" is broken`);
    expect(failure.trace.at(-1)).toContain("is killed");
    expect(sim.machine().disk.peekText("/data/log")?.startsWith("x\ny\nz\n")).toBe(true);
  });

  it("a process in the background does not keep the run open", async () => {
    const sim = new Simulation({ seed: 1 });
    const server = sim.spawn("server", ({ clock }) => clock.sleep(forever), { background: true });
    await sim.run(async () => void sim.spawn("client", ({ clock }) => clock.sleep(5)));
    expect(server.state).toBe("ended");
    expect(sim.elapsedMs).toBeLessThan(1000);
  });
});
