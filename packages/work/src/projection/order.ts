/** The order of a projection: newest first, then by stepId, then by action, then as they stand in the file. */
import { compareCodePoints, compareInstants, type Instant } from "@bridle/record";
import type { Step } from "../types.js";

export interface PlacedStep {
  readonly step: Step;
  /** `step.finishedAt`, as a point in time: two spellings of one instant are equal. */
  readonly finished: Instant;
  readonly byte: number;
}

export function comparePlaced(left: PlacedStep, right: PlacedStep): number {
  return (
    compareInstants(right.finished, left.finished) ||
    compareCodePoints(left.step.stepId, right.step.stepId) ||
    compareCodePoints(left.step.action, right.step.action) ||
    left.byte - right.byte
  );
}
