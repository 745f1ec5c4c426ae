/** `premath harness-trajectory query`: the newest steps, the failed ones, or those that call for a retry. */
import { join } from "node:path";
import { type Call, columns, defineOperation, type Paint } from "@bridle/operation";
import { grouped, isJsonObject } from "@bridle/record";
import * as Type from "typebox";
import { engineFor } from "../store/open.js";
import { workLimits } from "../limits.js";
import { damageWarning } from "../projection/damage-warning.js";
import { isOfLineage } from "../projection/of-lineage.js";
import { meaningOf } from "../projection/result-class.js";
import { projectionKind, type Step, TrajectoryProjection } from "../types.js";
import { readSmallJson } from "../small-file.js";
import {
  pathInput,
  rootInput,
  sessionDefault,
  sessionPlace,
  trajectoryDefault,
  trajectoryPlace,
} from "../calls/place.js";
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
    {
      command: "premath harness-trajectory query --lineage ctx://issue/bd-5",
      says: "every step and session of bd-5",
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
      lineage: Type.Optional(
        Type.String({
          ...{ minLength: 1, "x-placeholder": "ref" },
          description:
            "Only rows and sessions of this lineage, such as ctx://issue/bd-5 or a whole ref of a row; all when left out.",
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
    const { mode = "latest", limit = workLimits.queryItemsDefault, lineage } = input;
    const { path, shown } = await trajectoryPlace(input, call);
    const steps = await engineFor(call.ports).steps({
      path,
      ports: call.ports,
    });
    const total = (await call.ports.files.stat(path))?.size ?? 0;
    const answer = await steps.query({
      ...(lineage === undefined ? {} : { lineage }),
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
      ...(lineage === undefined ? {} : { sessions: await sessionsOf(lineage, input.root, call) }),
    };
  },
  present(projection, paint) {
    const { items, totalCount, failedCount, retryNeededCount, path, sessions = [] } = projection;
    if (totalCount === 0) return `  no steps in ${path}`;
    const lines =
      items.length === 0 ? [] : columns([heading(paint), ...items.map((step) => tableRow(step, paint))]);
    const counts = [
      `${grouped(items.length)} of ${counted(totalCount, "step", "steps")}`,
      `${grouped(failedCount)} failed`,
      `${grouped(retryNeededCount)} to retry`,
    ];
    const joined = sessions.map(
      ({ sessionId, state, path: at }) => `  ${paint.dim("session")} ${cell(sessionId)} ${state} ${cell(at)}`,
    );
    return [...lines, ...joined, `  ${counts.join(" · ")}`].join("\n");
  },
});

/** Sessions of this tree and of its git worktrees, each of which may have one of its own. */
async function sessionsOf(lineage: string, root: string | undefined, call: Call) {
  const place = await sessionPlace(root === undefined ? {} : { root }, call);
  const paths = new Set([place.path]);
  const listed = await call.ports.git?.run(call.cwd, ["worktree", "list", "--porcelain", "-z"]);
  for (const line of Buffer.from(listed?.stdout ?? [])
    .toString("utf8")
    .split("\0"))
    if (line.startsWith("worktree ")) paths.add(join(line.slice("worktree ".length), sessionDefault));
  const found = [];
  for (const path of [...paths].sort()) {
    const value = await readSmallJson(path, call.ports.files);
    if (!isJsonObject(value) || !isOfLineage(value, lineage)) continue;
    const { sessionId, state, issueId } = value;
    found.push({
      ...{
        path,
        sessionId: String(sessionId),
        state: state === "active" ? ("active" as const) : ("stopped" as const),
      },
      ...(typeof issueId === "string" ? { issueId } : {}),
    });
  }
  return found;
}

function heading(paint: Paint): string[] {
  return ["finished", "result", "step", "action", "issue"].map((name) => paint.dim(name));
}

function tableRow(step: Step, paint: Paint): string[] {
  const { failed, retryNeeded } = meaningOf(step.resultClass);
  const result = cell(step.resultClass);
  const painted = retryNeeded ? paint.note(result) : failed ? paint.bad(result) : paint.good(result);
  return [cell(step.finishedAt), painted, cell(step.stepId), cell(step.action), cell(step.issueId ?? "")];
}
