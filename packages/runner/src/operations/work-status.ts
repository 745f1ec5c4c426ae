/** `bridle work status`: what each worker does and how long, what is left, what it cost, and what needs a person. */
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { IssueDoor, withIssues } from "../live/issue-door.js";
import { unmergedAttempts } from "../repository/branches.js";
import { runState, type RunState } from "../run/status.js";
import { flag, flags, named, nullable, reading } from "./define.js";
import { rowsOf, type RunOf, runOf, runOfInput } from "./run-of.js";

const WorkerRow = Type.Object({
  worker: Type.String(),
  issueId: nullable(Type.String()),
  title: Type.String(),
  doing: nullable(Type.String({ description: "The effect that it is in." })),
  seconds: nullable(Type.Integer({ description: "For how long." })),
});

const output = Type.Object({
  action: Type.Literal("work.status"),
  run: Type.String(),
  state: Type.Enum(["running", "paused", "stopping", "over"]),
  target: Type.String(),
  workers: Type.Array(WorkerRow),
  queue: Type.Object({
    ready: Type.Integer(),
    inProgress: Type.Integer(),
    blocked: Type.Integer(),
    closed: Type.Integer(),
  }),
  completed: Type.Integer(),
  parked: Type.Integer(),
  failed: Type.Integer(),
  costUsd: Type.Number(),
  unpricedSteps: Type.Integer({ description: "Steps of which nobody knows what they cost." }),
  resting: nullable(Type.String({ description: "Why the tool that does the work rests." })),
  kpi: nullable(
    Type.Object({ state: Type.String(), value: Type.Number() }, { description: "As `harness-kpi` says." }),
  ),
  attention: Type.Array(Type.Object({ issueId: Type.String(), says: Type.String() })),
});
type Status = Type.Static<typeof output>;

export const workStatus = defineOperation({
  names: named("work", "status"),
  ...reading,
  summary: "Show what a run is doing.",
  description:
    "From its journal and issue memory, so from any terminal and also after it ended. With --follow every row of the " +
    "journal is shown as it comes.",
  examples: [{ command: "bridle work status", says: "of the latest run" }],
  input: flags({
    ...runOfInput,
    follow: flag("Show the journal's rows as they come, until the run is over."),
  }),
  output,
  async run(given, call) {
    const found = await runOf(given, call);
    if (isRefusal(found)) return found;
    if (given.follow === true) await follow(found, given, call);
    return statusOf(found, call);
  },
  present: presentStatus,
});

async function statusOf(found: RunOf, call: Call): Promise<Status> {
  const { files, description, alive, repository } = found;
  const nowMs = await call.ports.clock.now();
  const state = runState(await rowsOf(files, call), nowMs);
  const queue = await queueOf(repository.mainTree, call);
  const wish = await files.wished();
  const ended = (how: string) => state.ended.filter(({ end }) => end === how).length;
  return {
    action: "work.status",
    run: files.run,
    state: !alive ? "over" : wish === "go" ? "running" : wish === "pause" ? "paused" : "stopping",
    target: description.target,
    workers: alive ? state.workers.map((each) => workerRow(each, nowMs)) : [],
    queue: queue.counts,
    ...{ completed: ended("completed"), parked: ended("parked"), failed: ended("failed") },
    ...{ costUsd: round(state.spent.costUsd), unpricedSteps: state.spent.unpricedSteps },
    resting: state.rest === undefined ? null : state.rest.because,
    kpi: await kpiOf(repository.mainTree, call),
    attention: [
      ...eachOnce([...lastFailures(state, queue.open), ...queue.attention]),
      ...(await leftBranches(repository, queue)),
    ],
  };
}

function workerRow(worker: RunState["workers"][number], nowMs: number): Status["workers"][number] {
  const { issueId = null, title = "", doing = null, sinceMs } = worker;
  const seconds = sinceMs === undefined ? null : Math.max(0, Math.round((nowMs - sinceMs) / 1_000));
  return { worker: worker.worker, issueId, title, doing, seconds };
}

/** Null while there is no trajectory, or where it cannot be read whole. */
async function kpiOf(mainTree: string, { ports, env }: Call): Promise<Status["kpi"]> {
  const door = new IssueDoor({ gates: [], mainTree, env, ports, warn() {} });
  try {
    const report = await door.call("harness.kpi.report", {});
    if (isRefusal(report) || !isJsonObject(report["decision"]) || !isJsonObject(report["ratios"]))
      return null;
    return { state: String(report["decision"]["state"]), value: Number(report["ratios"]["kpi"]) };
  } finally {
    await door.close();
  }
}

