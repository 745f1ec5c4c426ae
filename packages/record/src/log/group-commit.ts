/**
 * Group commit: rows that were written wait here until a sync has made them
 * durable, and all who wait while one sync runs share the next.
 *
 * After a failed sync the kernel holds pages for clean that never reached the
 * disk: a second sync would report a success that means nothing. So the bytes in
 * question are remembered, and are written anew before any sync counts again.
 */
import { syncEntry } from "../atomic.js";
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { Clock, Files, OpenFile } from "../ports/types.js";

export interface Waiting {
  /** Where the row begins. */
  readonly byte: number;
  durable(): void;
  inDoubt(cause: unknown): void;
}

export interface GroupCommitOptions {
  readonly local: Local;
  readonly files: Files;
  readonly clock: Clock;
  /** The file as it is open now. */
  file(): OpenFile | undefined;
  /** Its size after the last row of ours. */
  size(): number;
  /** Contract: told once for each failed sync, after those who waited were told; must not throw. */
  failed(cause: unknown): Promise<void>;
  /** Contract: told when a sync ended well and nobody waits for another; not awaited, must not throw. */
  done(): Promise<void>;
}

export class GroupCommit {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  private batchesWaited = 0;
  private entrySynced = false;
  /** The lowest byte that was written since the last good sync began. */
  private unsyncedFrom = Number.POSITIVE_INFINITY;
  /** The lowest byte that a failed sync may have dropped; no later sync can make up for it. */
  private doubtfulFrom = Number.POSITIVE_INFINITY;

  /** Why the last sync failed; undefined once that was made good. */
  private failure: { readonly cause: unknown } | undefined;
  private lastSyncMs = Number.POSITIVE_INFINITY;
  /** Up to here nothing is in doubt: where the file ended when it was opened or when the last good sync began. */
  private syncedTo = 0;

  constructor(private readonly options: GroupCommitOptions) {}

  /** Whether a sync is under way. */
  get busy(): boolean {
    return this.running !== undefined;
  }

  /** Whether somebody waits for a sync that has not begun. */
  get awaited(): boolean {
    return this.waiting.length > 0;
  }

  /** Whether a sync takes less here than handing a lock on; not before one was seen. */
  get quick(): boolean {
    return this.lastSyncMs <= limits.quickSyncMsMax;
  }

  /** Another file, or the same one anew: its name may not be durable. */
  opened(size: number): void {
    this.entrySynced = false;
    this.syncedTo = size;
  }

  wrote(from: number): void {
    this.unsyncedFrom = Math.min(this.unsyncedFrom, from);
  }

  wait(waiting: Waiting): void {
    this.waiting.push(waiting);
  }

  /**
   * A sync begins when everything that is queued has been written, so that it
   * serves all who asked at once; but it does not wait for ever for a queue that
   * keeps filling up.
   */
  begin({ moreRows }: { readonly moreRows: boolean }): void {
    if (this.waiting.length === 0 || this.running !== undefined) return;
    if (moreRows && this.batchesWaited++ < limits.batchesBeforeSyncMax) return;
    this.batchesWaited = 0;
    this.running = this.run();
  }

  /** Resolves when nobody waits for a sync any more. */
  async finish(): Promise<void> {
    if (this.waiting.length > 0) this.running ??= this.run();
    await this.running;
  }

  /** Makes bytes dirty that the kernel may wrongly hold for clean, so that the next sync means something. */
  async writeAgain(from: number, length: number): Promise<void> {
    this.wrote(from);
    const file = await this.options.files.open(this.options.local.path, "update");
    try {
      for (let at = from; at < from + length;) {
        const bytes = await file.read(at, Math.min(limits.readChunkBytes, from + length - at));
        if (bytes.length === 0) break;
        for (let written = 0; written < bytes.length;) {
          written += await file.writeAt(at + written, bytes.subarray(written));
        }
        at += bytes.length;
      }
    } finally {
      await file.close();
    }
  }

  /** After a failed sync: makes everything since the last good one durable. No sync may be under way. */
  async makeSure(file: OpenFile): Promise<void> {
    const { size } = await file.stat();
    const from = Math.min(this.doubtfulFrom, this.unsyncedFrom);
    await this.writeAgain(from, size - from);
    await file.sync();
    await syncEntry(this.options.local.path, this.options.files);
    this.unsyncedFrom = Number.POSITIVE_INFINITY;
    this.doubtfulFrom = Number.POSITIVE_INFINITY;
    this.failure = undefined;
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const group = this.waiting;
        this.waiting = [];
        if (this.failure !== undefined) {
          // Half of a row may have been written when the sync failed and dropped it; the next sync would call that good.
          for (const each of group) each.inDoubt(this.failure.cause);
          // Whoever began this has yet to note that it runs.
          await undefined;
          continue;
        }
        const from = this.unsyncedFrom;
        this.unsyncedFrom = Number.POSITIVE_INFINITY;
        const to = this.options.size();
        try {
          const file = this.options.file();
          if (file === undefined) throw new Error("rows wait for a sync, so their file is open");
          const begun = await this.options.clock.monotonic();
          await file.sync();
          this.lastSyncMs = (await this.options.clock.monotonic()) - begun;
          // Whoever made the file may have died before its name was durable.
          if (!this.entrySynced) await syncEntry(this.options.local.path, this.options.files);
          this.entrySynced = true;
          this.syncedTo = to;
        } catch (error) {
          // Rows of others that came before ours, and that ours may rest on, are in doubt as well.
          this.doubtfulFrom = Math.min(this.doubtfulFrom, this.unsyncedFrom, from, this.syncedTo);
          this.failure = { cause: error };
          for (const each of [...group, ...this.waiting.splice(0)]) each.inDoubt(error);
          return await this.options.failed(error);
        }
        for (const each of group) each.durable();
      }
    } finally {
      this.running = undefined;
    }
    void this.options.done();
  }
}
