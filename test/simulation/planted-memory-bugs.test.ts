/** The scenarios of issue memory find what they are made for: each planted bug within 2,000 seeds. */
import { explore } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { canBreak, loadBroken } from "../support/broken-copy.js";
import { seed, share } from "../support/scale.js";
import type { MemoryRoom } from "./memory-decisions.js";
import { memoryScenarios } from "./memory-scenarios.js";
import { plantedMemoryBugs } from "./planted-memory-bugs.js";

const seedsMax = 2_000;
/** `npm test` tries every fourth, by its seed; `npm run prove` all of them. */
const tried = plantedMemoryBugs.filter((_, i) => i % share(1, 4) === seed % share(1, 4));

describe("the simulator finds", () => {
  it.each(tried.map((bug) => [bug.name, bug] as const))(
    "%s",
    async (name, bug) => {
      const broken = await loadBroken<MemoryRoom>("../test/simulation/memory-room.ts", bug.changes);
      const { failure, seedsTried } = await explore({
        seeds: seedsMax,
        run: (sim) => memoryScenarios[bug.scenario](broken, sim),
      });
      console.log(
        `proof: found at seed ${failure?.seed ?? "none"}: ${name} (${failure?.error.message.split("\n")[0]?.slice(0, 160) ?? ""})`,
      );
      expect(failure, `not found in ${seedsTried} seeds`).toBeDefined();
    },
    120_000,
  );

  it("each in a text that stands exactly once, also those that are not tried now", async () => {
    const all = plantedMemoryBugs.flatMap(({ changes }) => changes);
    await canBreak("../test/simulation/memory-room.ts", all);
  }, 120_000);

  it("no bug where none is planted", async () => {
    const whole = await loadBroken<MemoryRoom>("../test/simulation/memory-room.ts", []);
    for (const scenario of Object.values(memoryScenarios)) {
      const { failure } = await explore({ seeds: share(10, 4), run: (sim) => scenario(whole, sim) });
      expect(failure?.error).toBeUndefined();
    }
  });
});
