/** The KPI against the contract's arithmetic, and against a naive look at every row. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Log, nodePorts, parseInstant } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { earlier, formatInstant } from "./instant-math.js";
import { decide, kpiDefaults, type KpiFindings, type KpiOptions, measureKpi, ratiosOf } from "./kpi.js";
import { readTrajectory } from "./trajectory.js";
import { workerOf } from "./worker-id.js";

const ports = nodePorts();

interface Row {
  readonly stepId: string;
  readonly action?: string;
  readonly resultClass: string;
  readonly issueId?: string | undefined;
  readonly finishedAt: string;
  readonly reason?: string;
}

const line = (row: Row) =>
  `${JSON.stringify({ schema: 1, stepKind: "premath.harness.step.v1", action: "worker.loop", ...row })}\n`;

async function measure(rows: readonly Row[], options: Partial<KpiOptions> = {}): Promise<KpiFindings> {
  const path = join(newFastFolder(), "trajectory.jsonl");
  writeFileSync(path, "");
  for (const row of rows) appendFileSync(path, line(row));
  const log = await Log.open({ path, bearing: "trajectory", ports });
  const answer = await readTrajectory(log, (found) => measureKpi(found, { ...kpiDefaults, ...options }));
  return answer ?? measureKpi(undefined, { ...kpiDefaults, ...options });
}

const at = (hour: number, minute = 0) =>
  new Date(Date.UTC(2026, 0, 31, hour, minute)).toISOString().replace(".000", "");
/** A step of a worker: the worker, its number, whether it succeeded, and when. */
const step = (worker: string, number: number, good: boolean, finishedAt: string): Row => ({
  stepId: `${worker}.bd-${number}.1`,
  issueId: `bd-${number}`,
  resultClass: good ? "completed" : "check_failed",
  finishedAt,
});

describe("the arithmetic", () => {
  it("is the formula of the contract [TUSK-13.2] [TUSK-13.3] [TUSK-13.4] [TUSK-13.5]", () => {
    // 6 of 8 rows, 3 workers, 12 hours: 12 rows a day, 4 a worker, times 0.75.
    const counts = { windowRows: 8, completedRows: 6, activeWorkers: 3 };
    expect(ratiosOf(counts, 12)).toEqual({ gatePassRate: 0.75, throughputPerWorkerPerDay: 4, kpi: 3 });
    expect(ratiosOf({ ...counts, activeWorkers: 0 }, 24)).toMatchObject({
      throughputPerWorkerPerDay: 6,
      kpi: 4.5,
    });
    expect(ratiosOf({ windowRows: 3, completedRows: 2, activeWorkers: 3 }, 24)).toEqual({
      gatePassRate: 0.666667,
      throughputPerWorkerPerDay: 0.666667,
      kpi: 0.444444,
    });
    expect(ratiosOf({ windowRows: 0, completedRows: 0, activeWorkers: 0 }, 24)).toEqual({
      gatePassRate: 0,
      throughputPerWorkerPerDay: 0,
      kpi: 0,
    });
  });

  it("decides by the thresholds, to one state [TUSK-13.11] [TUSK-13.17] [TUSK-13.18] [TUSK-13.19] [TUSK-13.20]", () => {
    const options = { ...kpiDefaults, windowHours: 24 };
    const state = (windowRows: number, completedRows: number, activeWorkers: number) =>
      decide({ windowRows, completedRows, activeWorkers }, options);
    expect(state(2, 2, 1)).toEqual({
      state: "insufficient_data",
      reason: "window row count below minimum sample threshold",
    });
    expect(state(3, 0, 1)).toEqual({ state: "rollback", reason: "kpi below rollback threshold" });
    expect(state(3, 2, 3)).toEqual({ state: "watch", reason: "kpi below target threshold" });
    expect(state(3, 3, 3)).toEqual({ state: "pass", reason: "kpi at or above target threshold" });
    // Exactly at a threshold: 4 of 5 rows by four workers is 0.8, 2 of 5 by two is 0.4.
    expect(state(5, 4, 4).state).toBe("pass");
    expect(state(5, 2, 2).state).toBe("watch");
    expect(state(5, 2, 3).state).toBe("rollback");
  });

  it("has the defaults of the contract [TUSK-13.7] [TUSK-13.14] [TUSK-13.15] [TUSK-13.16]", () => {
    expect(kpiDefaults).toEqual({ windowHours: 24, targetKpi: 0.8, rollbackKpi: 0.4, minSampleRows: 3 });
  });
});

