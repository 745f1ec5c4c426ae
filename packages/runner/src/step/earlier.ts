/** What steps before this one did to the same issue, as the journal tells it. */
import type { Facts, JournalRow, StepState } from "../types.js";

type EarlierMerge = NonNullable<Facts["earlier"]>;

/** Changes of the issue that other steps checked and were about to move the target to, the latest first. */
export function earlierMerges(rows: readonly JournalRow[], { id, claimed }: StepState): EarlierMerge[] {
  if (claimed === undefined) return [];
  const steps = new Set<string>();
  const found: EarlierMerge[] = [];
  for (const { kind, effect, step, data } of rows) {
    if (step === undefined || step === id) continue;
    if (effect === "claim" && data["issueId"] === claimed.issueId) steps.add(step);
    if (!steps.has(step)) continue;
    if (effect !== "move" || kind !== "intent") continue;
    found.push({ step, candidate: String(data["candidate"]), onto: String(data["onto"]) });
  }
  return found.reverse();
}
