/**
 * A clock that a test moves by hand, for unit tests without the simulator.
 *
 * Time passes only in `advance`, which is to be awaited: it wakes sleepers one
 * by one in the order of their times and lets the code behind each run, so that
 * one who sleeps again within the same stretch is woken again.
 */
import type { Clock } from "@bridle/record";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class VirtualClock implements Clock {
  private elapsed = 0;
  private wall: number;
  private sleepers: Sleeper[] = [];

  constructor({ startMs = Date.UTC(2026, 0, 1) }: { startMs?: number } = {}) {
    this.wall = startMs;
  }

  async now(): Promise<number> {
    return Math.floor(this.wall + this.elapsed);
  }

  async monotonic(): Promise<number> {
    return this.elapsed;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const sleeper: Sleeper = {
        at: this.elapsed + ms,
        wake: () => {
          this.sleepers = this.sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      signal?.addEventListener("abort", sleeper.wake, { once: true });
      this.sleepers.push(sleeper);
    });
  }

  /** How many sleep now. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  /** Sets the wall clock forward or back; monotonic time does not notice. */
  jump(ms: number): void {
    this.wall += ms;
  }

  async advance(ms: number): Promise<void> {
    const until = this.elapsed + ms;
    await settled();
    for (let due = this.nextDue(until); due !== undefined; due = this.nextDue(until)) {
      this.elapsed = Math.max(this.elapsed, due.at);
      due.wake();
      await settled();
    }
    this.elapsed = until;
  }

  private nextDue(until: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.sleepers) {
      if (sleeper.at <= until && (first === undefined || sleeper.at < first.at)) first = sleeper;
    }
    return first;
  }
}

/** Resolves when every promise that could settle by itself has. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