describe("a worker", () => {
  it("is named by what comes before its issue, so worker.1 and worker.2 are two", () => {
    expect(workerOf("worker.1.bd-1.1", "bd-1")).toBe("worker.1");
    expect(workerOf("worker.2.bd-1.1", "bd-1")).toBe("worker.2");
    expect(workerOf("ada.bd-1.7", "bd-1")).toBe("ada");
    expect(workerOf("a.b.c.bd-1.2.3.1", "bd-1.2.3")).toBe("a.b.c");
    expect(workerOf("bd-1.bd-1.1", "bd-1")).toBe("bd-1");
    expect(workerOf("ada.bd-11.bd-1", "bd-1")).toBe("ada.bd-11");
  });

  it("is guessed where the step does not name its issue", () => {
    expect(workerOf("worker.1.other.1", "bd-1")).toBe("worker.1");
    expect(workerOf("night.shift.bd-12.3", "bd-1")).toBe("night");
    expect(workerOf("ada.3", "bd-1")).toBe("ada");
    expect(workerOf("s-12", "bd-1")).toBe("s-12");
    expect(workerOf(".odd", "bd-1")).toBe(".odd");
  });
});

describe("the window", () => {
  it("ends with the newest row, whatever the order of the file, and both ends count [TUSK-13.6] [TUSK-13.7] [TUSK-13.10]", async () => {
    const rows = [
      step("a", 1, true, "2026-01-31T12:00:00.5Z"),
      step("a", 2, true, "2026-01-30T12:00:00.5Z"),
      step("a", 3, true, "2026-01-30T12:00:00.499Z"),
      step("b", 4, false, "2026-01-31T13:30:00.25+02:00"),
    ];
    const report = await measure(rows);
    expect(report).toMatchObject({
      kpiKind: "premath.multithread.throughput.v1",
      windowHours: 24,
      windowStart: "2026-01-30T12:00:00.5Z",
      windowEnd: "2026-01-31T12:00:00.5Z",
      counts: { windowRows: 3, completedRows: 2, failedRows: 1, activeWorkers: 2, workerIds: ["a", "b"] },
    });
    expect(await measure([...rows].reverse())).toEqual(report);
  });

  it("ends where it is told to, and is as long as it is told to be", async () => {
    const rows = [step("a", 1, true, at(1)), step("a", 2, true, at(2)), step("a", 3, true, at(3))];
    const now = parseInstant(at(2, 30));
    if (now === undefined) throw new Error("no time");
    expect(await measure(rows, { now, windowHours: 1.5 })).toMatchObject({
      windowStart: at(1),
      windowEnd: at(2, 30),
      counts: { windowRows: 2 },
    });
    expect((await measure(rows, { now, windowHours: 1.4999 })).counts.windowRows).toBe(1);
  });

  it("without a row ends in 1970 and decides nothing", async () => {
    expect(await measure([])).toMatchObject({
      windowEnd: "1970-01-01T00:00:00Z",
      counts: { windowRows: 0, workerIds: [] },
      decision: { state: "insufficient_data" },
      latest: [],
    });
  });

  it("counts a row as completed when it has an issue and a class of success [TUSK-13.9] [TUSK-13.10]", async () => {
    const classes = ["accepted", "verified-accept", "COMPLETED", " success ", "ok", "passed"];
    const rows = [...classes, "fine", "rejected"].map((resultClass, i) => ({
      ...step("a", i, true, at(1, i)),
      resultClass,
    }));
    expect((await measure(rows)).counts).toMatchObject({ windowRows: 8, completedRows: 6, failedRows: 2 });
    const without = rows.map((row) => ({ ...row, issueId: " " }));
    expect((await measure(without)).counts).toMatchObject({
      completedRows: 0,
      activeWorkers: 0,
      workerIds: [],
    });
  });

  it("shows its first rows by finishedAt, stepId and action, descending [TUSK-13.8]", async () => {
    const rows: Row[] = [
      { stepId: "a", action: "x", resultClass: "ok", finishedAt: at(2) },
      { stepId: "b", action: "x", resultClass: "ok", finishedAt: at(2) },
      { stepId: "b", action: "y", resultClass: "ok", finishedAt: at(2) },
      { stepId: "a", action: "x", resultClass: "ok", finishedAt: at(3) },
      { stepId: "z", action: "z", resultClass: "ok", finishedAt: at(1) },
      { stepId: "y", action: "z", resultClass: "ok", finishedAt: at(1) },
    ];
    const shown = (report: KpiFindings) =>
      report.latest.map((row) => `${row.finishedAt.slice(11, 13)}${row.stepId}${row.action}`);
    const expected = ["03ax", "02by", "02bx", "02ax", "01zz"];
    expect(shown(await measure(rows))).toEqual(expected);
    expect(shown(await measure([...rows].reverse()))).toEqual(expected);
    const spaced = { stepId: " a ", action: "\tx", resultClass: " ok\n", finishedAt: ` ${at(2)}` };
    expect((await measure([spaced])).latest).toEqual([
      { stepId: "a", action: "x", resultClass: "ok", finishedAt: at(2) },
    ]);
  });

  it("leaves out what is no work: host effects and remediations, which do not move it either", async () => {
    const work = [1, 2, 3].map((hour) => step("a", hour, true, at(hour)));
    const before = await measure(work);
    const more = ["scheme_eval.issue.claim", "rhai_eval.x", "harness.kpi.remediate"].map((action, i) => ({
      ...step("z", i, false, at(2 + i)),
      action,
    }));
    const after = await measure([...work, ...more]);
    expect(after).toEqual({ ...before, counts: { ...before.counts, excludedRows: 2 } });
  });
});

