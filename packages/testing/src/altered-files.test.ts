/** The simulator against four ways to replace a document wrongly, and one to do it right. */
import type { Files, Ports } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type Alterations, alterFiles } from "./altered-files.js";
import { explore } from "./explore.js";
import type { Simulation } from "./simulation.js";
import { utf8 } from "./suite-help.js";

const versions = ["version 0", "version 1", "version 2"];

async function replace(files: Files, content: string): Promise<void> {
  await files.remove("/data/doc.tmp");
  const file = await files.open("/data/doc.tmp", "create");
  const bytes = utf8(content);
  for (let from = 0; from < bytes.length;) from += await file.append(bytes.subarray(from));
  await file.sync();
  await file.close();
  await files.rename("/data/doc.tmp", "/data/doc");
  await files.syncDirectory("/data");
}

/** After a power loss at any moment the document is the last acknowledged version or the one after it. */
async function scenario(sim: Simulation, alterations: Alterations): Promise<void> {
  let acknowledged = 0;
  sim.machine().disk.put("/data/doc", versions[0] as string);
  await sim.run(async () => {
    const body = async ({ files }: Ports) => {
      for (const version of versions.slice(1)) {
        await replace(alterFiles(files, alterations), version);
        acknowledged++;
      }
    };
    sim.spawn("writer", body);
    await sim.events(sim.random.below(20));
    sim.crashMachine();
  });
  const content = sim.machine().disk.peekText("/data/doc");
  expect(versions.slice(acknowledged, acknowledged + 2)).toContain(content);
}

describe("a document that survives power loss", () => {
  const bugs: Record<string, Alterations> = {
    "no sync of the content": { openFile: () => ({ sync: async () => {} }) },
    "no sync of the folder": { files: { syncDirectory: async () => {} } },
    "short writes not carried on": {
      openFile: (file) => ({ append: async (bytes) => file.append(bytes).then(() => bytes.length) }),
    },
    "acknowledged before the sync is done": {
      openFile: (file) => ({ sync: async () => void file.sync().catch(() => {}) }),
    },
  };
  const options = { faults: { shortWrite: 0.2 } };

  for (const [bug, alterations] of Object.entries(bugs)) {
    it(`is not one with ${bug}, and the simulator finds out`, async () => {
      let found = 0;
      for (let seed = 1; seed <= 200; seed++) {
        const run = (sim: Simulation) => scenario(sim, alterations);
        const { failure } = await explore({ seeds: 1, onlySeed: seed, options, run });
        if (failure === undefined) continue;
        expect(failure.error.message).toContain("version");
        found++;
      }
      expect(found).toBeGreaterThan(5);
      console.log(`${bug}: found by ${found} of 200 seeds`);
    });
  }

  it("is one when done right", async () => {
    const result = await explore({ seeds: 2000, options, run: (sim) => scenario(sim, {}) });
    expect(result.failure?.error).toBeUndefined();
    console.log(`no bug: ${result.seedsTried} seeds, ${result.events} events`);
  });
});
