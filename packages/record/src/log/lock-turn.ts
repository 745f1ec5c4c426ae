/**
 * How long a writer keeps the lock of its log: for a burst of rows, and not while
 * others wait and it has had its turn.
 *
 * The lock is handed on where somebody waits, given back where nobody does, and
 * held during a sync only on disks where that is quicker than handing it on. Why
 * that is fair and safe is in docs/decisions/006-lock-line.md.
 */
import { limits } from "../limits.js";
import type { HeldLock, Lock } from "../lock.js";
import type { GroupCommit } from "./group-commit.js";
import type { LogOptions } from "./types.js";

export interface LockTurnOptions {
  readonly log: LogOptions;
  readonly lock: Lock;
  readonly commit: () => GroupCommit;
  /** Whether something is being written, or waits to be. */
  readonly draining: () => boolean;
}

export class LockTurn {
  held: HeldLock | undefined;
  /** While it runs, nothing new is begun: whether others wait is just being asked. */
  pause: Promise<void> | undefined;
  private releasing: Promise<void> | undefined;
  private activity = 0;
  private wanted = false;
  /** Batches and transactions since the lock was taken or somebody was last looked for. */
  private turn = 0;
  /** Whether the first rows since the lock was taken are still being written. */
  private justEntered = false;

  constructor(private readonly options: LockTurnOptions) {}

  /** Something is about to be done under the lock. */
  busy(): void {
    this.activity++;
  }

  /** Resolves when a release that is under way is over. */
  async released(): Promise<void> {
    await this.releasing;
  }

  /** `getReady` runs while others still hold the lock. Whoever took it starts `tend` when the file is in order. */
  async take(getReady: () => Promise<void>): Promise<HeldLock> {
    this.held = await this.options.lock.acquire(this.options.log.signal, getReady);
    this.justEntered = true;
    this.turn = 0;
    return this.held;
  }

  /** Gives the lock back when idle, and notices who waits for it while busy. */
  async tend(held: HeldLock): Promise<void> {
    const { clock } = this.options.log.ports;
    while (this.held === held) {
      const seen = this.activity;
      await clock.sleep(limits.lockIdleMs);
      if (this.held !== held) return;
      const idle = !this.options.draining() && this.pause === undefined && !this.options.commit().busy;
      if (idle && this.activity === seen) {
        await this.leave();
        return;
      }
      try {
        if (await held.wanted()) this.wanted = true;
      } catch {
        // Not being able to look is no reason to stop writing; the next look may succeed.
      }
    }
  }

  /**
   * Who came for one row, or has had its turn, does not sit on the lock while others wait, not even for its sync.
   * A disk that syncs quickly is the exception: two syncs at once, or a hand-over during one, cost more there than
   * waiting for it, and whoever is answered often comes again at once. `stepAside` looks after that.
   */
  async passOn({ moreRows }: { readonly moreRows: boolean }): Promise<void> {
    const { held } = this;
    if (held === undefined) return;
    this.turn++;
    const { awaited, quick } = this.options.commit();
    if (awaited && quick && !moreRows && !this.wanted) {
      // Called ahead of time only where a turn is short: meanwhile it might be stopped.
      if (this.turn === limits.lockCallAfter) await held.callNext().catch(() => {});
      return;
    }
    const turnIsOver = moreRows ? awaited && this.turn >= limits.lockTurnMax : awaited || this.justEntered;
    if (!turnIsOver && !this.wanted) return;
    this.turn = 0;
    this.justEntered = false;
    try {
      if (await held.passOn()) this.held = undefined;
      else if (this.wanted) await this.leave();
    } catch {
      // Whether it is still ours is for the release to find out and to say.
      await this.leave();
    }
    this.wanted = false;
  }

  /** After a sync, with nothing more to write: whoever came meanwhile need not wait for the idle time. */
  async stepAside(): Promise<void> {
    const { activity, held } = this;
    if (held !== undefined && this.turn >= limits.lockTurnMax && !this.options.draining()) {
      this.turn = 0;
      // Whoever was just answered and comes again waits until it is known whether others do.
      this.pause = this.endTurn(held).finally(() => (this.pause = undefined));
      return;
    }
    const idle = () =>
      this.held === held &&
      this.activity === activity &&
      !this.options.draining() &&
      !this.options.commit().busy;
    if (held === undefined) return;
    // Whoever was just answered may go on at once, and then nobody needs to look.
    await this.options.log.ports.clock.sleep(0);
    if (!idle()) return;
    const wanted = await held.wanted().catch(() => false);
    if (wanted && idle()) await this.leave();
  }

  private async endTurn(held: HeldLock): Promise<void> {
    try {
      if (await held.passOn()) this.held = undefined;
    } catch {
      // Whether it is still ours is for the release to find out and to say.
      await this.leave();
    }
  }

  async leave(): Promise<void> {
    const held = this.held;
    if (held === undefined) return;
    this.held = undefined;
    this.wanted = false;
    const released = held.release().catch((error: unknown) => {
      // Rows written so far are in the file; that the lock was taken away by hand must still be known.
      this.options.log.notice?.(error instanceof Error ? error.message : String(error));
    });
    this.releasing = released.finally(() => (this.releasing = undefined));
    await released;
  }
}