describe("a rollback", () => {
  const failing = [1, 2, 3, 4].map((hour) => step("a", hour, false, at(hour)));
  const remediation = (finishedAt: string): Row => ({
    ...step("harness-kpi", 9, true, finishedAt),
    action: "harness.kpi.remediate",
    reason: " two workers, one port ",
  });

  it("pauses expansion until a remediation is recorded since it arose [TUSK-13.21]", async () => {
    const paused = await measure(failing);
    expect(paused).toMatchObject({
      decision: { state: "rollback" },
      rollback: { since: at(3), remediation: null, expansionPaused: true },
    });
    // Recorded before there were rows enough to decide on.
    expect((await measure([...failing, remediation(at(2, 30))])).rollback?.expansionPaused).toBe(true);
    expect((await measure([...failing, remediation(at(5))])).rollback).toEqual({
      since: at(3),
      remediation: {
        stepId: "harness-kpi.bd-9.1",
        issueId: "bd-9",
        reason: "two workers, one port",
        recordedAt: at(5),
      },
      expansionPaused: false,
    });
  });

  it("that ended and came back needs another remediation [TUSK-13.21]", async () => {
    const recovered = Array.from({ length: 8 }, (_, i) => step("a", 10 + i, true, at(6, i)));
    const again = Array.from({ length: 40 }, (_, i) => step("a", 30 + i, false, at(7, i)));
    const rows = [...failing, remediation(at(5)), ...recovered, ...again];
    const options = { rollbackKpi: 2, targetKpi: 3 };
    const report = await measure(rows, options);
    expect(report.decision.state).toBe("rollback");
    expect(report.rollback).toMatchObject({ remediation: null, expansionPaused: true });
    expect((report.rollback?.since ?? "") > at(6, 7)).toBe(true);
    expect((await measure([...rows, remediation(at(8))], options)).rollback?.expansionPaused).toBe(false);
  });

  it("that lasts longer than its window needs another remediation too", async () => {
    const long = Array.from({ length: 60 }, (_, i) => step("a", i, false, at(i)));
    expect((await measure([...long, remediation(at(10))])).rollback).toMatchObject({
      since: at(59 - 24),
      expansionPaused: true,
    });
    expect((await measure([...long, remediation(at(40))])).rollback?.expansionPaused).toBe(false);
  });

  it("is judged as of the moment that was named", async () => {
    const rows = [...failing, remediation(at(5))];
    const asOf = (hour: number) => {
      const now = parseInstant(at(hour));
      if (now === undefined) throw new Error("no time");
      return measure(rows, { now });
    };
    expect((await asOf(4)).rollback?.expansionPaused).toBe(true);
    expect((await asOf(5)).rollback?.expansionPaused).toBe(false);
  });

  it("is null in every other state", async () => {
    expect((await measure(failing.slice(0, 2))).rollback).toBeNull();
    expect((await measure([1, 2, 3].map((hour) => step("a", hour, true, at(hour))))).rollback).toBeNull();
  });
});

/** The report by reading everything, with arithmetic of its own. */
function naive(rows: readonly Row[], options: KpiOptions) {
  const ms = (row: Row) => Date.parse(row.finishedAt);
  const end = rows.length === 0 ? 0 : Math.max(...rows.map(ms));
  const measureAt = (last: number) => {
    const inside = rows.filter((row) => ms(row) <= last && ms(row) >= last - options.windowHours * 3_600_000);
    const owned = inside.filter((row) => (row.issueId ?? "") !== "");
    const workers = [...new Set(owned.map((row) => row.stepId.split(".bd-")[0] ?? ""))].sort();
    const completed = owned.filter((row) => row.resultClass === "completed").length;
    const perDay = (completed * 24) / options.windowHours;
    const rate = inside.length === 0 ? 0 : completed / inside.length;
    const kpi = Number(((perDay / Math.max(1, workers.length)) * rate).toFixed(6));
    const state =
      inside.length < options.minSampleRows
        ? "insufficient_data"
        : kpi < options.rollbackKpi
          ? "rollback"
          : kpi < options.targetKpi
            ? "watch"
            : "pass";
    return { windowRows: inside.length, completed, workers, kpi, state };
  };
  let since: number | undefined;
  const instants = [...new Set(rows.map(ms))].sort((left, right) => left - right);
  for (const instant of instants.filter((one) => one >= end - options.windowHours * 3_600_000)) {
    since = measureAt(instant).state === "rollback" ? (since ?? instant) : undefined;
  }
  return { ...measureAt(end), since: since === undefined ? null : since };
}

