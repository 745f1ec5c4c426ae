/** A simulator that finds nothing proves nothing: each planted bug must be found within 2,000 seeds. */
import { explore } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { loadBroken } from "../support/broken-copy.js";
import { seed, share } from "../support/scale.js";
import { plantedBugs } from "./planted-bugs.js";
import { type RecordRoom, scenarios } from "./scenarios.js";

const seedsMax = 2_000;
/** A third of them by the seed; `npm run prove` tries all. */
const tried = plantedBugs.filter((_, i) => i % share(1, 3) === seed % share(1, 3));

describe("the simulator finds", () => {
  it.each(tried.map((bug) => [bug.name, bug] as const))(
    "%s",
    async (name, bug) => {
      const broken = await loadBroken<RecordRoom>("record/src/index.ts", bug.changes);
      const { failure, seedsTried } = await explore({
        seeds: seedsMax,
        run: (sim) => scenarios[bug.scenario](broken, sim),
      });
      console.log(
        `proof: found at seed ${failure?.seed ?? "none"}: ${name} (${failure?.error.message.split("\n")[0] ?? ""})`,
      );
      expect(failure, `not found in ${seedsTried} seeds`).toBeDefined();
    },
    120_000,
  );

  it("at least 12 of them", () => {
    expect(new Set(plantedBugs.map((bug) => bug.name)).size).toBeGreaterThanOrEqual(12);
  });
});
