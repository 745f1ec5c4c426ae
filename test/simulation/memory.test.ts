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
        const exploration = await exploreOrThrow({
          seeds: share(20_000, 100),
          minutes: share(4, 0.5),
          run: (sim) => scenario(room, sim),
        });
        console.log(
          `proof: ${name}: ${exploration.seedsTried} seeds, ${exploration.events} events, none broke a promise`,
        );
        expect(exploration.seedsTried).toBeGreaterThan(0);
      },
      share(300_000, 60_000),
    );
  }
});
