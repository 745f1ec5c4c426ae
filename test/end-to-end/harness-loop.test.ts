/** The loops as people start them: the built command, real git, real processes. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { type Ended, Premath } from "../support/premath.js";
import { RunnerProject } from "../support/runner-project.js";
import { until } from "../support/until.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const honest = 'mkdir -p out; echo "$PREMATH_ISSUE_ID" > "out/$PREMATH_ISSUE_ID"';

function run(project: RunnerProject, ...words: string[]): Promise<Ended> {
  return premath.run(words, { cwd: project.folder, env: project.env });
}

describe("premath harness-loop worker", () => {
  test("takes an issue from claim to close, and says so", async () => {
    const project = new RunnerProject();
    const ended = await run(project, "harness-loop", "worker", "--worker-id", "w1", "--work-cmd", honest);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain("w1 1 step, 1 completed, 0 failed");
    expect(project.row("bd-1")["status"]).toBe("closed");
    expect(project.inTarget("out/bd-1")).toBe("bd-1\n");
  });

  test("that is asked to end gives its issue back in order, and ends what its command started", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work = 'sleep 300 & echo $! > "$HOME/child"; wait';
    const started = premath.start(["harness-loop", "worker", "--worker-id", "w1", "--work-cmd", work], {
      cwd: project.folder,
      env: project.env,
    });
    await until("the command works", () => existsSync(join(project.home, "child")));
    started.child.kill("SIGTERM");
    await started.ended;
    expect(project.row("bd-1")).toMatchObject({ status: "open" });
    expect(project.row("bd-1")["attempts"] ?? 0).toBe(0);
    expect(project.trajectory().map((row) => row["resultClass"])).toEqual(["retry_needed_work_interrupted"]);
    const stat = `/proc/${readFileSync(join(project.home, "child"), "utf8").trim()}/stat`;
    expect(existsSync(stat) ? readFileSync(stat, "utf8") : " Z ").toContain(" Z ");
  });

  test.each([
    ["no worker's name", ["--work-cmd", "true"], "--worker-id is missing"],
    ["no work command", ["--worker-id", "w1"], "nothing says what command does the work"],
    [
      "a target that is the branch one is on",
      ["--worker-id", "w1", "--work-cmd", "true", "--into", "main"],
      "main cannot be",
    ],
    [
      "an override without a reason",
      ["--worker-id", "w1", "--work-cmd", "true", "--mutation-mode", "human-override"],
      "needs a reason",
    ],
  ])("refuses %s and changes nothing", async (_, words, says) => {
    const project = new RunnerProject();
    const before = [project.read(".premath/issues.jsonl"), project.git("for-each-ref")];
    const ended = await premath.here(["harness-loop", "worker", ...words], {
      cwd: project.folder,
      env: project.env,
    });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(says);
    expect([project.read(".premath/issues.jsonl"), project.git("for-each-ref")]).toEqual(before);
  });

  test("inside a run is for a person", async () => {
    const project = new RunnerProject({ issues: 1 });
    const nested = `'${process.execPath}' '${premath.program}' harness-loop worker --worker-id liar --work-cmd true > "$HOME/said" 2>&1; ${honest}`;
    const ended = await run(project, "harness-loop", "worker", "--worker-id", "w1", "--work-cmd", nested);
    expect(ended.code, ended.stderr).toBe(0);
    expect(readFileSync(join(project.home, "said"), "utf8")).toContain("is for a person");
  });
});

describe("the hooks of the control loop", () => {
  const loop = (project: RunnerProject, ...words: string[]) =>
    premath.here(["harness-loop", ...words, "--worker-id", "w1", "--json"], {
      cwd: project.folder,
      env: project.env,
    });

  test("boot starts from files alone and changes no issue", async () => {
    const project = new RunnerProject({ issues: 3 });
    const before = project.read(".premath/issues.jsonl");
    const first = await loop(project, "boot");
    expect(first.code, first.stderr).toBe(0);
    expect(first.json()).toMatchObject({
      roots: {
        issues: ".premath/issues.jsonl",
        session: ".premath/harness_session.json",
        witnesses: "artifacts/ciwitness",
      },
      ...{
        cyclePath: null,
        handoff: null,
        nextIssueId: "bd-1",
        nextFeatureId: null,
        unfit: null,
        settled: [],
      },
      base: project.git("rev-parse", "main"),
    });
    expect(project.read(".premath/issues.jsonl")).toBe(before);
  });

  test("boot loads the handoff, names a cycle and the ledger's next feature, and finds a red base", async () => {
    const project = new RunnerProject({ issues: 2 });
    const fails = await loop(project, "step", "--work-cmd", "exit 3");
    expect(fails.code).toBe(1);
    expect(fails.json()).toMatchObject({ result: "rejected", failed: 1 });
    const waits = (id: string, on: string) => ({ issue_id: id, depends_on_id: on, type: "blocks" });
    const rows = [
      { id: "bd-8", title: "Eight", dependencies: [waits("bd-8", "bd-9")] },
      { id: "bd-9", title: "Nine", dependencies: [waits("bd-9", "bd-8")] },
    ];
    project.put(
      ".premath/issues.jsonl",
      project.read(".premath/issues.jsonl") + rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    project.put("src/sum.sh", "bad\n");
    project.commit("red");
    expect((await loop(project, "boot")).json()).toMatchObject({
      handoff: { issueId: "bd-1", nextStep: "try bd-1 again" },
      nextFeatureId: "bd-1",
      cyclePath: expect.arrayContaining(["bd-8", "bd-9"]),
      unfit: { class: "base_red" },
    });
  });

  test("step does one bounded piece of work, whatever else is ready", async () => {
    const project = new RunnerProject({ issues: 2 });
    const ended = await loop(project, "step", "--work-cmd", honest);
    expect(ended.json(), ended.stderr).toMatchObject({ result: "accepted", completed: 1 });
    expect(project.row("bd-2")["status"] ?? "open").toBe("open");
  });

  test("stop ends what a killed worker left, and a fresh session goes on from its files", async () => {
    const project = new RunnerProject({ issues: 1 });
    const started = premath.start(
      ["harness-worker", "--worker-id", "w1", "--work-cmd", 'touch "$HOME/begun"; sleep 60'],
      {
        cwd: project.folder,
        env: project.env,
      },
    );
    await until("it works", () => existsSync(join(project.home, "begun")));
    const alive = await loop(project, "stop");
    expect(alive.json()).toMatchObject({ failureClass: "run_busy" });
    started.child.kill("SIGKILL");
    await started.ended;
    const stopped = await loop(project, "stop");
    expect(stopped.json(), stopped.stderr).toMatchObject({
      settled: [{ issueId: "bd-1", doubt: "work", end: "failed" }],
    });
    expect(project.row("bd-1")).toMatchObject({ status: "open" });
    expect(project.session("w1")).toMatchObject({ state: "stopped", nextStep: "try bd-1 again" });
    expect((await loop(project, "boot")).json()).toMatchObject({ handoff: { nextStep: "try bd-1 again" } });
  });
});

describe("premath harness-loop coordinator", () => {
  test("keeps several workers at work until nothing is ready [RUNTIME-7.5] [TUSK-13.21]", async () => {
    const project = new RunnerProject({ issues: 5 });
    const ended = await run(
      project,
      "harness-loop",
      "coordinator",
      "--parallel",
      "2",
      "--work-cmd",
      honest,
      "--json",
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({ because: "done", run: "run-1", died: 0 });
    for (let n = 1; n <= 5; n++) expect(project.row(`bd-${n}`)["status"]).toBe("closed");
    const workers = new Set(project.journal().map(({ worker }) => worker));
    expect([...workers].toSorted()).toEqual(["coordinator", "worker.1", "worker.2"]);
    expect(project.git("fsck", "--no-dangling", "--no-progress")).toBe("");
  });

  test("starts a worker again that died, whose issue is given back at once", async () => {
    const project = new RunnerProject({ issues: 1 });
    const once = `if [ ! -e "$HOME/died" ]; then touch "$HOME/died"; kill -9 $(ps -o ppid= -p $$); sleep 60; fi; ${honest}`;
    const ended = await run(project, "harness-coordinator", "--work-cmd", once, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({ because: "done", started: 2, died: 1 });
    expect(project.row("bd-1")).toMatchObject({ status: "closed", fence: 2 });
    expect(project.trajectory().map((row) => row["resultClass"])).toEqual([
      "retry_needed_work_interrupted",
      "completed",
    ]);
  });

  test("is refused while another works on the repository", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work = 'touch "$HOME/begun"; while [ ! -e "$HOME/go" ]; do sleep 0.1; done; echo x > x';
    const first = run(project, "harness-loop", "coordinator", "--work-cmd", work);
    await until("it works", () => existsSync(join(project.home, "begun")));
    const second = await premath.here(["harness-loop", "coordinator", "--work-cmd", "true"], {
      cwd: project.folder,
      env: project.env,
    });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("another coordinator works");
    project.put("../go", "");
    expect((await first).code).toBe(0);
  });
});
