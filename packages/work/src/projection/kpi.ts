/**
 * The throughput KPI: how much several workers get done and pass, over a window of the trajectory.
 *
 * Only the trajectory and the thresholds decide: without a `now` the window ends
 * with the newest row, so that the same file gives the same report at any time.
 * Decisions are made on the KPI as it is reported, six digits, so that whoever
 * reads the report comes to the same decision.
 */
import { compareCodePoints, compareInstants, type Instant, type JsonObject } from "@bridle/record";
import { workLimits } from "../limits.js";
import { optionalText } from "../text.js";
import { kpiKind, type KpiReport } from "../types.js";
import { earlier, formatInstant } from "./instant-math.js";
import { ResultMeanings } from "./result-class.js";
import { rollbackSince, type SweptRow } from "./kpi-rollback.js";
import type { TrajectoryRows } from "./trajectory.js";
import { workerOf } from "./worker-id.js";

export interface KpiOptions {
  readonly windowHours: number;
  readonly targetKpi: number;
  readonly rollbackKpi: number;
  readonly minSampleRows: number;
  /** Where the window ends; with the newest row when left out. */
  readonly now?: Instant;
}

export const kpiDefaults = { windowHours: 24, targetKpi: 0.8, rollbackKpi: 0.4, minSampleRows: 3 } as const;

/** The action of a row that records a remediation. */
export const remediationAction = "harness.kpi.remediate";

export type KpiFindings = Omit<KpiReport, "refs">;
type Counts = Pick<KpiReport["counts"], "windowRows" | "completedRows" | "activeWorkers">;

/** `rows` is undefined when there is no trajectory. */
export async function measureKpi(
  rows: TrajectoryRows | undefined,
  options: KpiOptions,
): Promise<KpiFindings> {
  const { windowHours, targetKpi, rollbackKpi, minSampleRows } = options;
  const windowEnd = options.now ?? (await newestWork(rows)) ?? { seconds: 0, fraction: "" };
  const windowStart = earlier(windowEnd, windowHours);
  const tally = new Tally();
  await rows?.visit({
    wants: (newest) => compareInstants(newest, windowStart) >= 0,
    step(row, finished) {
      if (compareInstants(finished, windowStart) >= 0 && compareInstants(finished, windowEnd) <= 0) {
        tally.take(row, finished);
      }
    },
  });
  const counts = tally.counts();
  const decision = decide(counts, options);
  const rollback =
    decision.state === "rollback" && rows !== undefined
      ? await rollbackState(rows, { windowStart, windowEnd }, options)
      : null;
  return {
    schema: 1,
    kpiKind,
    windowHours,
    windowStart: formatInstant(windowStart),
    windowEnd: formatInstant(windowEnd),
    counts,
    ratios: ratiosOf(counts, windowHours),
    thresholds: { targetKpi, rollbackKpi, minSampleRows },
    decision,
    rollback,
    latest: tally.latest(),
  };
}

export function ratiosOf(counts: Counts, windowHours: number): KpiReport["ratios"] {
  const { windowRows, completedRows, activeWorkers } = counts;
  const gatePassRate = windowRows === 0 ? 0 : completedRows / windowRows;
  const completedRowsPerDay = completedRows * (24 / windowHours);
  const throughputPerWorkerPerDay = completedRowsPerDay / Math.max(activeWorkers, 1);
  return {
    gatePassRate: sixDigits(gatePassRate),
    throughputPerWorkerPerDay: sixDigits(throughputPerWorkerPerDay),
    kpi: sixDigits(throughputPerWorkerPerDay * gatePassRate),
  };
}

