/** The record room under the simulator: thousands of seeds, each a different disaster, none of them fatal. */
import * as record from "@bridle/record";
import { exploreOrThrow } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { seed, share } from "../support/scale.js";
import { scenarios } from "./scenarios.js";

describe("the record room survives what the simulator does to it", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    it(
      name,
      async () => {
        const seeds = share(20_000, 30);
        const exploration = await exploreOrThrow({
          seeds,
          from: seed,
          minutes: share(2, 0.5),
          run: (sim) => scenario(record, sim),
        });
        console.log(
          `proof: ${name}: ${exploration.seedsTried} seeds from ${seed}, ${exploration.events} events, none broke a promise`,
        );
        expect(exploration.seedsTried).toBeGreaterThan(0);
      },
      share(200_000, 60_000),
    );
  }
});
