import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { explore, exploreOrThrow } from "./explore.js";
import type { Simulation } from "./simulation.js";

beforeEach(() => vi.stubEnv("BRIDLE_SEED", ""));
afterEach(() => vi.unstubAllEnvs());

const seen: number[] = [];

async function run(sim: Simulation): Promise<void> {
  seen.push(sim.seed);
  await sim.run(async () => void sim.spawn("one", ({ clock }) => clock.now()));
  if (sim.seed === 13) throw new Error("thirteen");
}

it("goes through its seeds, counts events, and stops when its time is over", async () => {
  seen.length = 0;
  expect(await explore({ seeds: 3, from: 10, run })).toEqual({ seedsTried: 3, events: 6 });
  expect(seen).toEqual([10, 11, 12]);
  expect((await explore({ seeds: 3, minutes: 0, run })).seedsTried).toBe(0);
});

it("stops at the first seed that fails and says how to see it again", async () => {
  const { seedsTried, failure } = await explore({ seeds: 100, run });
  expect([seedsTried, failure?.seed, failure?.error.message]).toEqual([13, 13, "thirteen"]);
  expect(failure?.trace.at(-1)).toContain("one/1 returned");
  await expect(exploreOrThrow({ seeds: 100, run })).rejects.toThrow(/thirteen\nseed 13.*\n.*BRIDLE_SEED=13/);
});

it("BRIDLE_SEED runs that one seed alone; nonsense in it is an error", async () => {
  vi.stubEnv("BRIDLE_SEED", "13");
  expect(await explore({ seeds: 100, run })).toMatchObject({ seedsTried: 1, failure: { seed: 13 } });
  vi.stubEnv("BRIDLE_SEED", "one");
  await expect(explore({ seeds: 100, run })).rejects.toThrow(`BRIDLE_SEED is "one", expected a whole number`);
});
