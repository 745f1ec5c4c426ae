/** Steps and refusals of an episode in the order in which they happened: a refusal comes before the step that it did not become. */
import type { RunEpisode } from "../run/types.js";
import type { RefusalRecord, StepRecord } from "../types.js";

export type Moment =
  | { readonly kind: "step"; readonly id: string; readonly step: StepRecord }
  | {
      readonly kind: "refusal";
      /** Refusals have no id of their own. */
      readonly id: string;
      readonly refusal: RefusalRecord;
      /** From 1, among those before one step. */
      readonly ordinal: number;
    };

export function timelineOf({ steps, refusals }: RunEpisode): Moment[] {
  const waiting = [...refusals];
  const moments: Moment[] = [];
  for (const step of steps) {
    for (let ordinal = 1; waiting[0]?.step_index === step.step_index; ordinal++) {
      const refusal = waiting.shift() as RefusalRecord;
      const id = `r-${String(step.step_index).padStart(4, "0")}-${ordinal}`;
      moments.push({ kind: "refusal", id, refusal, ordinal });
    }
    moments.push({ kind: "step", id: step.step_id, step });
  }
  return moments;
}
