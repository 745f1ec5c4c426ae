/**
 * A worker's life: it ends what its last step left undone, then takes step after step until there is nothing to
 * claim, a bound is reached, or somebody wants it to stop. All of it is in the journal.
 */
import type { StepEnd, StepRules, StepState } from "../types.js";
import { driveStep } from "../step/drive.js";
import { newStep, stepFrom } from "../step/state.js";
import type { WorkerContext } from "../live/context.js";
import { LiveWorld } from "../live/world.js";
import { restOf } from "./preset-rest.js";
import type { RunFiles } from "./run-files.js";
import { type Budgets, boundReached, spentIn } from "./spent.js";

export interface WorkerOptions {
  readonly files: RunFiles;
  readonly rules: StepRules;
  readonly budgets: Budgets;
  readonly stepsMax: number;
  readonly continueOnFailure: boolean;
  /** Told after each step. */
  onStep?(step: StepState, end: StepEnd | undefined): void;
}

export interface WorkerEnd {
  /** Why it takes no more steps. */
  readonly because: "idle" | "steps" | "failed" | "bound" | "wish" | "rest" | "aborted" | "unclaimed";
  readonly steps: number;
  readonly completed: number;
  readonly failed: number;
}

export async function workerLoop(context: WorkerContext, options: WorkerOptions): Promise<WorkerEnd> {
  const { journal, worker, ports, signal } = context;
  const world = new LiveWorld(context);
  const driving = { journal, world, rules: options.rules, signal };
  const tally = { steps: 0, completed: 0, failed: 0 };
  const end = (because: WorkerEnd["because"]): WorkerEnd => ({ because, ...tally });
  const own = (await journal.rows()).filter((row) => row.worker === worker);
  const ids = [...new Set(own.flatMap(({ step }) => (step === undefined ? [] : [step])))];
  let count = ids.length;
  await journal.append({
    kind: "note",
    worker,
    effect: "worker_started",
    data: { process: { ...(await ports.processes.self()) } },
  });
  const drive = async (step: StepState) => {
    const ended = await driveStep(step, driving);
    const rows = (await journal.rows()).filter((row) => row.step === step.id);
    options.onStep?.(stepFrom(step.id, worker, rows), ended);
    if (ended === "completed" || ended === "parked") tally.completed += 1;
    if (ended === "failed") tally.failed += 1;
    return { ended, claimed: rows.some((row) => typeof row.data["issueId"] === "string") };
  };
  const last = ids.at(-1);
  if (last !== undefined) {
    const { ended } = await drive(stepFrom(last, worker, own));
    if (ended === "failed" && !options.continueOnFailure) return end("failed");
  }
  while (tally.steps < options.stepsMax) {
    if (signal.aborted) return end("aborted");
    if ((await options.files.wished()) !== "go") return end("wish");
    const rows = await journal.rows();
    const nowMs = await ports.clock.now();
    if (boundReached(spentIn(rows), options.budgets, nowMs) !== undefined) return end("bound");
    if (restOf(rows, nowMs) !== undefined) return end("rest");
    const { ended, claimed } = await drive(newStep(`${worker}.${++count}`, worker));
    if (ended === undefined) return end("aborted");
    if (ended === "idle") return end("idle");
    if (ended === "failed" && !claimed) return end("unclaimed");
    tally.steps += 1;
    if (ended === "failed" && !options.continueOnFailure) return end("failed");
  }
  return end("steps");
}
