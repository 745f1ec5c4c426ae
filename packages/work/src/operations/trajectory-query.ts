/** `premath harness-trajectory query`: the newest steps, the failed ones, or those that call for a retry. */
import { columns, defineOperation, type Paint } from "@bridle/operation";
import { grouped } from "@bridle/record";
import * as Type from "typebox";
import { engineFor } from "../store/open.js";
import { workLimits } from "../limits.js";
import { damageWarning } from "../projection/damage-warning.js";
import { meaningOf } from "../projection/result-class.js";
import { projectionKind, type Step, TrajectoryProjection } from "../types.js";
import { pathInput, rootInput, trajectoryDefault, trajectoryPlace } from "../calls/place.js";
import { cell, counted } from "./text-layout.js";

export const trajectoryQuery = defineOperation({
  names: {
    id: "op/harness.trajectory_query",
    action: "harness.trajectory.query",
    command: ["harness-trajectory", "query"],
    tool: "harness_trajectory_query",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Show the newest, the failed or the retry-needed steps.",
  description:
    "Newest first by finishedAt, then by step id, then by action. The counts are over all rows; --limit shortens the " +
    "list only. A line that is no step is named in `damage` and on stderr, and every other row is answered. A " +
    "trajectory that is not there yet has no rows.",
  examples: [
    { command: "premath harness-trajectory query", says: "the 20 newest steps" },
    {
      command: "premath harness-trajectory query --mode failed --limit 5 --json",
      says: "the last five that failed",
    },
  ],
  input: Type.Object(
    {
      path: pathInput("The trajectory", trajectoryDefault),
      mode: Type.Optional(
        Type.Enum(["latest", "failed", "retry-needed"], {
          default: "latest",
          description:
            "Which rows: all of them, those that failed, those that call for a retry; latest when left out.",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: workLimits.queryItemsMax,
          default: workLimits.queryItemsDefault,
          description: `Rows at most, ${workLimits.queryItemsDefault} when left out.`,
        }),
      ),
      root: rootInput,
    },
    { additionalProperties: false },
  ),
  output: TrajectoryProjection,
  async run(input, call) {
    const { mode = "latest", limit = workLimits.queryItemsDefault } = input;
    const { path, shown } = await trajectoryPlace(input, call);
    const steps = await engineFor(call.ports).steps({
      path,
      ports: call.ports,
    });
    const total = (await call.ports.files.stat(path))?.size ?? 0;
    const answer = await steps.query({
      mode,
      limit,
      reading(byte) {
        call.signal.throwIfAborted();
        call.progress({ doing: `indexing ${shown}`, done: byte, total });
      },
    });
    const warning = damageWarning(answer, shown);
    if (warning !== undefined) call.warn(warning);
    return {
      action: "harness-trajectory.query" as const,
      path: shown,
      projectionKind: projectionKind as typeof projectionKind,
      mode,
      count: answer.items.length,
      totalCount: answer.totalCount,
      failedCount: answer.failedCount,
      retryNeededCount: answer.retryNeededCount,
      items: [...answer.items],
      damage: answer.damage.map(({ line, byte, problem }) => ({ line, byte, problem })),
      damageCount: answer.damageCount,
    };
  },
  present(projection, paint) {
    const { items, totalCount, failedCount, retryNeededCount, path } = projection;
    if (totalCount === 0) return `  no steps in ${path}`;
    const lines =
      items.length === 0 ? [] : columns([heading(paint), ...items.map((step) => tableRow(step, paint))]);
    const counts = [
      `${grouped(items.length)} of ${counted(totalCount, "step", "steps")}`,
      `${grouped(failedCount)} failed`,
      `${grouped(retryNeededCount)} to retry`,
    ];
    return [...lines, `  ${counts.join(" · ")}`].join("\n");
  },
});

function heading(paint: Paint): string[] {
  return ["finished", "result", "step", "action", "issue"].map((name) => paint.dim(name));
}

function tableRow(step: Step, paint: Paint): string[] {
  const { failed, retryNeeded } = meaningOf(step.resultClass);
  const result = cell(step.resultClass);
  const painted = retryNeeded ? paint.note(result) : failed ? paint.bad(result) : paint.good(result);
  return [cell(step.finishedAt), painted, cell(step.stepId), cell(step.action), cell(step.issueId ?? "")];
}
