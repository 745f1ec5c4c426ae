/**
 * The writing side of a log.
 *
 * Rows queue up and go out in batches under the file's lock. The lock is kept
 * for a burst and given back when the log is idle or somebody waits for it. On
 * taking it, the file is looked at anew: it may have been renamed over, and it
 * may end in a fragment. Only then may a row be added, so a row never lands on
 * another's fragment or in a file that nobody reads any more.
 *
 * Everything here happens in one queue: batches of rows, and whole-file tasks
 * such as a rewrite, one after the other. Only syncs do not need the lock: while
 * somebody waits it is handed on first, and the row is acknowledged when its own
 * sync is over. Why that is safe is in docs/decisions/006-lock-line.md.
 */
import { appendFully } from "../atomic.js";
import { Failure } from "../failures.js";
import { limits } from "../limits.js";
import { prepareLocal, type Local } from "../local.js";
import { Lock, type HeldLock } from "../lock.js";
import { codeOf, failureAt, requireRegular } from "../ports/errors.js";
import type { OpenFile } from "../ports/types.js";
import { damagedFailure, isMarked } from "./marker.js";
import { findRow } from "./find.js";
import { GroupCommit } from "./group-commit.js";
import { rewriteFile } from "./rewrite.js";
import { checkLine } from "./row.js";
import { stateOf } from "./state.js";
import { recoverTail } from "./tail.js";
import type { Appended, AppendOptions, Decision, LogOptions, LogState, TransactOptions } from "./types.js";

