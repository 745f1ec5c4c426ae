/**
 * Since when the decision has been rollback without a break.
 *
 * The decision is made again at the end of every step of the window, with the
 * window that ended there. A break before the window began is not looked for: a
 * remediation that did not help for a whole window has to be recorded anew.
 */
import { compareInstants, type Instant } from "@bridle/record";
import { earlier } from "./instant-math.js";

export interface SweptRow {
  readonly at: Instant;
  readonly completed: boolean;
  /** Undefined when the row has no issue. */
  readonly worker: string | undefined;
}

export interface SweptWindow {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
  readonly windowHours: number;
}

export interface SweptCounts {
  readonly windowRows: number;
  readonly completedRows: number;
  readonly activeWorkers: number;
}

/** `rows` are those of the window and of the one before it, in any order. */
export function rollbackSince(
  rows: readonly SweptRow[],
  { windowStart, windowEnd, windowHours }: SweptWindow,
  isRollback: (counts: SweptCounts) => boolean,
): Instant {
  const ordered = [...rows].sort((left, right) => compareInstants(left.at, right.at));
  const sliding = new Sliding();
  let since: Instant | undefined;
  let oldest = 0;
  for (const [i, row] of ordered.entries()) {
    sliding.add(row);
    const next = ordered[i + 1];
    if (next !== undefined && compareInstants(next.at, row.at) === 0) continue;
    if (compareInstants(row.at, windowStart) < 0) continue;
    const start = earlier(row.at, windowHours);
    for (let old = ordered[oldest]; old && compareInstants(old.at, start) < 0; old = ordered[++oldest]) {
      sliding.remove(old);
    }
    since = isRollback(sliding.counts()) ? (since ?? row.at) : undefined;
  }
  return since ?? windowEnd;
}

class Sliding {
  private windowRows = 0;
  private completedRows = 0;
  private readonly workers = new Map<string, number>();

  add(row: SweptRow): void {
    this.count(row, 1);
  }

  remove(row: SweptRow): void {
    this.count(row, -1);
  }

  counts(): SweptCounts {
    const { windowRows, completedRows, workers } = this;
    return { windowRows, completedRows, activeWorkers: workers.size };
  }

  private count({ completed, worker }: SweptRow, by: 1 | -1): void {
    this.windowRows += by;
    if (completed) this.completedRows += by;
    if (worker === undefined) return;
    const rows = (this.workers.get(worker) ?? 0) + by;
    if (rows === 0) this.workers.delete(worker);
    else this.workers.set(worker, rows);
  }
}
