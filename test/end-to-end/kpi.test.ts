/** The KPI as people and programs meet it: the built command and real files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const repository = fileURLToPath(new URL("../..", import.meta.url));
const file = ".premath/harness_trajectory.jsonl";

class Project {
  readonly folder = newFolder();

  constructor(content?: string | Buffer) {
    if (content === undefined) return;
    mkdirSync(join(this.folder, ".premath"));
    writeFileSync(this.path, content);
  }

  get path(): string {
    return join(this.folder, file);
  }

  kpi(...words: string[]): Promise<Ended> {
    return premath.run(["harness-kpi", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["harness-kpi", ...words], { cwd: this.folder });
  }

  async report(...words: string[]): Promise<JsonObject> {
    const ended = await this.one(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }
}

/** A step of worker.1, worker.2 or worker.3, an hour after the one before. */
const row = (i: number, resultClass: string) => ({
  schema: 1,
  stepKind: "premath.harness.step.v1",
  stepId: `worker.${(i % 3) + 1}.bd-${i}.1`,
  issueId: `bd-${i}`,
  action: "worker.loop",
  resultClass,
  finishedAt: new Date(Date.UTC(2026, 0, 31, i)).toISOString().replace(".000", ""),
});
const lines = (...classes: string[]) =>
  classes.map((resultClass, i) => `${JSON.stringify(row(i, resultClass))}\n`).join("");

describe("the report", () => {
  test("counts three workers as three, and decides watch where one worker would have passed [TUSK-13.1] [TUSK-13.2] [TUSK-13.3] [TUSK-13.12] [TUSK-13.14] [TUSK-13.15] [TUSK-13.16] [TUSK-13.18]", async () => {
    const project = new Project(lines("completed", "completed", "check_failed"));
    expect(await project.report()).toMatchObject({
      schema: 1,
      kpiKind: "premath.multithread.throughput.v1",
      windowHours: 24,
      counts: {
        windowRows: 3,
        completedRows: 2,
        failedRows: 1,
        activeWorkers: 3,
        workerIds: ["worker.1", "worker.2", "worker.3"],
      },
      ratios: { gatePassRate: 0.666667, throughputPerWorkerPerDay: 0.666667, kpi: 0.444444 },
      thresholds: { targetKpi: 0.8, rollbackKpi: 0.4, minSampleRows: 3 },
      decision: { state: "watch", reason: "kpi below target threshold" },
      rollback: null,
      refs: {
        trajectoryPath: file,
        sessionPath: ".premath/harness_session.json",
        issuesPath: ".premath/issues.jsonl",
      },
    });
  });

  test("is one of four decisions, and every one of them exits with 0 [TUSK-13.11] [TUSK-13.17] [TUSK-13.19] [TUSK-13.20]", async () => {
    const cases: [string, string[]][] = [
      ["pass", ["ok", "passed", "accepted"]],
      ["rollback", ["failed", "failed", "failed"]],
      ["insufficient_data", ["ok", "ok"]],
    ];
    for (const [state, classes] of cases) {
      expect(await new Project(lines(...classes)).report()).toMatchObject({ decision: { state } });
    }
    expect(await new Project().report()).toMatchObject({
      windowEnd: "1970-01-01T00:00:00Z",
      decision: { state: "insufficient_data" },
    });
  });

  test("is the same at any time and in any order of the rows, over the window that is named [TUSK-13.6] [TUSK-13.7] [TUSK-13.8]", async () => {
    const content = lines(...Array.from({ length: 48 }, (_, i) => (i % 5 === 0 ? "failed" : "ok")));
    const project = new Project(content);
    const first = await project.kpi("--json");
    expect((await project.kpi("--json")).stdout).toBe(first.stdout);
    const reversed = new Project(content.trimEnd().split("\n").reverse().join("\n") + "\n");
    expect((await reversed.kpi("--json")).stdout).toBe(first.stdout);
    expect(first.json()).toMatchObject({
      counts: { windowRows: 25 },
      latest: [{ stepId: "worker.3.bd-47.1" }, {}, {}, {}, {}],
    });
    const early = await project.report("--now", "2026-01-31T05:30:00+00:30", "--window-hours", "2");
    expect(early).toMatchObject({
      windowStart: "2026-01-31T03:00:00Z",
      windowEnd: "2026-01-31T05:00:00Z",
      counts: { windowRows: 3 },
    });
    const strict = await project.report(
      "--target-kpi",
      "99",
      "--rollback-kpi",
      "98",
      "--min-sample-rows",
      "25",
    );
    expect(strict).toMatchObject({ decision: { state: "rollback" } });
    expect(await project.report("--min-sample-rows", "26")).toMatchObject({
      decision: { state: "insufficient_data" },
    });
  });

  test("changes nothing that it reads [TUSK-13.22] [TUSK-13.23]", async () => {
    const content = lines("ok", "failed", "failed");
    const project = new Project(content);
    const issues = join(project.folder, ".premath/issues.jsonl");
    writeFileSync(issues, '{"id":"bd-1","title":"a"}\n');
    const before = statSync(project.path).mtimeMs;
    await project.report();
    expect(readFileSync(project.path, "utf8")).toBe(content);
    expect(statSync(project.path).mtimeMs).toBe(before);
    expect(readFileSync(issues, "utf8")).toBe('{"id":"bd-1","title":"a"}\n');
    const names = readdirSync(join(project.folder, ".premath")).filter((name) => name !== ".local");
    expect(names.sort()).toEqual(["harness_trajectory.jsonl", "issues.jsonl"]);
  });

  test("is a task of npm and mise [TUSK-13.13]", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(scripts["harness-kpi-report"]).toBe("node scripts/run.mjs harness-kpi-report");
    expect(readFileSync(join(repository, "mise.toml"), "utf8")).toContain(
      '\nharness-kpi-report = "npm run harness-kpi-report"\n',
    );
    const project = new Project(lines("ok", "ok", "ok"));
    const words = ["scripts/run.mjs", "harness-kpi-report", "--trajectory-path", project.path, "--json"];
    const out = execFileSync(process.execPath, words, { cwd: repository, encoding: "utf8" });
    expect(JSON.parse(out)).toMatchObject({ decision: { state: "pass" }, counts: { windowRows: 3 } });
  });
});

