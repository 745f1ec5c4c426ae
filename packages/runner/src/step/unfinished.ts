/** The steps of a journal that have not ended, the earliest first. Pure. */
import type { JournalRow, StepState } from "../types.js";
import { newStep, withRow } from "./state.js";

export function unfinishedSteps(rows: Iterable<JournalRow>): StepState[] {
  const steps = new Map<string, StepState>();
  for (const row of rows) {
    if (row.step === undefined) continue;
    if (row.kind === "note" && row.effect === "lost") steps.delete(row.step);
    else if (row.kind !== "note")
      steps.set(row.step, withRow(steps.get(row.step) ?? newStep(row.step, row.worker), row));
  }
  return [...steps.values()].filter(
    ({ over, failure, claimed }) => over === undefined && !(failure !== undefined && claimed === undefined),
  );
}