interface PendingRow {
  /** Bytes are whole lines already, and go out alone. */
  readonly line: string | Uint8Array;
  readonly synced: boolean;
  readonly once: string | undefined;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface PendingTask {
  readonly task: (file: OpenFile) => Promise<void>;
  readonly evenIfDamaged: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface PendingDecision {
  readonly decide: (state: LogState) => Promise<Decision<unknown>>;
  readonly getReady: (() => Promise<void>) | undefined;
  readonly synced: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Pending = PendingRow | PendingTask | PendingDecision;

export class LogWriter {
  private readonly queue: Pending[] = [];
  private readonly lock: Lock;
  private readonly commit: GroupCommit;
  private held: HeldLock | undefined;
  private releasing: Promise<void> | undefined;
  private pause: Promise<void> | undefined;
  private file: OpenFile | undefined;
  private size = 0;
  private draining: Promise<void> | undefined;
  private activity = 0;
  private wanted = false;
  /** Batches and transactions since the lock was taken or somebody was last looked for. */
  private turn = 0;
  /** Whether the first rows since the lock was taken are still being written. */
  private justEntered = false;
  /** Whether the folders were made; they are not asked for again unless something is missing. */
  private prepared = false;
  private poisoned: Failure | undefined;
  private reopening: Promise<void> | undefined;
  private closed = false;
  private warned = false;
  /** Whether the marker was looked at since the lock was taken. */
  private cleared = false;

  constructor(
    private readonly options: LogOptions,
    private readonly local: Local,
  ) {
    this.lock = new Lock({
      path: local.lock,
      name: local.name,
      ports: options.ports,
      ...(options.lockWaitMsMax === undefined ? {} : { waitMsMax: options.lockWaitMsMax }),
    });
    this.commit = new GroupCommit({
      local,
      files: options.ports.files,
      clock: options.ports.clock,
      file: () => this.file,
      size: () => this.size,
      failed: (cause) => this.poison(cause),
      done: () => this.stepAside(),
    });
  }

  /** Whether the lock is held, and with it a file that was there when it was taken. */
  get holding(): boolean {
    return this.held !== undefined && this.file !== undefined;
  }

  /** `encode` may throw, which rejects; it runs at once, so that a later change of the row does not count. */
  append(encode: () => string | Uint8Array, options: AppendOptions): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusal();
      if (refusal !== undefined) return reject(refusal);
      const line = encode();
      this.queue.push({ line, synced: options.durability === "synced", once: options.once, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  /** Runs alone, with the lock held and the file in order. The task may replace the file. */
  exclusively(
    task: (file: OpenFile) => Promise<void>,
    options: { readonly evenIfDamaged?: boolean } = {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusal();
      if (refusal !== undefined) return reject(refusal);
      this.queue.push({ task, evenIfDamaged: options.evenIfDamaged === true, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  transact<Answer>(
    decide: (state: LogState) => Promise<Decision<Answer>>,
    { durability = "synced", getReady }: TransactOptions,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const refusal = this.refusal();
      if (refusal !== undefined) return reject(refusal);
      const settle = resolve as (answer: unknown) => void;
      this.queue.push({ decide, getReady, synced: durability === "synced", resolve: settle, reject });
      this.draining ??= this.drain();
    });
  }

  /** After a failed sync: makes sure of what was written since the last good one, so that appending may go on. */
  reopen(): Promise<void> {
    if (this.poisoned === undefined) return this.reopening ?? Promise.resolve();
    this.reopening ??= this.makeSure().finally(() => (this.reopening = undefined));
    return this.reopening;
  }

  private async makeSure(): Promise<void> {
    const poison = this.poisoned;
    this.poisoned = undefined;
    try {
      await this.exclusively(async (file) => {
        await this.commit.makeSure(file);
        // A sync that was under way may have failed as well; its rows are in what was just made sure of.
        this.poisoned = undefined;
      });
    } catch (error) {
      this.poisoned ??= poison;
      throw error;
    }
  }

  async close(): Promise<void> {
    while (this.draining !== undefined || this.commit.busy || this.pause !== undefined) {
      await this.draining;
      await this.commit.finish();
      await this.pause;
    }
    this.closed = true;
    await this.leave();
    await this.releasing;
    await this.detach();
  }

  private refusal(): Failure | undefined {
    if (this.closed) return new Failure("log_closed", { message: `${this.local.name} was closed` });
    return this.poisoned;
  }

  private async drain(): Promise<void> {
    // Those who are woken together append together; let them all queue up first.
    await undefined;
    try {
      do {
        while (this.queue.length > 0) await this.doNext();
        // Somebody may queue up while the file or the lock is being given up.
        if (this.poisoned !== undefined) {
          await this.commit.finish();
          await this.abandon();
        }
      } while (this.queue.length > 0);
    } catch (error) {
      this.failAll(failureAt(this.local.path, error));
    } finally {
      this.draining = undefined;
    }
  }

  private async doNext(): Promise<void> {
    await this.pause;
    if (this.held === undefined) await this.enter();
    this.activity++;
    const next = this.queue[0];
    if (next === undefined) return;
    if ("task" in next) {
      this.queue.shift();
      await this.runTask(next);
      return this.passOn({ moreRows: this.queue.length > 0 });
    }
    if (!this.cleared) await this.refuseDamaged();
    if ("decide" in next) {
      this.queue.shift();
      await this.runDecision(next);
    } else await this.writeBatch(this.nextBatch());
    const after = this.queue[0];
    const moreRows = after !== undefined && !("task" in after);
    await this.passOn({ moreRows });
    this.commit.begin({ moreRows: moreRows && this.held !== undefined });
  }

  /** Decisions follow one another at once and share a sync, as rows do; only a whole new file interrupts them. */
  private async runDecision(pending: PendingDecision): Promise<void> {
    const file = this.file;
    if (file === undefined) throw new Error("a decision needs the file to be open");
    let decision: Decision<unknown>;
    try {
      const state = await stateOf(this.local, this.options, file);
      let read = false;
      decision = await pending.decide({ ...state, read: (from) => ((read = true), state.read(from)) });
      if (decision.line === undefined && decision.rewrite === undefined)
        return pending.resolve(decision.answer);
      // What it read may have shown damage; then nothing that rests on it is written.
      if (read || !this.cleared) await this.refuseDamaged();
    } catch (error) {
      return pending.reject(failureAt(this.local.path, error));
    }
    const { answer, line, stood, rewrite } = decision;
    if (rewrite !== undefined) {
      return this.runTask({
        task: (open) => rewriteFile(this.local, this.options, open, rewrite),
        evenIfDamaged: false,
        resolve: () => pending.resolve(answer),
        reject: pending.reject,
      });
    }
    let checked: string;
    try {
      checked = checkLine(line ?? "");
    } catch (error) {
      return pending.reject(error);
    }
    const { synced, reject } = pending;
    const resolve = () => pending.resolve(answer);
    const before = this.size;
    await this.writeBatch([{ line: checked, synced, once: undefined, resolve, reject }]);
    if (stood === undefined || this.size === before) return;
    const { mtimeMs } = await file.stat();
    stood({ byte: before, bytes: this.size - before, mtimeMs });
  }

  private nextBatch(): PendingRow[] {
    let count = 0;
    let units = 0;
    while (units < limits.batchBytesMax) {
      const next = this.queue[count];
      if (next === undefined || !("line" in next)) break;
      // A row that must not stand twice is looked up when everything before it is in the file.
      const alone = next.once !== undefined || typeof next.line !== "string";
      if (alone && count > 0) break;
      count++;
      units += next.line.length;
      if (alone) break;
    }
    return this.queue.splice(0, count) as PendingRow[];
  }

  private async writeBatch(batch: PendingRow[]): Promise<void> {
    const file = this.file;
    if (file === undefined) throw new Error("a batch needs the file to be open");
    const first = batch[0];
    try {
      if (first?.once !== undefined) {
        const found = await findRow(file, first.once, this.options);
        if (found !== undefined) {
          if (first.synced) await this.commit.writeAgain(found.byte, found.bytes);
          return this.settle(first, { added: false, byte: found.byte });
        }
      }
      const bytes = bytesOf(batch);
      this.commit.wrote(this.size);
      await appendFully(file, bytes);
      let byte = this.size;
      this.size += bytes.length;
      for (const row of batch) {
        this.settle(row, { added: true, byte });
        byte += batch.length === 1 ? bytes.length : Buffer.byteLength(row.line) + 1;
      }
    } catch (error) {
      const failure = (await this.takeBack(file))
        ? failureAt(this.local.path, error)
        : this.inDoubt(this.size, error);
      for (const row of batch) row.reject(failure);
    }
  }

  private settle(row: PendingRow, appended: Appended): void {
    if (!row.synced) return row.resolve(appended);
    this.commit.wait({
      byte: appended.byte,
      durable: () => row.resolve(appended),
      inDoubt: (cause) => row.reject(this.inDoubt(appended.byte, cause)),
    });
  }

  private async poison(cause: unknown): Promise<void> {
    this.poisoned = new Failure("log_poisoned", {
      message: `${this.local.name}: a sync failed, so nothing more is appended through this handle`,
      hint: "Reopen the log, then try the row again with its id.",
      cause,
    });
    this.failAll(this.poisoned);
    // Whoever drains the queue still uses the file; it abandons it when it is done.
    if (this.draining === undefined) await this.abandon();
  }

  private inDoubt(byte: number, cause: unknown): Failure {
    return new Failure("row_in_doubt", {
      message: `${this.local.name}: the disk failed while the row at byte ${byte} was being written or synced`,
      hint: "Reopen the log, then append the row again with `once` and its id: it is added only if it is missing.",
      detail: { byte },
      cause,
    });
  }

  /** No sync may be under way: the file is closed. */
  private async abandon(): Promise<void> {
    // Taken out first: somebody who enters while the lock is given back opens it anew.
    const file = this.file;
    this.file = undefined;
    await this.leave();
    await this.closeFile(file);
  }

  private async runTask(pending: PendingTask): Promise<void> {
    await this.commit.finish();
    try {
      await prepareLocal(this.local, this.options.ports.files);
      if (this.file === undefined) throw new Error("a task needs the file to be open");
      if (!pending.evenIfDamaged) await this.refuseDamaged();
      this.cleared = false;
      await pending.task(this.file);
      await this.attach();
      pending.resolve();
    } catch (error) {
      await this.abandon();
      pending.reject(failureAt(this.local.path, error));
    }
  }

  /** A batch that failed half way leaves nothing behind; if even that fails, the next holder recovers the tail. */
  private async takeBack(file: OpenFile): Promise<boolean> {
    try {
      await file.truncate(this.size);
      return true;
    } catch {
      await this.commit.finish();
      await this.abandon();
      return false;
    }
  }

  private async enter(): Promise<void> {
    await this.releasing;
    try {
      await this.tryEnter();
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || !this.prepared) throw error;
      // Somebody cleared the folders away since we made them.
      this.prepared = false;
      await this.tryEnter();
    }
  }

  private async tryEnter(): Promise<void> {
    if (!this.prepared) await prepareLocal(this.local, this.options.ports.files);
    this.prepared = true;
    this.held = await this.lock.acquire(this.options.signal, () => this.getReady());
    this.justEntered = true;
    this.turn = 0;
    this.cleared = false;
    try {
      await this.attach();
    } catch (error) {
      await this.commit.finish();
      await this.abandon();
      throw error;
    }
    void this.tend(this.held);
  }

  /** What can be done while others write is not done under the lock. */
  private async getReady(): Promise<void> {
    const next = this.queue[0];
    if (next !== undefined && "decide" in next) await next.getReady?.();
  }

  /** The file under its name as it is now, ending in a newline. */
  private async attach(): Promise<void> {
    const { files } = this.options.ports;
    const named = await files.stat(this.local.path);
    if (named !== undefined) requireRegular(this.local.path, named, "log");
    if (this.file !== undefined && (await this.file.stat()).inode !== named?.inode) await this.detach();
    const anew = this.file === undefined;
    this.file ??= await files.open(this.local.path, "append");
    const { size, torn } = await recoverTail(this.local, this.file, files);
    this.size = size;
    if (anew) this.commit.opened(size);
    if (torn !== undefined) {
      this.options.notice?.(
        `${this.local.name} ended in an unfinished row (${torn.bytes} bytes at byte ${torn.byte}); ` +
          `it was set aside in ${torn.setAside}, every row before it is whole.`,
      );
    }
  }

  /** Looked at once per holding of the lock. */
  private async refuseDamaged(): Promise<void> {
    this.cleared = !(await isMarked(this.local, this.options.ports));
    if (this.cleared) return;
    if (this.options.bearing === "state") throw damagedFailure(this.local);
    this.cleared = true;
    if (this.warned) return;
    this.warned = true;
    this.options.notice?.(
      `${this.local.name} was found damaged; rows are still added to it. ` +
        `\`bridle log repair ${this.local.path}\` sets the damage aside.`,
    );
  }

  /** Gives the lock back when idle, and notices who waits for it while busy. */
  private async tend(held: HeldLock): Promise<void> {
    const { clock } = this.options.ports;
    while (this.held === held) {
      const seen = this.activity;
      await clock.sleep(limits.lockIdleMs);
      if (this.held !== held) return;
      const idle = this.draining === undefined && this.pause === undefined && !this.commit.busy;
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
  private async passOn({ moreRows }: { readonly moreRows: boolean }): Promise<void> {
    const { held } = this;
    if (held === undefined) return;
    this.turn++;
    const { awaited, quick } = this.commit;
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
  private async stepAside(): Promise<void> {
    const { activity, held } = this;
    if (held !== undefined && this.turn >= limits.lockTurnMax && this.draining === undefined) {
      this.turn = 0;
      // Whoever was just answered and comes again waits until it is known whether others do.
      this.pause = this.endTurn(held).finally(() => (this.pause = undefined));
      return;
    }
    const idle = () =>
      this.held === held && this.activity === activity && this.draining === undefined && !this.commit.busy;
    if (held === undefined) return;
    // Whoever was just answered may go on at once, and then nobody needs to look.
    await this.options.ports.clock.sleep(0);
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

  private async leave(): Promise<void> {
    const held = this.held;
    if (held === undefined) return;
    this.held = undefined;
    this.wanted = false;
    const released = held.release().catch((error: unknown) => {
      // Rows written so far are in the file; that the lock was taken away by hand must still be known.
      this.options.notice?.(error instanceof Error ? error.message : String(error));
    });
    this.releasing = released.finally(() => (this.releasing = undefined));
    await released;
  }

  private async detach(): Promise<void> {
    // A sync of rows in this file may be under way, since it needs no lock.
    await this.commit.finish();
    const file = this.file;
    this.file = undefined;
    await this.closeFile(file);
  }

  private async closeFile(file: OpenFile | undefined): Promise<void> {
    try {
      await file?.close();
    } catch (error) {
      // Nobody waits for this; and what was promised about rows was promised after a sync or a write.
      this.options.notice?.(failureAt(this.local.path, error).message);
    }
  }

  private failAll(failure: Error): void {
    for (const pending of this.queue.splice(0)) pending.reject(failure);
  }
}

function bytesOf(batch: readonly PendingRow[]): Uint8Array {
  const [first] = batch;
  if (first !== undefined && typeof first.line !== "string") return first.line;
  const text = batch.length === 1 ? first?.line : batch.map((row) => row.line).join("\n");
  return Buffer.from(`${text}\n`);
}
