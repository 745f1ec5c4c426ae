/** What several do at once, or while something takes longer than a lease: nobody acts on what was true a moment ago. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type Ports } from "@bridle/record";
import { describe, expect, it as always } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";
import { Journal } from "../journal/journal.js";
import { IssueDoor } from "../live/issue-door.js";
import { beginRun, openWorkplace } from "./open-worker.js";
import { giveAttemptsBack } from "./worker-loop.js";

describe("at once", () => {
  always("five that begin are five runs", async () => {
    const project = new RunnerProject({ issues: 1 });
    const { ports } = project;
    const place = await openWorkplace({ folder: project.folder, work: "true" }, { ports });
    if (isRefusal(place)) throw new Error(place.message);
    const begin = () => beginRun(place, { merge: "auto", parallel: 1, budgets: {} }, ports);
    const first = await begin();
    const others = await Promise.all([begin(), begin(), begin(), begin(), begin()]);
    const runs = [first, ...others].map(({ run }) => run);
    expect(runs.toSorted()).toEqual(["run-1", "run-2", "run-3", "run-4", "run-5", "run-6"]);
  });

  always("three workers that find a dead login give the attempts back once", async () => {
    const project = new RunnerProject({ issues: 1 });
    project.put(".premath/issues.jsonl", '{"id":"bd-1","title":"t","attempts":3}\n');
    const { ports, env, folder: mainTree, home: runFolder } = project;
    const workers = ["worker.1", "worker.2", "worker.3"].map(async (worker) => {
      const issues = new IssueDoor({ gates: [], mainTree, env, ports, warn() {} });
      const journal = await Journal.open(join(runFolder, "events.jsonl"), ports);
      await giveAttemptsBack([{ id: "bd-1", failures: 1 }], { journal, issues, worker, runFolder, ports });
      await issues.close();
      await journal.close();
    });
    await Promise.all(workers);
    expect(project.row("bd-1")["attempts"]).toBe(2);
  });
});

describe("a run", () => {
  const over = (project: RunnerProject) => existsSync(join(project.folder, ".premath/runs/run-1/over"));

  it("whose process lives is not taken for over between two of its steps, and one that is gone is", async () => {
    const project = new RunnerProject({ issues: 3 });
    await project.work({ work: "echo a > a" });
    await project.work({ work: "echo b > b" });
    expect(over(project)).toBe(false);
    const gone = (real: Ports): Ports => ({
      ...real,
      processes: { ...real.processes, liveness: async () => "gone" },
    });
    await project.work({ work: "echo c > c", ports: gone });
    expect(over(project)).toBe(true);
  });
});

describe("a lease", () => {
  it("that is shorter than the checks is renewed meanwhile, and the issue is closed", async () => {
    const project = new RunnerProject({ issues: 1, checks: [{ id: "slow", command: "sleep 4" }] });
    const beganMs = Date.now();
    // The clock goes twenty times as fast, so that the check takes more than a minute of the lease's thirty seconds.
    const ports = (real: Ports): Ports => ({
      ...real,
      clock: {
        ...real.clock,
        now: async () => beganMs + ((await real.clock.now()) - beganMs) * 20,
        sleep: (ms, signal) => real.clock.sleep(ms / 20, signal),
      },
    });
    const end = await project.work({ work: "echo a > a", leaseTtlSeconds: 30, ports });
    expect(end.steps_.map(({ step }) => step.failure?.message)).toEqual([undefined]);
    expect(project.row("bd-1")["status"]).toBe("closed");
  });
});

describe("set-up", () => {
  it("that failed halfway is run again, also for lockfiles that it once ended well for", async () => {
    const project = new RunnerProject({ issues: 3 });
    project.put(".gitignore", "made\nartifacts/\n");
    project.put("lock", "good\n");
    const command = "rm -f made; grep -q good lock && touch made";
    const work = 'test -e made && echo x > "$PREMATH_ISSUE_ID"';
    const settings = { schema: 1, work, setup: { command, lockfiles: ["lock"] } };
    project.put(".bridle/runner.json", JSON.stringify(settings));
    for (const lock of ["good\n", "bad\n", "good\n"]) {
      project.put("lock", lock);
      project.git("add", ".");
      project.git("commit", "--quiet", "--allow-empty", "--message=lock");
      await project.work({});
    }
    const closed = [1, 2, 3].filter((n) => project.row(`bd-${n}`)["status"] === "closed");
    expect(closed).toHaveLength(2);
  });
});
