/**
 * How long a tool is waited for once the turn was stopped.
 *
 * One listener for all calls of a send: one for each would cost more than most of
 * what a call costs here.
 */
import type { ToolReport } from "../types.js";

/** How long a tool may take to stop once the turn has ended. */
const stopMsMax = 10_000;

export class Patience {
  private readonly waiting = new Set<() => void>();
  private over: AbortController | undefined;

  constructor(
    signal: AbortSignal,
    private readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  ) {
    signal.addEventListener("abort", () => this.begin(), { once: true });
  }

  /** Undefined when the turn was stopped and the tool did not heed it in time. */
  orStopped(running: Promise<ToolReport>): Promise<ToolReport | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = () => resolve(undefined);
      this.waiting.add(giveUp);
      running.then(
        (report) => {
          this.ended(giveUp);
          resolve(report);
        },
        (error: unknown) => {
          this.ended(giveUp);
          reject(error);
        },
      );
    });
  }

  private begin(): void {
    if (this.waiting.size === 0) return;
    this.over = new AbortController();
    void this.sleep(stopMsMax, this.over.signal).then(() => {
      for (const giveUp of this.waiting) giveUp();
    });
  }

  private ended(giveUp: () => void): void {
    this.waiting.delete(giveUp);
    if (this.waiting.size === 0) this.over?.abort();
  }
}
