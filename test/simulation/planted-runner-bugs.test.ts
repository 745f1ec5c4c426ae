/** The scenarios of the runner find what they are made for: each planted bug within 2,000 seeds. */
import { explore } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { canBreak, loadBroken } from "../support/broken-copy.js";
import { share, some } from "../support/scale.js";
import { plantedRunnerBugs } from "./planted-runner-bugs.js";
import type * as Room from "./runner-room.js";
import { runnerScenarios } from "./runner-scenarios.js";

const seedsMax = 2_000;
const entry = "../test/simulation/runner-room.ts";
/** `npm test` tries one, by its seed; `npm run prove` as many as there is time for. */
const tried = some(plantedRunnerBugs, 1);

describe("the simulator finds", () => {
  it.each(tried.map((bug) => [bug.name, bug] as const))(
    "%s",
    async (name, bug) => {
      const broken = await loadBroken<typeof Room>(entry, bug.changes);
      const { failure, seedsTried } = await explore({
        seeds: seedsMax,
        run: (sim) => runnerScenarios[bug.scenario](broken, sim),
      });
      console.log(
        `proof: found at seed ${failure?.seed ?? "none"}: ${name} (${failure?.error.message.split("\n")[0]?.slice(0, 160) ?? ""})`,
      );
      expect(failure, `not found in ${seedsTried} seeds`).toBeDefined();
    },
    180_000,
  );

  it("each in a text that stands exactly once, also those that are not tried now", async () => {
    expect(plantedRunnerBugs.length).toBeGreaterThanOrEqual(10);
    await canBreak(
      entry,
      plantedRunnerBugs.flatMap(({ changes }) => changes),
    );
  }, 120_000);

  it("no bug where none is planted", async () => {
    const whole = await loadBroken<typeof Room>(entry, []);
    for (const scenario of Object.values(runnerScenarios)) {
      const { failure } = await explore({
        seeds: share(10, 1),
        run: async (sim) => void (await scenario(whole, sim)),
      });
      expect(failure?.error).toBeUndefined();
    }
  }, 120_000);
});
