/**
 * A worker's life: it ends what was left undone, then takes step after step until there is nothing to claim, a bound is
 * reached, or somebody wants it to stop. All of it is in the journal.
 */
import { join } from "node:path";
import { Lock } from "@bridle/record";
import { returnAttempts } from "@bridle/work";
import type { WorkerContext } from "../live/context.js";
import { LiveWorld } from "../live/world.js";
import { removeBranches, unmergedAttempts } from "../repository/branches.js";
import { isUnfit } from "../step/costless.js";
import { driveStep } from "../step/drive.js";
import { newStep, stepFrom, unfinishedSteps } from "../step/state.js";
import type { StepEnd, StepRules, StepState } from "../types.js";
import { boot } from "./boot.js";
import { type Rest, restOf } from "./preset-rest.js";
import type { RunFiles } from "./run-files.js";
import { type Budgets, boundReached, spentIn } from "./spent.js";

export interface WorkerOptions {
  readonly files: RunFiles;
  readonly rules: StepRules;
  readonly budgets: Budgets;
  readonly stepsMax: number;
  readonly continueOnFailure: boolean;
  /** Told before each effect. */
  onEffect?(step: StepState, effect: string): void;
  /** Told after each step. */
  onStep?(step: StepState, end: StepEnd | undefined): void;
}

export interface WorkerEnd {
  /** Why it takes no more steps. */
  readonly because:
    | "idle"
    | "steps"
    | "failed"
    | "bound"
    | "wish"
    | "rest"
    | "aborted"
    | "unclaimed"
    | "unfit";
  readonly steps: number;
  readonly completed: number;
  readonly failed: number;
  /** Why nothing can be worked on here. */
  readonly unfit?: { readonly class: string; readonly message: string };
}

export async function workerLoop(context: WorkerContext, options: WorkerOptions): Promise<WorkerEnd> {
  const end = await untilOver(context, options);
  await removeReplaced(context);
  return end;
}

/** Branches of attempts at issues that were verified and merged since. */
async function removeReplaced({ issues, repository }: WorkerContext): Promise<void> {
  const graph = await issues.graph();
  const nodes = [...(graph?.nodes() ?? [])];
  const done = nodes.filter(({ status, issue }) => status === "closed" && "verified" in issue);
  const attempts = await unmergedAttempts(
    repository,
    done.map(({ id }) => id),
  );
  const replaced = attempts.filter(({ issueId }) => issueId !== undefined);
  await removeBranches(
    replaced.map(({ branch }) => branch),
    repository,
  );
}

async function untilOver(context: WorkerContext, options: WorkerOptions): Promise<WorkerEnd> {
  const { journal, worker, run, ports, signal } = context;
  const tally = { steps: 0, completed: 0, failed: 0 };
  const end = (because: WorkerEnd["because"], unfit?: WorkerEnd["unfit"]): WorkerEnd => ({
    ...{ because, ...tally },
    ...(unfit === undefined ? {} : { unfit }),
  });
  await journal.append({
    ...{ kind: "note", worker, effect: "worker_started" },
    data: {
      ...{ process: { ...(await ports.processes.self()) }, worktree: context.worktree.folder },
      policyDigest: context.policy.policyDigest,
    },
  });
  const { unfit } = await boot(context, options.rules);
  if (unfit !== null && !signal.aborted) {
    await journal.append({ kind: "note", worker, effect: "unfit", data: { ...unfit } });
    return end("unfit", unfit);
  }
  const drive = (step: StepState) => driven(step, context, options);
  const count = (ended: StepEnd | undefined) => {
    if (ended === "completed" || ended === "parked") tally.completed += 1;
    if (ended === "failed") tally.failed += 1;
  };
  for (const step of unfinishedSteps(await journal.rows()).filter((each) => each.worker === worker)) {
    const { ended } = await drive(step);
    count(ended);
    if (ended === "failed" && !options.continueOnFailure) return end("failed");
  }
  while (tally.steps < options.stepsMax) {
    if (signal.aborted) return end("aborted");
    if ((await options.files.wished()) !== "go") return end("wish");
    const rows = await journal.rows();
    const nowMs = await ports.clock.now();
    if (boundReached(spentIn(rows), options.budgets, nowMs) !== undefined) return end("bound");
    const rest = restOf(rows, nowMs);
    if (rest !== undefined) {
      if (rest.because === "failing") await giveAttemptsBack(rest.issues, context);
      return end("rest");
    }
    const made = new Set(rows.flatMap((row) => (row.worker === worker ? (row.step ?? []) : []))).size;
    const { ended, after } = await drive(newStep(`${run}.${worker}.${made + 1}`, worker));
    if (ended === undefined || signal.aborted) {
      count(ended);
      return end("aborted");
    }
    if (ended === "idle") return end("idle");
    if (ended === "failed" && after.claimed === undefined) return end("unclaimed", after.failure);
    tally.steps += 1;
    count(ended);
    if (after.failure !== undefined && isUnfit(after.failure.class)) return end("unfit", after.failure);
    if (ended === "failed" && !options.continueOnFailure) return end("failed");
    const waitMs = after.done.get("give_back")?.["waitMs"];
    if (typeof waitMs === "number" && tally.steps < options.stepsMax) await ports.clock.sleep(waitMs, signal);
  }
  return end("steps");
}

/** Of issues that a dead login failed on: once, whichever worker finds it first. */
export async function giveAttemptsBack(
  failing: Rest["issues"],
  context: Pick<WorkerContext, "journal" | "issues" | "worker" | "runFolder" | "ports">,
): Promise<void> {
  const { journal, issues, worker, runFolder, ports } = context;
  const lock = new Lock({
    path: join(runFolder, "attempts.lock"),
    name: "the giving back of attempts",
    ports,
  });
  const held = await lock.acquire();
  try {
    const rows = await journal.rows();
    const since = rows.findLastIndex(({ effect }) => effect === "resumed");
    if (rows.slice(since + 1).some(({ effect }) => effect === "attempts_returned")) return;
    const data = { issues: failing.map(({ id }) => id) };
    await journal.append({ kind: "note", worker, effect: "attempts_returned", data });
    const store = await issues.store();
    for (const { id, failures } of failing) await store.change(returnAttempts(id, failures));
  } finally {
    await held.release();
  }
}

async function driven(step: StepState, context: WorkerContext, options: WorkerOptions) {
  const { journal, signal, worker } = context;
  const world = new LiveWorld(context);
  const { rules, onStep, onEffect } = options;
  const told = onEffect === undefined ? {} : { onEffect };
  const ended = await driveStep(step, { journal, world, rules, signal, ...told });
  const after = stepFrom(step.id, worker, await journal.rows());
  onStep?.(after, ended);
  return { ended, after };
}