function sixDigits(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

export function decide(
  counts: Counts,
  { windowHours, targetKpi, rollbackKpi, minSampleRows }: KpiOptions,
): KpiReport["decision"] {
  const { kpi } = ratiosOf(counts, windowHours);
  if (counts.windowRows < minSampleRows) {
    return { state: "insufficient_data", reason: "window row count below minimum sample threshold" };
  }
  if (kpi < rollbackKpi) return { state: "rollback", reason: "kpi below rollback threshold" };
  if (kpi < targetKpi) return { state: "watch", reason: "kpi below target threshold" };
  return { state: "pass", reason: "kpi at or above target threshold" };
}

/**
 * Rows of the trajectory that are no work of a worker: what it called on the way
 * (host effects stand in the same file), and remediations, which must not move
 * the window that they are recorded for.
 */
function isWork(action: string): boolean {
  return action !== remediationAction && !/^(scheme|rhai)_eval\./.test(action);
}

const meanings = new ResultMeanings();

function actionOf(row: JsonObject): string {
  return (row["action"] as string).trim();
}

function issueOf(row: JsonObject): string | undefined {
  return optionalText((row["issueId"] as string | null | undefined) ?? undefined);
}

function judgeRow(row: JsonObject): { readonly completed: boolean; readonly worker: string | undefined } {
  const issueId = issueOf(row);
  return {
    completed: issueId !== undefined && !meanings.of(row["resultClass"] as string).failed,
    worker: issueId === undefined ? undefined : workerOf((row["stepId"] as string).trim(), issueId),
  };
}

async function newestWork(rows: TrajectoryRows | undefined): Promise<Instant | undefined> {
  let newest: Instant | undefined;
  await rows?.visit({
    wants: (ofBlock) => newest === undefined || compareInstants(ofBlock, newest) > 0,
    step(row, finished) {
      if (newest !== undefined && compareInstants(finished, newest) <= 0) return;
      if (isWork(actionOf(row))) newest = copyOf(finished);
    },
  });
  return newest;
}

function copyOf({ seconds, fraction }: Instant): Instant {
  return { seconds, fraction };
}

/** What is counted of the rows of a window; the rows themselves are let go. */
class Tally {
  private windowRows = 0;
  private completedRows = 0;
  private excludedRows = 0;
  private readonly workers = new Set<string>();
  private first: { readonly at: Instant; readonly shown: KpiReport["latest"][number] }[] = [];

  take(row: JsonObject, finished: Instant): void {
    if (!isWork(actionOf(row))) {
      this.excludedRows++;
      return;
    }
    const { completed, worker } = judgeRow(row);
    this.windowRows++;
    if (completed) this.completedRows++;
    if (worker !== undefined) this.workers.add(worker);
    this.offer(row, finished);
  }

  counts(): KpiReport["counts"] {
    const { windowRows, completedRows, excludedRows, workers } = this;
    return {
      windowRows,
      completedRows,
      failedRows: windowRows - completedRows,
      activeWorkers: workers.size,
      workerIds: [...workers].sort(compareCodePoints),
      excludedRows,
    };
  }

  latest(): KpiReport["latest"] {
    return this.first.map(({ shown }) => shown);
  }

  private offer(row: JsonObject, finished: Instant): void {
    const last = this.first[workLimits.kpiLatestRowsMax - 1];
    if (last !== undefined && compareInstants(finished, last.at) < 0) return;
    const { stepId, action, resultClass, finishedAt } = row as Record<string, string>;
    const shown = {
      finishedAt: (finishedAt as string).trim(),
      stepId: (stepId as string).trim(),
      action: (action as string).trim(),
      resultClass: (resultClass as string).trim(),
    };
    this.first.push({ at: copyOf(finished), shown });
    this.first.sort(
      (left, right) =>
        compareInstants(right.at, left.at) ||
        compareCodePoints(right.shown.stepId, left.shown.stepId) ||
        compareCodePoints(right.shown.action, left.shown.action),
    );
    this.first.length = Math.min(this.first.length, workLimits.kpiLatestRowsMax);
  }
}

interface Window {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
}

async function rollbackState(
  rows: TrajectoryRows,
  { windowStart, windowEnd }: Window,
  options: KpiOptions,
): Promise<KpiReport["rollback"]> {
  const from = earlier(windowStart, options.windowHours);
  const swept: SweptRow[] = [];
  const remediations: { readonly at: Instant; readonly row: JsonObject }[] = [];
  await rows.visit({
    wants: (newest) => compareInstants(newest, from) >= 0,
    step(row, finished) {
      if (actionOf(row) === remediationAction) remediations.push({ at: copyOf(finished), row });
      if (!isWork(actionOf(row))) return;
      if (compareInstants(finished, from) < 0 || compareInstants(finished, windowEnd) > 0) return;
      swept.push({ at: copyOf(finished), ...judgeRow(row) });
    },
  });
  const since = rollbackSince(
    swept,
    { windowStart, windowEnd, windowHours: options.windowHours },
    (counts) => decide(counts, options).state === "rollback",
  );
  const counting = remediations
    .filter(({ at }) => compareInstants(at, since) >= 0)
    .filter(({ at }) => options.now === undefined || compareInstants(at, options.now) <= 0)
    .sort((left, right) => compareInstants(right.at, left.at));
  const [newest] = counting;
  return {
    since: formatInstant(since),
    remediation: newest === undefined ? null : remediationOf(newest.row),
    expansionPaused: newest === undefined,
  };
}

function remediationOf(row: JsonObject): NonNullable<KpiReport["rollback"]>["remediation"] {
  const { reason } = row;
  return {
    stepId: (row["stepId"] as string).trim(),
    issueId: issueOf(row) ?? null,
    reason: (typeof reason === "string" ? optionalText(reason) : undefined) ?? null,
    recordedAt: (row["finishedAt"] as string).trim(),
  };
}
