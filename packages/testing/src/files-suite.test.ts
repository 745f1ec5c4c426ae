/** One contract, four disks: simulated in time, simulated at once, real, and real behind FaultyFiles. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { afterAll, describe, expect, it } from "vitest";
import { clockSuite } from "./clock-suite.js";
import { FaultyFiles } from "./faulty-files.js";
import { filesSuite } from "./files-suite.js";
import { processesSuite } from "./processes-suite.js";
import { Simulation } from "./simulation.js";
import type { ProcessBody } from "./types.js";

const seeds = 25;

/** Under several seeds. Long virtual time means that a wake-up was missed and a timeout had to do it. */
async function inSimulation(body: ProcessBody<void>): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) {
    const sim = new Simulation({ seed });
    await sim.run(async () => void sim.spawn("suite", body));
    expect(sim.elapsedMs).toBeLessThan(60_000);
  }
}

describe("the simulated disk", () => {
  for (const each of filesSuite) {
    it(each.name, () => inSimulation((ports) => each.run({ files: ports.files, root: "/data" })));
  }
});

describe("the simulated disk, at once", () => {
  for (const each of filesSuite.filter((one) => !one.name.includes("wait"))) {
    it(each.name, async () => {
      const disk = new Simulation({ seed: 1 }).machine().disk;
      await each.run({ files: disk.files(), root: "/data" });
    });
  }
});

describe("the simulated clock", () => {
  for (const each of clockSuite) it(each.name, () => inSimulation((ports) => each.run(ports.clock)));
});

describe("simulated processes", () => {
  for (const each of processesSuite) it(each.name, () => inSimulation((ports) => each.run(ports.processes)));
});

describe("the real disk", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "bridle-files-suite-")));
  afterAll(() => rmSync(base, { recursive: true }));
  const newRoot = () => mkdtempSync(join(base, "case-"));

  for (const each of filesSuite) {
    it(each.name, () => each.run({ files: nodePorts().files, root: newRoot() }));
    it(`${each.name}, behind FaultyFiles`, async () => {
      const files = new FaultyFiles(nodePorts().files);
      await each.run({ files, root: newRoot() });
      expect(files.calls).toBeGreaterThan(0);
    });
  }
});

describe("the real clock", () => {
  for (const each of clockSuite) it(each.name, () => each.run(nodePorts().clock));
});

describe("real processes", () => {
  for (const each of processesSuite) it(each.name, () => each.run(nodePorts().processes));
});