/** Counts of all issues, and those that wait for a person. */
function queueOf(mainTree: string, { ports }: Call) {
  return withIssues(mainTree, ports, async (store) => {
    const graph = await store.graph();
    const counts = { ready: 0, inProgress: 0, blocked: 0, closed: 0 };
    const attention: Status["attention"] = [];
    const open = new Set<string>();
    const ids: string[] = [];
    for (const { id, status, row } of graph?.nodes() ?? []) {
      ids.push(id);
      if (status === "closed") counts.closed += 1;
      else open.add(id);
      if (status === "in_progress") counts.inProgress += 1;
      if (status === "blocked") counts.blocked += 1;
      const { left, labels } = row;
      if (status === "blocked" && Array.isArray(labels) && labels.includes("review"))
        attention.push({ issueId: id, says: "verified; waits for `bridle change accept` or `reject`" });
      else if (status === "blocked" && isJsonObject(left))
        attention.push({ issueId: id, says: String(left["failure_class"]) });
    }
    counts.ready = [...(graph?.ready() ?? [])].length;
    return { counts, attention, open, ids };
  });
}

/** What this run says of an issue comes before what its row says, which may be of an attempt before. */
function eachOnce(attention: Status["attention"]): Status["attention"] {
  const first = new Map(attention.toReversed().map((each) => [each.issueId, each]));
  return [...first.values()].toReversed();
}

/** Issues whose last step failed for good. */
function lastFailures({ ended }: RunState, open: ReadonlySet<string>): Status["attention"] {
  const last = new Map(ended.map((step) => [step.issueId, step]));
  return [...last.values()]
    .filter(({ end, retry, issueId }) => end === "failed" && retry === false && open.has(issueId))
    .map(({ issueId, failure }) => ({ issueId, says: failure?.class ?? "failed" }));
}

/** Branches that nobody will merge: their issue is done without them, or gone. */
async function leftBranches(
  repository: RunOf["repository"],
  { open, ids }: { readonly open: ReadonlySet<string>; readonly ids: readonly string[] },
): Promise<Status["attention"]> {
  return (await unmergedAttempts(repository, ids))
    .filter(({ issueId }) => issueId === undefined || !open.has(issueId))
    .map(({ branch, issueId }) => ({
      issueId: issueId ?? branch,
      says: `${branch} is not merged, and nobody works on it; \`git branch -D\` when you have looked`,
    }));
}

function presentStatus(status: Status, paint: Paint): string {
  const { run, state, workers, queue, completed, parked, failed, attention } = status;
  const lines = [`  ${paint.strong(run)} ${state} ${paint.dim(`into ${status.target}`)}`];
  for (const { worker, issueId, title, doing, seconds } of workers) {
    const what =
      issueId === null ? paint.dim("idle") : `${issueId} ${doing} ${paint.dim(`${seconds} s`)}  ${title}`;
    lines.push(`  ${worker}  ${what}`);
  }
  const review = parked === 0 ? "" : `, ${parked} for review`;
  const kpi = status.kpi === null ? "" : ` · KPI ${status.kpi.value} (${status.kpi.state})`;
  lines.push(`  ${completed} completed${review}, ${failed} failed steps · ${costWords(status)}${kpi}`);
  lines.push(
    `  ${queue.ready} ready · ${queue.inProgress} in progress · ${queue.blocked} blocked · ${queue.closed} closed`,
  );
  if (status.resting !== null) lines.push(`  ${paint.bad("rests")}: ${status.resting}`);
  for (const { issueId, says } of attention) lines.push(`  ${paint.note("needs you")}: ${issueId} ${says}`);
  return lines.join("\n");
}

export function costWords({
  costUsd,
  unpricedSteps,
}: {
  readonly costUsd: number;
  readonly unpricedSteps: number;
}): string {
  const unknown =
    unpricedSteps === 0 ? "" : `, ${unpricedSteps} ${unpricedSteps === 1 ? "step" : "steps"} of unknown cost`;
  return `$${costUsd.toFixed(2)}${unknown}`;
}

const pollMs = 300;

async function follow(found: RunOf, given: { run?: string; repoRoot?: string }, call: Call): Promise<void> {
  let shown = 0;
  let { alive } = found;
  for (;;) {
    const rows = await rowsOf(found.files, call);
    for (const row of rows.slice(shown)) await call.emit?.({ ...row } as JsonObject);
    shown = rows.length;
    if (!alive || call.signal.aborted) return;
    await call.ports.clock.sleep(pollMs, call.signal);
    const again = await runOf({ ...given, run: found.files.run }, call);
    alive = !isRefusal(again) && again.alive;
  }
}

function round(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000;
}
