/** `premath harness-trajectory replay` and `query --lineage` on a run of a real worker. */
import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect } from "vitest";
import { it } from "../support/everyday.js";
import { Premath } from "../support/premath.js";
import { RunnerProject } from "../support/runner-project.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

it("replay derives a run again and names what differs; query --lineage joins its row and its session", async () => {
  const project = new RunnerProject({ issues: 1 });
  await project.work({ work: "echo new > new" });
  const { folder: cwd, env } = project;
  const ask = (...words: string[]) => premath.here(["harness-trajectory", ...words], { cwd, env });
  const same = await ask("replay", "run-1", "--json");
  expect(same.code, same.stderr).toBe(0);
  expect(same.json()).toMatchObject({
    result: "accepted",
    run: "run-1",
    steps: 1,
    ended: 1,
    difference: null,
  });
  expect((await ask("replay")).stdout).toContain("the same again");
  const found = await ask("query", "--lineage", "ctx://issue/bd-1", "--json");
  expect(found.json()).toMatchObject({ count: 1, sessions: [{ state: "stopped", issueId: "bd-1" }] });
  // Somebody edits the journal afterwards: a check that failed is made one that passed.
  const path = join(cwd, ".premath/runs/run-1/events.jsonl");
  const edited = readFileSync(path, "utf8").replace('"end":"completed"', '"end":"parked"');
  writeFileSync(path, edited);
  const differs = await ask("replay", "run-1");
  expect(differs.code).toBe(1);
  expect(differs.stdout).toMatch(/differs in row \d+ \((?:order|verdict), run-1\.worker\.1\.1\)/);
  const unknown = await ask("replay", "run-9");
  expect(unknown.stderr).toContain("there is no run-9 here");
});
