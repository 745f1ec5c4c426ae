/** What a run has used, and whether it may go on: pure, from its journal. */
import { momentOf } from "../journal/journal.js";
import type { JournalRow } from "../types.js";

export interface Budgets {
  readonly costUsdMax?: number;
  readonly stepsMax?: number;
  readonly minutesMax?: number;
}

export interface Spent {
  readonly steps: number;
  /** Of steps whose tool says what it cost. */
  readonly costUsd: number;
  /** Steps of which nobody knows what they cost. */
  readonly unpricedSteps: number;
  readonly sinceMs?: number;
}

export function spentIn(rows: Iterable<JournalRow>): Spent {
  const steps = new Set<string>();
  let costUsd = 0;
  let unpricedSteps = 0;
  let sinceMs: number | undefined;
  for (const { at, kind, effect, step, data } of rows) {
    sinceMs ??= momentOf(at);
    if (kind !== "outcome" || effect !== "work" || step === undefined) continue;
    steps.add(step);
    const cost = data["costUsd"];
    if (typeof cost === "number") costUsd += cost;
    else unpricedSteps += 1;
  }
  return { steps: steps.size, costUsd, unpricedSteps, ...(sinceMs === undefined ? {} : { sinceMs }) };
}

/** Which bound is reached, in a few words; undefined while none is. */
export function boundReached(spent: Spent, budgets: Budgets, nowMs: number): string | undefined {
  const { costUsdMax, stepsMax, minutesMax } = budgets;
  if (costUsdMax !== undefined && spent.costUsd >= costUsdMax)
    return `$${spent.costUsd.toFixed(2)} of $${costUsdMax.toFixed(2)} are spent`;
  if (stepsMax !== undefined && spent.steps >= stepsMax)
    return `${spent.steps} of ${stepsMax} steps are done`;
  const minutes = spent.sinceMs === undefined ? 0 : (nowMs - spent.sinceMs) / 60_000;
  if (minutesMax !== undefined && minutes >= minutesMax) return `${minutesMax} minutes are over`;
  return undefined;
}
