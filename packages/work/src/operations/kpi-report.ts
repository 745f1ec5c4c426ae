/** `premath harness-kpi`: how well several workers get on, and what that calls for. */
import { defineOperation, type Paint } from "@bridle/operation";
import { Failure, parseInstant, refuse, type Refusal, grouped } from "@bridle/record";
import * as Type from "typebox";
import { engineFor } from "../store/open.js";
import { workLimits } from "../limits.js";
import { damageWarning } from "../projection/damage-warning.js";
import { kpiDefaults, type KpiFindings, type KpiOptions, measureKpi } from "../projection/kpi.js";
import type { TrajectoryAnswer } from "../projection/trajectory.js";
import { optionalText, quoted } from "../text.js";
import { KpiReport } from "../types.js";
import {
  issuesDefault,
  pathInput,
  locateFile,
  rootInput,
  sessionDefault,
  sessionPlace,
  trajectoryDefault,
  trajectoryPlace,
} from "../calls/place.js";
import { counted } from "./text-layout.js";

const threshold = (standard: number, description: string) =>
  Type.Optional(Type.Number({ exclusiveMinimum: 0, default: standard, description }));

export const kpiReport = defineOperation({
  names: {
    id: "op/harness.kpi_report",
    action: "harness.kpi.report",
    command: ["harness-kpi"],
    tool: "harness_kpi_report",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Report how well several workers get on.",
  description:
    "kpi = completed rows per worker and day × the share of rows that completed, over the rows of the trajectory that " +
    "finished in the window. The decision is pass, watch, rollback or insufficient_data; every one of them exits with " +
    "0. A rollback pauses expansion until `harness-kpi remediate` was called since it arose. A trajectory with lines " +
    "that are no steps is refused: a decision is not made on a part of the rows. Nothing is changed.",
  examples: [
    { command: "premath harness-kpi", says: "the 24 hours up to the newest step" },
    {
      command: "premath harness-kpi --window-hours 168 --now 2026-01-31T00:00:00Z --json",
      says: "the week before a moment, for a program",
    },
  ],
  input: Type.Object(
    {
      trajectoryPath: pathInput("The trajectory", trajectoryDefault),
      sessionPath: pathInput("The session file, which the report refers to", sessionDefault),
      issuesPath: pathInput("Issue memory, which the report refers to", issuesDefault),
      windowHours: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: workLimits.kpiWindowHoursMax,
          default: kpiDefaults.windowHours,
          description: "How long the window is.",
        }),
      ),
      now: Type.Optional(
        Type.String({
          "x-placeholder": "time",
          description: "Where the window ends, RFC 3339; with the newest step when left out.",
        }),
      ),
      targetKpi: threshold(kpiDefaults.targetKpi, "At least this is a pass."),
      rollbackKpi: threshold(kpiDefaults.rollbackKpi, "Below this is a rollback."),
      minSampleRows: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: kpiDefaults.minSampleRows,
          description: "With fewer rows nothing is decided.",
        }),
      ),
      root: rootInput,
    },
    { additionalProperties: false },
  ),
  output: KpiReport,
  async run(input, call) {
    const { now: nowText, trajectoryPath, sessionPath, root, ...thresholds } = input;
    const options = optionsOf(thresholds, nowText);
    if ("refused" in options) return options;
    const under = root === undefined ? {} : { root };
    const trajectory = await trajectoryPlace({ ...pathOf(trajectoryPath), ...under }, call);
    const session = await sessionPlace({ ...pathOf(sessionPath), ...under }, call);
    const issues = await locateFile(
      { flag: input.issuesPath, root, setting: "PREMATH_ISSUES_PATH", fallback: issuesDefault },
      call,
    );
    const refs = {
      trajectoryPath: trajectory.shown,
      sessionPath: session.shown,
      issuesPath: issues.shown,
    };
    try {
      const steps = await engineFor(call.ports).steps({
        path: trajectory.path,
        ports: call.ports,
      });
      const total = (await call.ports.files.stat(trajectory.path))?.size ?? 0;
      const read = await steps.read(
        async (rows): Promise<KpiFindings | Refusal> => {
          const findings = await measureKpi(rows, options);
          const answer = await rows.findings();
          const warning = damageWarning(answer, trajectory.shown);
          if (warning === undefined) return findings;
          if (answer.damage.some(({ readable }) => !readable)) return damaged(answer, warning);
          call.warn(warning);
          return findings;
        },
        (byte) => {
          call.signal.throwIfAborted();
          call.progress({ doing: `indexing ${trajectory.shown}`, done: byte, total });
        },
      );
      const findings = read ?? (await measureKpi(undefined, options));
      return "refused" in findings ? findings : { ...findings, refs };
    } catch (error) {
      return unreadable(error);
    }
  },
  present(report, paint) {
    const { counts, ratios, thresholds, decision, rollback, windowHours, windowEnd } = report;
    return [
      `  ${decisionText(decision.state, paint)}  kpi ${ratios.kpi} ${paint.dim(`target ${thresholds.targetKpi}, rollback below ${thresholds.rollbackKpi}: ${decision.reason}`)}`,
      `  ${grouped(counts.completedRows)} of ${counted(counts.windowRows, "step", "steps")} completed · ` +
        `${counted(counts.activeWorkers, "worker", "workers")} · ${ratios.throughputPerWorkerPerDay} per worker and day · ` +
        `${windowHours} h to ${windowEnd}`,
      ...(rollback === null ? [] : [rollbackLine(rollback, paint)]),
    ].join("\n");
  },
});

