/** Issue memory under the simulator: whatever happens to its workers, nobody's word is broken. */
import { exploreOrThrow } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { loadBroken } from "../support/broken-copy.js";
import { seed, share } from "../support/scale.js";
import type { MemoryRoom } from "./memory-decisions.js";
import * as room from "./memory-room.js";
import { memoryScenarios } from "./memory-scenarios.js";

describe("issue memory survives what the simulator does to it", () => {
  for (const name of Object.keys(memoryScenarios) as (keyof typeof memoryScenarios)[]) {
    it(name, () => explored(name, room), share(1_000_000, 60_000));
  }

  it(
    "badDiskAtWork, compacting itself every few rows",
    async () => {
      const change = { find: "garbageRowsMin: 1_000", replace: "garbageRowsMin: 3" };
      const changes = [{ file: "work/src/limits.ts", ...change }];
      const tidy = await loadBroken<MemoryRoom>("../test/simulation/memory-room.ts", changes);
      await explored("badDiskAtWork", tidy, ", compacting itself");
    },
    share(1_000_000, 60_000),
  );
});

describe("what it once found", () => {
  it("a row of which half was written when another's sync failed is in doubt, not durable", async () => {
    const { seedsTried } = await exploreOrThrow({
      seeds: 1,
      onlySeed: 9308,
      run: (sim) => memoryScenarios.badDiskAtWork(room, sim),
    });
    expect(seedsTried).toBe(1);
  });
});

async function explored(name: keyof typeof memoryScenarios, played: MemoryRoom, how = ""): Promise<void> {
  const total = { acknowledged: 0, refused: 0, inDoubt: 0, judged: 0 };
  const { seedsTried, events } = await exploreOrThrow({
    seeds: share(20_000, 12),
    from: seed,
    minutes: share(15, 0.5),
    run: async (sim) => {
      const tally = await memoryScenarios[name](played, sim);
      for (const each of ["acknowledged", "refused", "inDoubt", "judged"] as const)
        total[each] += tally[each];
    },
  });
  const { acknowledged, refused, inDoubt, judged } = total;
  console.log(
    `proof: ${name}${how}: ${seedsTried} seeds from ${seed}, ${events} events, ${acknowledged} changes acknowledged, ` +
      `${refused} refused, ${inDoubt} in doubt, ${judged} calls judged; none broke a promise`,
  );
  expect(acknowledged).toBeGreaterThan(seedsTried);
}
