/**
 * A test with the simulator: two writers on one log, machines that crash at any
 * instant, hundreds of seeds. A seed that fails is run again with BRIDLE_SEED=<n>.
 *
 *     node --test simulated.test.mjs
 */
// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Log } from "bridle/record";
import { exploreOrThrow } from "bridle/testing";

const path = "/data/rows.jsonl";

test("what two writers were told is on the disk survives a crash of their machine", async () => {
  const explored = await exploreOrThrow({
    seeds: 200,
    run: (sim) =>
      sim.run(async () => {
        /** @type {string[]} */
        const acknowledged = [];
        for (const name of ["ada", "bob"]) {
          // Ports instead of node:fs: the simulator decides what happens between any two calls.
          sim.spawn(name, async (ports) => {
            const log = await Log.open({ path, bearing: "trajectory", ports });
            for (let n = 1; n <= 5; n++) {
              await log.append({ id: `${name}-${n}` }, { durability: "synced" });
              acknowledged.push(`${name}-${n}`);
            }
          });
        }
        await sim.events(sim.random.below(300));
        sim.crashMachine();
        const reader = sim.spawn("reader", async (ports) => {
          const log = await Log.open({ path, bearing: "trajectory", ports });
          const found = [];
          if (await log.exists())
            for await (const entry of log.entries()) if (entry.kind === "row") found.push(entry.row["id"]);
          return found;
        });
        const end = await reader.ended;
        assert.equal(end.how, "returned");
        const found = new Set(end.how === "returned" ? end.value : []);
        assert.deepEqual(
          acknowledged.filter((id) => !found.has(id)),
          [],
        );
      }),
  });
  assert.equal(explored.seedsTried, process.env["BRIDLE_SEED"] === undefined ? 200 : 1);
});
