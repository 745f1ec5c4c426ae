/**
 * Drives one step to its end: look, ask what comes next, write the intent, do it, write the outcome.
 *
 * It holds no state of its own beyond the journal's rows, so that a process that takes over after a crash calls this
 * with the same rows and goes on.
 */
import { Failure, type JsonObject } from "@bridle/record";
import type { Journal } from "../journal/journal.js";
import type { EffectName, StepEnd, StepRules, StepState, World } from "../types.js";
import { next } from "./next.js";
import { stopNow } from "./settling.js";
import { withRow } from "./state.js";

export interface Driving {
  readonly journal: Journal;
  readonly world: World;
  readonly rules: StepRules;
  /** Aborted, the step is ended in order, without beginning anything that takes long. */
  readonly signal?: AbortSignal;
  /** Told before each effect, once its intent is on disk. */
  onEffect?(step: StepState, effect: EffectName): void;
  /** For the simulator, which plants mistakes; the real function when left out. */
  readonly decide?: typeof next;
}

const merging: readonly EffectName[] = ["merge", "checks", "branch_checks", "move"];

/** Undefined when it was stopped on the way. */
export async function driveStep(begun: StepState, driving: Driving): Promise<StepEnd | undefined> {
  const { journal, world, rules, signal, decide = next } = driving;
  let step = begun;
  let holding = false;
  const write = async (kind: "intent" | "outcome", effect: EffectName, data: JsonObject) => {
    step = withRow(step, await journal.append({ kind, worker: step.worker, step: step.id, effect, data }));
  };
  try {
    for (;;) {
      const stopping = signal?.aborted === true;
      if (stopping && step.claimed === undefined && step.doubt === undefined) return undefined;
      const judge = stopping ? stopNow : decide;
      let facts = await world.look(step);
      let coming = judge(step, facts, rules);
      if (coming.kind !== "over" && merging.includes(coming.effect) !== holding) {
        if (holding) await world.leaveTurnToMerge();
        else if (!(await world.takeTurnToMerge())) continue;
        holding = !holding;
        // What was true before the wait may not be true now.
        facts = await world.look(step);
        coming = judge(step, facts, rules);
        if (coming.kind !== "over" && merging.includes(coming.effect) !== holding) continue;
      }
      if (coming.kind === "over") {
        if (step.over === undefined && coming.how === "lost") {
          await journal.append({
            kind: "note",
            worker: step.worker,
            step: step.id,
            effect: "lost",
            data: { issueId: step.claimed?.issueId ?? null },
          });
        }
        return coming.how;
      }
      if (coming.kind === "settled") {
        await write("outcome", coming.effect, { ...coming.outcome, settled: true });
        continue;
      }
      await write("intent", coming.effect, coming.plan);
      driving.onEffect?.(step, coming.effect);
      await write("outcome", coming.effect, await outcomeOf(coming.effect, coming.plan, step, driving));
    }
  } finally {
    if (holding) await world.leaveTurnToMerge();
  }
}

/** What the outside world broke becomes the step's failure; what we broke ourselves is thrown on. */
async function outcomeOf(
  effect: EffectName,
  plan: JsonObject,
  step: StepState,
  { world, signal }: Driving,
): Promise<JsonObject> {
  try {
    return (await world.perform(effect, plan, step)) as JsonObject;
  } catch (error) {
    if (signal?.aborted === true)
      return { failed: { class: "work_interrupted", message: "the run was stopped" } };
    if (!(error instanceof Failure)) throw error;
    const { refused, message } = error.toRefusal();
    return { failed: { class: refused, message } };
  }
}
