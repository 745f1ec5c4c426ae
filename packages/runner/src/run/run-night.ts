/** A run from its beginning to its end: one coordinator a repository, its workers, and a last word in the journal. */
import { join } from "node:path";
import {
  compareCodePoints,
  Failure,
  isRefusal,
  type JsonObject,
  Lock,
  refuse,
  type Refusal,
} from "@bridle/record";
import { workGate } from "@bridle/work";
import { Journal } from "../journal/journal.js";
import { IssueDoor } from "../live/issue-door.js";
import { worktreesFolder } from "../repository/worktrees.js";
import { coordinate, type Coordinating, type RunEnd, type Slot } from "./coordinate.js";
import { beginRun, type RunRequest, type Surroundings, type Workplace } from "./open-worker.js";
import { readyRuns } from "./run-files.js";
import { hasUnsettledRuns } from "./settle-runs.js";

export interface NightRequest
  extends
    Pick<RunRequest, "merge" | "parallel">,
    Pick<Coordinating, "budgets" | "workerWords" | "stepsPerWorker" | "roundsMax" | "onEvent" | "onRow"> {
  readonly workerPrefix: string;
  /** Worktrees of the user's choice; one for each of `parallel` workers when there are none. */
  readonly worktrees: readonly string[];
}

export interface Night extends RunEnd {
  readonly run: string;
}

export async function runNight(
  place: Workplace,
  request: NightRequest,
  around: Surroundings,
): Promise<Night | Refusal> {
  const { ports } = around;
  await readyRuns(place.runs, ports);
  const path = join(place.runs, "coordinator.lock");
  const lock = new Lock({ path, name: "the coordinator's place", ports, waitMsMax: 50 });
  const held = await lock.acquire().catch((error: unknown) => {
    if (error instanceof Failure && error.failureClass === "lock_busy") return undefined;
    throw error;
  });
  if (held === undefined)
    return refuse("run_busy", {
      message: `another coordinator works on ${place.repository.mainTree}`,
      hint: "`bridle work status` shows what it does, `bridle work stop` ends it.",
    });
  try {
    return await begun(place, request, around);
  } finally {
    await held.release();
  }
}

async function begun(
  place: Workplace,
  request: NightRequest,
  { env, ports, signal, say }: Surroundings,
): Promise<Night | Refusal> {
  const { repository } = place;
  const files = await beginRun(place, request, ports);
  const journal = await Journal.open(files.journal, ports, say);
  const note = (effect: string, data: JsonObject) =>
    journal.append({ kind: "note", worker: "coordinator", effect, data });
  const { mutationGate } = await workGate();
  // The coordinator only reads: what it would change, the gate refuses.
  const issues = new IssueDoor({
    ...{ gates: [mutationGate], mainTree: repository.mainTree, env, ports, warn: say },
  });
  try {
    await note("run_started", { process: { ...(await ports.processes.self()) } });
    const end = await coordinate({
      ...{ ...request, files, issues, cwd: repository.mainTree, env, ports, signal },
      slots: await slotsOf(place, request, { env, ports }),
      unsettled: await hasUnsettledRuns(place.runs, files.run, ports),
      async onEvent(event) {
        await note("attention", event);
        await request.onEvent(event);
      },
    });
    if (isRefusal(end)) return end;
    await note("run_ended", { ...end });
    return { run: files.run, ...end };
  } finally {
    await issues.close();
    await journal.close();
  }
}

/** One place a worktree, in the order of the paths. */
export async function slotsOf(
  { repository }: Pick<Workplace, "repository">,
  { worktrees, parallel, workerPrefix }: Pick<NightRequest, "worktrees" | "parallel" | "workerPrefix">,
  { env, ports }: Pick<Surroundings, "env" | "ports">,
): Promise<Slot[]> {
  const own = await worktreesFolder(repository, env, ports);
  const made = Array.from({ length: parallel }, (_, at) => join(own, `${workerPrefix}.${at + 1}`));
  const folders = worktrees.length === 0 ? made : [...new Set(worktrees)].sort(compareCodePoints);
  return folders.map((worktree, at) => ({ worktree, index: at + 1, worker: `${workerPrefix}.${at + 1}` }));
}
