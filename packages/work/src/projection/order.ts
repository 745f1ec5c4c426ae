/** The order of a projection: newest first, then by stepId, then by action, then as they stand in the file. */
import { compareCodePoints, compareInstants, type Instant } from "@bridle/record";

/** What decides where a row stands. */
export interface Rank {
  readonly stepId: string;
  readonly action: string;
  /** `finishedAt` as a point in time: two spellings of one instant are equal. */
  readonly finished: Instant;
  readonly byte: number;
}

export function compareRanks(left: Rank, right: Rank): number {
  return (
    compareInstants(right.finished, left.finished) ||
    compareCodePoints(left.stepId, right.stepId) ||
    compareCodePoints(left.action, right.action) ||
    left.byte - right.byte
  );
}
