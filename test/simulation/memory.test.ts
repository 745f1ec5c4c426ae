/** Issue memory under the simulator: whatever happens to its workers, nobody's word is broken. */
import { exploreOrThrow } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { share } from "../support/scale.js";
import * as room from "./memory-room.js";
import { memoryScenarios } from "./memory-scenarios.js";

describe("issue memory survives what the simulator does to it", () => {
  for (const [name, scenario] of Object.entries(memoryScenarios)) {
    it(
      name,
      async () => {
        const total = { acknowledged: 0, refused: 0, inDoubt: 0, judged: 0 };
        const { seedsTried, events } = await exploreOrThrow({
          seeds: share(20_000, 60),
          minutes: share(5, 0.5),
          run: async (sim) => {
            const tally = await scenario(room, sim);
            for (const each of ["acknowledged", "refused", "inDoubt", "judged"] as const)
              total[each] += tally[each];
          },
        });
        const { acknowledged, refused, inDoubt, judged } = total;
        console.log(
          `proof: ${name}: ${seedsTried} seeds, ${events} events, ${acknowledged} changes acknowledged, ` +
            `${refused} refused, ${inDoubt} in doubt, ${judged} calls judged; none broke a promise`,
        );
        expect(acknowledged).toBeGreaterThan(seedsTried);
      },
      share(400_000, 60_000),
    );
  }
});
