/**
 * Which calls of a session were asked in vain.
 *
 * A tape is written before anybody acts on an answer, and the log of an agent with
 * what follows, so a crash may leave answers on the tape that no log knows. Who
 * takes up the session asks again from where the log ends, and what the tape has
 * from that place on belongs to a course that nobody took.
 */
import type { CallRow } from "./row.js";

export interface Placed {
  readonly calls: readonly Pick<CallRow, "place">[];
  /** Of the last one that counts. */
  readonly place?: number;
}

/** By their index. */
export function voidCalls({ calls, place: last }: Placed): ReadonlySet<number> {
  const gone = new Set<number>();
  const kept: number[] = [];
  for (const [index, { place }] of calls.entries()) {
    while (place !== undefined && isFrom(place, calls[kept.at(-1) ?? -1])) gone.add(kept.pop() as number);
    kept.push(index);
  }
  for (const index of kept) if (last !== undefined && isFrom(last + 1, calls[index])) gone.add(index);
  return gone;
}

function isFrom(place: number, call: Pick<CallRow, "place"> | undefined): boolean {
  return call?.place !== undefined && call.place >= place;
}