describe("a rollback", () => {
  test("pauses expansion until a remediation is recorded, as a row that does not count [TUSK-13.21]", async () => {
    const content = lines("failed", "failed", "failed", "failed");
    const project = new Project(content);
    const before = await project.report();
    expect(before).toMatchObject({
      decision: { state: "rollback" },
      rollback: { since: "2026-01-31T02:00:00Z", remediation: null, expansionPaused: true },
    });
    const recorded = await project.kpi(
      "remediate",
      "--issue",
      "bd-9",
      "--reason",
      "two workers, one port",
      "--json",
    );
    expect(recorded.code, recorded.stderr).toBe(0);
    expect(recorded.json()).toMatchObject({
      action: "harness-kpi.remediate",
      path: file,
      row: { issueId: "bd-9", action: "harness.kpi.remediate", reason: "two workers, one port" },
    });
    const text = readFileSync(project.path, "utf8");
    expect(text.startsWith(content)).toBe(true);
    expect(text.slice(content.length).trimEnd().split("\n")).toHaveLength(1);
    expect(await project.report()).toEqual({
      ...before,
      rollback: {
        since: "2026-01-31T02:00:00Z",
        remediation: expect.objectContaining({ issueId: "bd-9", reason: "two workers, one port" }),
        expansionPaused: false,
      },
    });
  });
});

describe("bad input is an error with exit 2, and never costs data", () => {
  test.each<[string[], RegExp]>([
    [["--window-hours", "0"], /--window-hours must be > 0/],
    [["--window-hours", "-3"], /--window-hours/],
    [["--window-hours", "much"], /--window-hours needs a number/],
    [["--window-hours", "1e999"], /--window-hours/],
    [["--min-sample-rows", "0"], /--min-sample-rows/],
    [["--min-sample-rows", "1.5"], /--min-sample-rows/],
    [["--target-kpi", "0"], /--target-kpi/],
    [["--rollback-kpi", "-1"], /--rollback-kpi/],
    [
      ["--target-kpi", "0.4"],
      /--target-kpi is 0\.4, but it must be greater than --rollback-kpi, which is 0\.4/,
    ],
    [["--now", "yesterday"], /--now must be RFC3339: "yesterday" is not/],
    [["--now", ""], /--now must be RFC3339/],
    [["--trajectory-path", "."], /is a folder/],
    [["--window-hour", "3"], /did you mean --window-hours/],
    [["remdiate"], /did you mean "harness-kpi remediate"/],
    [["remediate", "--issue", "bd-1"], /reason/],
    [["remediate", "--issue", " ", "--reason", "x"], /--issue/],
    [["remediate", "--issue", "bd-1", "--reason", ""], /--reason/],
  ])("%j", async (words, says) => {
    const content = lines("ok", "ok", "ok");
    const project = new Project(content);
    const { code, stdout, stderr } = await project.one(...words);
    expect([code, stdout], stderr).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/internal_error|at .*\.js/);
    expect(readFileSync(project.path, "utf8")).toBe(content);
  });

  test.each<[string, string | Buffer]>([
    ["a line that is not JSON", "not json\n"],
    ["a row of another kind", '{"schema":1,"stepKind":"x"}\n'],
    ["a row without a result", `${JSON.stringify({ ...row(9, "ok"), resultClass: " " })}\n`],
    ["a malformed time", `${JSON.stringify({ ...row(9, "ok"), finishedAt: "2026-02-30T00:00:00Z" })}\n`],
    ["a conflict marker", "<<<<<<< ours\n"],
    ["NUL bytes", '{"schema":\u0000\u0000}\n'],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a])],
  ])("a trajectory with %s is named by line, and stays as it was", async (_, bad) => {
    const content = Buffer.concat([
      Buffer.from(lines("ok", "ok", "ok")),
      Buffer.from(bad),
      Buffer.from(lines("ok")),
    ]);
    const project = new Project(content);
    const { code, stdout, stderr } = await project.one();
    expect([code, stdout], stderr).toEqual([2, ""]);
    expect(stderr).toMatch(/harness_trajectory\.jsonl line 4 /);
    expect(stderr).toContain("No KPI is reported on a part of the rows");
    expect(readFileSync(project.path)).toEqual(content);
  });

  test("a row that is still being written is waited for by nobody: the whole ones are reported", async () => {
    const project = new Project(`${lines("ok", "ok", "ok")}{"schema":1,"stepKi`);
    expect(await project.report()).toMatchObject({ counts: { windowRows: 3 } });
  });
});
