/** A night as a person sees and steers it: the built command, real git, real processes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { Premath } from "../support/premath.js";
import { RunnerProject } from "../support/runner-project.js";
import { until } from "../support/until.js";
import { withoutPauses } from "../support/without-pauses.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const honest =
  'mkdir -p out; echo "$PREMATH_ISSUE_ID" > "out/$PREMATH_ISSUE_ID"; echo "made $PREMATH_ISSUE_ID"';

/** In this process where nothing has to be started. */
const here = (project: RunnerProject, ...words: string[]) =>
  premath.here(words, { cwd: project.folder, env: project.env, launcher: "bridle" });

async function ok(project: RunnerProject, ...words: string[]): Promise<JsonObject> {
  const ended = await here(project, ...words, "--json");
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

const start = (project: RunnerProject, ...words: string[]) =>
  premath.bridle(["work", "start", ...words], { cwd: project.folder, env: project.env }).ended;

describe("bridle work", () => {
  test("start works through what is ready; status, logs, report and land tell and bring it", async () => {
    const project = new RunnerProject({ issues: 3 });
    const ended = await start(project, "--work-cmd", honest, "--parallel", "2", "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({
      state: "ended",
      because: "done",
      run: "run-1",
      target: "bridle/main",
    });
    expect(await ok(project, "work", "status")).toMatchObject({
      ...{ state: "over", completed: 3, failed: 0, unpricedSteps: 3 },
      queue: { ready: 0, closed: 3 },
    });
    expect(await ok(project, "work", "logs", "bd-2")).toMatchObject({ issueId: "bd-2", text: "made bd-2\n" });
    const report = await ok(project, "work", "report");
    expect((report["done"] as JsonObject[]).map((line) => line["issueId"]).toSorted()).toEqual([
      "bd-1",
      "bd-2",
      "bd-3",
    ]);
    expect(report).toMatchObject({ notDone: [], steps: 3 });
    expect(existsSync(join(project.folder, "out"))).toBe(false);
    expect(await ok(project, "work", "land")).toMatchObject({ branch: "main", commits: 3 });
    expect(readFileSync(join(project.folder, "out/bd-3"), "utf8")).toBe("bd-3\n");
    const listed = (await ok(project, "worktrees", "--clean"))["worktrees"] as JsonObject[];
    expect(listed.map((tree) => tree["removed"])).toEqual([true, true]);
    expect(readdirSync(join(project.worktree(), ".."))).toEqual([]);
  });

  test("start --dry-run shows what would be run, and changes nothing", async () => {
    const project = new RunnerProject();
    const before = [project.git("for-each-ref"), project.read(".premath/issues.jsonl")];
    const plan = await ok(project, "work", "start", "--preset", "codex", "--dry-run");
    expect(plan).toMatchObject({ state: "planned", preset: "codex", parallel: 2 });
    expect((plan["command"] as string[]).join(" ")).toBe(
      "codex exec --json --sandbox workspace-write -c approval_policy=never -",
    );
    expect([project.git("for-each-ref"), project.read(".premath/issues.jsonl")]).toEqual(before);
    expect(existsSync(join(project.folder, ".premath/runs"))).toBe(false);
  });

  test("start --detach returns at once; pause lets steps end, resume goes on, stop ends it", async () => {
    const project = new RunnerProject({ issues: 3 });
    const work = `touch "$HOME/at-$PREMATH_ISSUE_ID"; while [ ! -e "$HOME/go-$PREMATH_ISSUE_ID" ]; do sleep 0.1; done; ${honest}`;
    const begun = await start(project, "--work-cmd", work, "--parallel", "1", "--detach", "--json");
    expect(begun.code, begun.stderr).toBe(0);
    expect(begun.json()).toMatchObject({ state: "detached", run: "run-1" });
    const at = (id: string) => until(`${id} is worked on`, () => existsSync(join(project.home, `at-${id}`)));
    await at("bd-1");
    expect(await ok(project, "work", "status")).toMatchObject({
      state: "running",
      workers: [{ worker: "worker.1", issueId: "bd-1", doing: "work" }],
    });
    await ok(project, "work", "pause");
    project.put("../go-bd-1", "");
    await until("the step ended", () => project.row("bd-1")["status"] === "closed");
    expect(existsSync(join(project.home, "at-bd-2"))).toBe(false);
    await ok(project, "work", "resume");
    await at("bd-2");
    await ok(project, "work", "stop", "--now");
    await until("it is given back", () => project.row("bd-2")["status"] === "open");
    expect(project.row("bd-2")["attempts"] ?? 0).toBe(0);
    let state: unknown;
    for (let n = 0; n < 100 && state !== "over"; n++) state = (await ok(project, "work", "status"))["state"];
    expect(state).toBe("over");
    const late = await here(project, "work", "pause");
    expect(late.stderr).toContain("run-1 is over");
  });

  test("status names an issue that failed for good once, with its last reason", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work = 'echo x >> "$HOME/tries"; [ "$(wc -l < "$HOME/tries")" -ge 3 ]';
    await project.work({ work, stepsMax: 3, ports: withoutPauses });
    expect(project.row("bd-1")["status"]).toBe("blocked");
    expect((await ok(project, "work", "status"))["attention"]).toEqual([
      { issueId: "bd-1", says: "no_change" },
    ]);
  });

  test("stops beginning steps when a budget is used up, and says so to a command of the person's", async () => {
    const project = new RunnerProject({ issues: 4 });
    const work = `echo '{"costUsd": 0.5}' > "$BRIDLE_USAGE_FILE"; ${honest}`;
    const told = 'cat >> "$HOME/told"';
    const words = [
      "--work-cmd",
      work,
      "--parallel",
      "1",
      "--max-cost",
      "1",
      "--max-steps",
      "9",
      "--on-event",
      told,
    ];
    const ended = await start(project, ...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({ because: "bound" });
    expect(await ok(project, "work", "status")).toMatchObject({ completed: 2, costUsd: 1, unpricedSteps: 0 });
    expect(readFileSync(join(project.home, "told"), "utf8")).toContain('"kind":"bound"');
    const unpriced = await here(project, "work", "start", "--work-cmd", work, "--max-cost", "1");
    expect(unpriced.stderr).toContain("Name --max-steps as well");
  });

  test("start asks the tool whether somebody is logged in before anything is claimed", async () => {
    const project = new RunnerProject();
    project.put("../bin/codex", "#!/bin/sh\necho 'Not logged in' >&2; exit 1\n");
    project.git("-C", project.home, "version");
    const { chmodSync } = await import("node:fs");
    chmodSync(join(project.home, "bin/codex"), 0o755);
    const env = { ...project.env, PATH: `${join(project.home, "bin")}:${process.env["PATH"]}` };
    const ended = await premath.here(["work", "start", "--preset", "codex", "--json"], {
      ...{ cwd: project.folder, env, launcher: "bridle" },
    });
    expect(ended.json()).toMatchObject({ failureClass: "login_missing" });
    expect(project.row("bd-1")["status"] ?? "open").toBe("open");
  });
});

