/** The runner under the simulator: whatever happens to its workers, each issue is merged and closed once, or left with its reason. */
import { exploreOrThrow } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { share } from "../support/scale.js";
import * as room from "./runner-room.js";
import { runnerScenarios } from "./runner-scenarios.js";
// Loaded before the first scenario: in the simulator nothing real, such as loading a module, may be waited for.
import "../../packages/work/src/store/file-steps.js";

describe("a night of steps survives what the simulator does to it", () => {
  for (const name of Object.keys(runnerScenarios) as (keyof typeof runnerScenarios)[]) {
    it(
      name,
      async () => {
        const total = { steps: 0, completed: 0, failed: 0 };
        const { seedsTried, events } = await exploreOrThrow({
          seeds: share(4_000, 4),
          minutes: share(40, 0.5),
          run: async (sim) => {
            const tally = await runnerScenarios[name](room, sim);
            for (const each of ["steps", "completed", "failed"] as const) total[each] += tally[each];
          },
        });
        console.log(
          `proof: runner, ${name}: ${seedsTried} seeds, ${events} events, ${total.steps} steps begun, ${total.completed} completed, ` +
            `${total.failed} failed; nothing merged or closed twice, nothing lost`,
        );
        expect(total.completed).toBeGreaterThan(seedsTried);
      },
      share(3_000_000, 60_000),
    );
  }
});
