/** What waits to be done to a log: rows, decisions on its state, and tasks that want the file for themselves. */
import { limits } from "../limits.js";
import type { OpenFile } from "../ports/types.js";
import type { Appended, Decision, LogState } from "./types.js";

export interface PendingRow {
  /** Bytes are whole lines already, and go out alone. */
  readonly line: string | Uint8Array;
  readonly synced: boolean;
  readonly once: string | undefined;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

export interface PendingTask {
  readonly task: (file: OpenFile) => Promise<void>;
  readonly evenIfDamaged: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface PendingDecision {
  readonly decide: (state: LogState) => Promise<Decision<unknown>>;
  readonly getReady: (() => Promise<void>) | undefined;
  readonly synced: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export type Pending = PendingRow | PendingTask | PendingDecision;

/** Takes the rows at the head of the queue that go out in one write. */
export function takeBatch(queue: Pending[]): PendingRow[] {
  let count = 0;
  let units = 0;
  while (units < limits.batchBytesMax) {
    const next = queue[count];
    if (next === undefined || !("line" in next)) break;
    // A row that must not stand twice is looked up when everything before it is in the file.
    const alone = next.once !== undefined || typeof next.line !== "string";
    if (alone && count > 0) break;
    count++;
    units += next.line.length;
    if (alone) break;
  }
  return queue.splice(0, count) as PendingRow[];
}

export function bytesOf(batch: readonly PendingRow[]): Uint8Array {
  const [first] = batch;
  if (first !== undefined && typeof first.line !== "string") return first.line;
  const text = batch.length === 1 ? first?.line : batch.map((row) => row.line).join("\n");
  return Buffer.from(`${text}\n`);
}
