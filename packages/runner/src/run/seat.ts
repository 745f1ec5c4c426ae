/**
 * A worker's seat: only one process at a time acts in a worker's name.
 *
 * Whoever ends what a dead worker left undone sits on its seat while doing so; a seat that is taken means that the
 * worker lives, and nobody touches its steps.
 */
import { join } from "node:path";
import { Failure, type HeldLock, Lock, type Ports } from "@bridle/record";

const waitMsMax = 50;

/** Undefined when somebody sits there. */
export async function takeSeat(runs: string, worker: string, ports: Ports): Promise<HeldLock | undefined> {
  const path = join(runs, `worker-${encodeURIComponent(worker)}.lock`);
  const lock = new Lock({ path, name: `the seat of ${worker}`, ports, waitMsMax });
  try {
    return await lock.acquire();
  } catch (error) {
    if (error instanceof Failure && error.failureClass === "lock_busy") return undefined;
    throw error;
  }
}
