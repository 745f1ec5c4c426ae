/**
 * Ends what dead workers left undone, in this run and in those before it. A merge that happened is not made again, and
 * work that may have happened is not repeated. A worker that lives, or may live, keeps its steps.
 */
import { join } from "node:path";
import { type HeldLock, type Ports, type ProcessIdentity, putFile } from "@bridle/record";
import * as Type from "typebox";
import { Journal } from "../journal/journal.js";
import type { WorkerContext } from "../live/context.js";
import { LiveWorld } from "../live/world.js";
import { openWorktree, worktreesFolder } from "../repository/worktrees.js";
import { driveStep } from "../step/drive.js";
import { settle } from "../step/settling.js";
import { unfinishedSteps } from "../step/state.js";
import type { JournalRow, StepEnd, StepRules, StepState } from "../types.js";
import { listRuns, RunFiles } from "./run-files.js";
import { takeSeat } from "./seat.js";

export const Settled = Type.Object({
  run: Type.String(),
  step: Type.String(),
  issueId: Type.Optional(Type.String()),
  doubt: Type.Optional(
    Type.String({ description: "The effect of which nobody knew whether it had happened." }),
  ),
  end: Type.String(),
});
export type Settled = Type.Static<typeof Settled>;

const overFile = "over";

export async function settleRuns(context: WorkerContext, rules: StepRules): Promise<Settled[]> {
  const { runs, ports, run: own } = context;
  const settled: Settled[] = [];
  for (const run of await listRuns(runs, ports)) {
    const folder = join(runs, run);
    if (run === own || (await isOver(folder, ports))) continue;
    const files = new RunFiles(folder, ports);
    const journal = await Journal.open(files.journal, ports, context.say);
    try {
      // Looked at first: somebody who lives may begin a step after we have seen that none is left undone.
      const lives = await mayLive(files, journal, ports);
      const all = await settleJournal({ ...context, run, runFolder: folder, journal }, rules, settled);
      // Nobody looks at it again.
      if (all && !lives) await putFile(join(folder, overFile), Buffer.from("\n"), ports);
    } finally {
      await journal.close();
    }
  }
  return settled;
}

/** Whether its coordinator or one of its workers may still be there. */
async function mayLive(files: RunFiles, journal: Journal, { processes }: Ports): Promise<boolean> {
  const description = await files.describe();
  const started = (await journal.rows()).filter(({ effect }) => effect === "worker_started");
  const told = [description?.coordinator, ...started.map(({ data }) => data["process"])];
  for (const each of told) {
    const identity = each as ProcessIdentity | undefined;
    if (identity !== undefined && (await processes.liveness(identity)) !== "gone") return true;
  }
  return false;
}

/** False when somebody who may live has steps there. */
async function settleJournal(context: WorkerContext, rules: StepRules, settled: Settled[]): Promise<boolean> {
  const { journal, run } = context;
  let all = true;
  for (const worker of new Set(unfinishedSteps(await journal.rows()).map((step) => step.worker))) {
    const seat = await seatOf(worker, context);
    if (seat === "taken") {
      all = false;
      continue;
    }
    try {
      // Somebody may have ended them while we came to sit here.
      const rows = await journal.rows();
      for (const step of unfinishedSteps(rows).filter((each) => each.worker === worker)) {
        const end = await settleStep(step, rows, context, rules);
        if (end === undefined) return false;
        settled.push({
          ...{ run, step: step.id, end },
          ...(step.claimed === undefined ? {} : { issueId: step.claimed.issueId }),
          ...(step.doubt === undefined ? {} : { doubt: step.doubt.effect }),
        });
      }
    } finally {
      await seat?.release();
    }
  }
  return all;
}

/** Our own seat is ours already. */
async function seatOf(
  worker: string,
  { worker: self, runs, ports }: WorkerContext,
): Promise<HeldLock | undefined | "taken"> {
  if (worker === self) return undefined;
  return (await takeSeat(runs, worker, ports)) ?? "taken";
}

async function settleStep(
  step: StepState,
  rows: readonly JournalRow[],
  context: WorkerContext,
  rules: StepRules,
): Promise<StepEnd | undefined> {
  const { journal, signal } = context;
  const worktree = await worktreeOf(step.worker, rows, context);
  const world = new LiveWorld({ ...context, worker: step.worker, worktree });
  return driveStep(step, { journal, world, rules, signal, decide: settle });
}

/** Where the worker worked, as it said when it began; made anew where that is not there any more. */
async function worktreeOf(worker: string, rows: readonly JournalRow[], context: WorkerContext) {
  const { repository, env, ports } = context;
  const begun = rows.findLast((row) => row.worker === worker && row.effect === "worker_started");
  const told = begun?.data["worktree"];
  const usual = join(await worktreesFolder(repository, env, ports), worker);
  const known = typeof told === "string" && (await ports.files.stat(told)) !== undefined;
  return openWorktree(known ? (told as string) : usual, repository, "HEAD", ports);
}

async function isOver(folder: string, { files }: Ports): Promise<boolean> {
  return (await files.stat(join(folder, overFile))) !== undefined;
}

/** Whether a run before this one was not seen to be over. */
export async function hasUnsettledRuns(runs: string, own: string, ports: Ports): Promise<boolean> {
  for (const run of await listRuns(runs, ports))
    if (run !== own && !(await isOver(join(runs, run), ports))) return true;
  return false;
}