describe("the report", () => {
  const row: fc.Arbitrary<Row> = fc
    .record({
      stepId: fc.constantFrom("worker.1.bd-1.1", "worker.2.bd-2.4", "worker.10.bd-1.2", "ada.bd-7.1"),
      resultClass: fc.constantFrom("completed", "completed", "failed"),
      finishedAt: fc.nat(60 * 60).map((minute) => at(0, minute)),
      withIssue: fc.constantFrom(true, true, false),
    })
    .map(({ withIssue, ...rest }) => ({
      ...rest,
      issueId: withIssue ? (/bd-\d/.exec(rest.stepId)?.[0] ?? "") : undefined,
    }));

  it("is what a naive look at every row says [TUSK-13.2] [TUSK-13.6] [TUSK-13.10] [TUSK-13.11]", async () => {
    const seen = new Map<string, number>();
    await holdsAsync(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40, size: "max" }),
        fc.constantFrom(1, 6, 24, 0.5, 100),
        fc.constantFrom([0.8, 0.4], [4, 2], [2, 1]),
        async (rows, windowHours, [targetKpi = 0.8, rollbackKpi = 0.4]) => {
          const options = { ...kpiDefaults, windowHours, targetKpi, rollbackKpi };
          const report = await measure(rows, options);
          const expected = naive(rows, options);
          expect({
            windowRows: report.counts.windowRows,
            completed: report.counts.completedRows,
            workers: [...report.counts.workerIds].sort(),
            kpi: report.ratios.kpi,
            state: report.decision.state,
            since: report.rollback === null ? null : Date.parse(report.rollback.since),
          }).toEqual({ ...expected, since: expected.state === "rollback" ? expected.since : null });
          seen.set(expected.state, (seen.get(expected.state) ?? 0) + 1);
        },
      ),
      250,
    );
    console.log(`reports compared: ${[...seen].map(([state, count]) => `${count} ${state}`).join(", ")}`);
  });

  it("reads the blocks of a long trajectory that it needs, and agrees with the naive look", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) =>
      step(`worker.${i % 3}`, i % 7, i % 4 !== 0, new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()),
    );
    const path = join(newFastFolder(), "trajectory.jsonl");
    writeFileSync(path, rows.map(line).join(""));
    const log = await Log.open({ path, bearing: "trajectory", ports });
    let visited = 0;
    const report = await readTrajectory(log, (found) =>
      measureKpi(
        {
          findings: () => found.findings(),
          visit: (visit) =>
            found.visit({
              wants: (newest) => visit.wants(newest),
              step(stepRow, finished) {
                visited++;
                visit.step(stepRow, finished);
              },
            }),
        },
        { ...kpiDefaults, windowHours: 2 },
      ),
    );
    expect(report?.counts).toMatchObject({ windowRows: 121, activeWorkers: 3 });
    expect(visited).toBeLessThan(rows.length);
    console.log(`${visited} rows were looked at for a window of 121 of ${rows.length}`);
  });
});

describe("hours earlier", () => {
  it("keeps every digit of the fraction", () => {
    const instant = { seconds: 100, fraction: "000000000000000001" };
    expect(earlier(instant, 1 / 3600)).toEqual({ seconds: 99, fraction: "000000000000000001" });
    expect(earlier(instant, 0.5 / 3600)).toEqual({ seconds: 99, fraction: "500000000000000001" });
    expect(earlier({ seconds: 0, fraction: "" }, 0.25 / 3600)).toEqual({ seconds: -1, fraction: "75" });
  });

  it("reads back as what it was written from", () => {
    holds(
      fc.property(
        fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }),
        fc.nat(999_999),
        (seconds, micros) => {
          const fraction = String(micros).padStart(6, "0").replace(/0+$/, "");
          expect(parseInstant(formatInstant({ seconds, fraction }))).toEqual({ seconds, fraction });
        },
      ),
    );
    expect(formatInstant({ seconds: 1e15, fraction: "5" })).toBe("9999-12-31T23:59:59Z");
    expect(formatInstant({ seconds: -1e15, fraction: "5" })).toBe("0000-01-01T00:00:00Z");
  });
});