describe("bridle change", () => {
  test("accept merges what waited for review, reject sends it back with the reason", async () => {
    const project = new RunnerProject({ issues: 2 });
    const work = `cp "$BRIDLE_PROMPT_FILE" "$HOME/prompt-$PREMATH_ISSUE_ID"; ${honest}`;
    const ended = await start(project, "--work-cmd", work, "--parallel", "1", "--merge", "review", "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(project.row("bd-1")).toMatchObject({ status: "blocked", labels: ["review"] });
    expect(project.inTarget("out/bd-1")).toBeUndefined();
    const list = (await ok(project, "change", "list"))["changes"] as JsonObject[];
    expect(list.map((change) => [change["issueId"], change["files"]])).toEqual([
      ["bd-1", ["out/bd-1"]],
      ["bd-2", ["out/bd-2"]],
    ]);
    expect((await here(project, "change", "show", "bd-1")).stdout).toContain("out/bd-1");
    expect((await here(project, "change", "diff", "bd-1")).stdout).toContain("+bd-1");
    const accepted = await ok(project, "change", "accept", "bd-1");
    expect(project.row("bd-1")).toMatchObject({ status: "closed", verified: { commit: accepted["commit"] } });
    expect(project.row("bd-1")["labels"] ?? []).toEqual([]);
    expect(project.inTarget("out/bd-1")).toBe("bd-1\n");
    await ok(project, "change", "reject", "bd-2", "--reason", "keep the old name");
    expect(project.row("bd-2")).toMatchObject({ status: "open", left: { message: "keep the old name" } });
    const again = await start(project, "--work-cmd", work, "--parallel", "1", "--json");
    expect(again.code, again.stderr).toBe(0);
    expect(project.row("bd-2")["status"]).toBe("closed");
    expect(readFileSync(join(project.home, "prompt-bd-2"), "utf8")).toContain("keep the old name");
    expect((await here(project, "change", "accept", "bd-1")).stderr).toContain("no change of bd-1 waits");
  });
});
