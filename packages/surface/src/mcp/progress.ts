/**
 * From `call.progress` to `notifications/progress`, when the client asked for it.
 *
 * The protocol wants numbers that only grow, and a fast operation must not flood
 * a slow client: one notification is on its way at a time, and while it is, only
 * the newest report waits. `settled` must be awaited before the answer is given,
 * because a notification after the answer belongs to nothing.
 */
import type { Progress } from "@bridle/operation";

export interface ProgressReporter {
  report(progress: Progress): void;
  settled(): Promise<void>;
}

export interface ProgressNotice {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export const silentReporter: ProgressReporter = {
  report() {},
  async settled() {},
};

export function progressReporter(send: (notice: ProgressNotice) => Promise<void>): ProgressReporter {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: ProgressNotice | undefined;
  let sending: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting !== undefined) {
      const notice = waiting;
      waiting = undefined;
      // A client that went away is noticed by the transport; the operation goes on or is aborted.
      await send(notice).catch(() => undefined);
    }
    sending = undefined;
  }

  return {
    report({ doing, done, total }) {
      const progress = done ?? (last === Number.NEGATIVE_INFINITY ? 0 : last + 1);
      if (!Number.isFinite(progress) || progress <= last) return;
      last = progress;
      waiting = { progress, message: doing, ...(total === undefined ? {} : { total }) };
      sending ??= drain();
    },
    async settled() {
      while (sending !== undefined) await sending;
    },
  };
}
