/**
 * What the index remembers of each block of a trajectory: enough to count
 * without reading it, and to know whether it can hold one of the newest rows.
 *
 * Summarising runs once over every row of the file, so it makes no objects per row.
 */
import { compareInstants, type Entry, type Instant, type Summarizer } from "@bridle/record";
import { workLimits } from "../limits.js";
import type { TrajectoryMode } from "../types.js";
import { ResultMeanings } from "./result-class.js";
import { StepReader } from "./step.js";

/** Seconds and fraction of the greatest `finishedAt`; null where a block has no such row. */
type Newest = readonly [seconds: number, fraction: string] | null;

export type BlockSummary = {
  readonly steps: number;
  readonly failed: number;
  readonly retryNeeded: number;
  readonly newest: { readonly [mode in TrajectoryMode]: Newest };
  /** Rows that are no step: line, byte and what is wrong; the first ones. */
  readonly invalid: readonly (readonly [line: number, byte: number, problem: string])[];
  readonly invalidCount: number;
};

/** A new name rebuilds the indexes that an older version left. */
export const trajectorySummarizer: Summarizer<BlockSummary> = {
  name: "premath.harness.trajectory.v1",
  summarize,
};

export function newestOf(summary: BlockSummary, mode: TrajectoryMode): Instant | undefined {
  const newest = summary.newest[mode];
  return newest === null ? undefined : { seconds: newest[0], fraction: newest[1] };
}

class Greatest {
  private seconds = Number.NEGATIVE_INFINITY;
  private fraction = "";

  see(instant: Instant): void {
    if (instant.seconds < this.seconds) return;
    if (instant.seconds === this.seconds && compareInstants(instant, this as unknown as Instant) <= 0) return;
    this.seconds = instant.seconds;
    this.fraction = instant.fraction;
  }

  get(): Newest {
    return this.seconds === Number.NEGATIVE_INFINITY ? null : [this.seconds, this.fraction];
  }
}

const reader = new StepReader();
const meanings = new ResultMeanings();

export function summarize(entries: readonly Entry[]): BlockSummary {
  const latest = new Greatest();
  const latestFailed = new Greatest();
  const latestRetry = new Greatest();
  const invalid: [number, number, string][] = [];
  let steps = 0;
  let failed = 0;
  let retryNeeded = 0;
  let invalidCount = 0;
  for (const entry of entries) {
    if (entry.kind !== "row") continue;
    const problem = reader.problem(entry.row);
    if (problem !== undefined) {
      invalidCount++;
      if (invalid.length < workLimits.invalidPerBlockMax) invalid.push([entry.line, entry.byte, problem]);
      continue;
    }
    steps++;
    latest.see(reader.finished);
    const meaning = meanings.of(entry.row["resultClass"] as string);
    if (meaning.failed) {
      failed++;
      latestFailed.see(reader.finished);
    }
    if (meaning.retryNeeded) {
      retryNeeded++;
      latestRetry.see(reader.finished);
    }
  }
  const newest = { latest: latest.get(), failed: latestFailed.get(), "retry-needed": latestRetry.get() };
  return { steps, failed, retryNeeded, newest, invalid, invalidCount };
}