function pathOf(path: string | undefined): { readonly path?: string } {
  return path === undefined ? {} : { path };
}

type Given = { readonly [name in "windowHours" | "targetKpi" | "rollbackKpi" | "minSampleRows"]?: number };

function optionsOf(given: Given, nowText: string | undefined): KpiOptions | Refusal {
  const { windowHours, targetKpi, rollbackKpi, minSampleRows } = { ...kpiDefaults, ...given };
  if (targetKpi <= rollbackKpi) {
    return refuse("input_invalid", {
      message: `--target-kpi is ${targetKpi}, but it must be greater than --rollback-kpi, which is ${rollbackKpi}`,
    });
  }
  const options = { windowHours, targetKpi, rollbackKpi, minSampleRows };
  const named = optionalText(nowText);
  if (named === undefined && nowText === undefined) return options;
  const now = parseInstant(named ?? "");
  if (now !== undefined) return { ...options, now };
  return refuse("input_invalid", {
    message: `--now must be RFC3339: ${quoted(nowText)} is not`,
    hint: "Write it like 2026-01-31T09:30:00Z.",
  });
}

/** As a bad invocation: what was asked for cannot be answered from what was given. */
function damaged({ damageCount }: TrajectoryAnswer, warning: string): Refusal {
  const [finding = "", ...advice] = warning.split("\n");
  return refuse("input_invalid", {
    message: finding.replace(/\.$/, ""),
    hint: `No KPI is reported on a part of the rows. ${advice.join(" ")}`,
    detail: { damageCount },
  });
}

function unreadable(error: unknown): Refusal {
  if (!(error instanceof Failure)) throw error;
  if (error.failureClass !== "file_not_regular" && error.failureClass !== "file_unreadable") throw error;
  return refuse("input_invalid", {
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    detail: { failureClass: error.failureClass },
  });
}

function decisionText(state: KpiReport["decision"]["state"], paint: Paint): string {
  switch (state) {
    case "pass":
      return paint.good(state);
    case "rollback":
      return paint.bad(state);
    case "watch":
    case "insufficient_data":
      return paint.note(state);
  }
}

function rollbackLine({ since, remediation }: NonNullable<KpiReport["rollback"]>, paint: Paint): string {
  if (remediation === null) {
    return `  ${paint.bad("expansion is paused")} since ${since}, until \`premath harness-kpi remediate --issue <id> --reason <text>\``;
  }
  const { issueId, reason, recordedAt } = remediation;
  return `  remediated at ${recordedAt}${issueId === null ? "" : ` by ${issueId}`}${reason === null ? "" : `: ${reason}`}`;
}
