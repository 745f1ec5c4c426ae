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
 * such as a rewrite, one after the other. Only syncs (group-commit.ts) do not need
 * the lock: while somebody waits it is handed on first (lock-turn.ts), and the row
 * is acknowledged when its own sync is over.
 */
import { appendFully } from "../atomic.js";
import { Failure } from "../failures.js";
import { prepareLocal, type Local } from "../local.js";
import { Lock } from "../lock.js";
import { codeOf, failureAt } from "../ports/errors.js";
import type { OpenFile } from "../ports/types.js";
import { AppendedFile } from "./appended-file.js";
import { DamageWatch } from "./damage-watch.js";
import { findRow } from "./find.js";
import { GroupCommit } from "./group-commit.js";
import { LockTurn } from "./lock-turn.js";
import {
  bytesOf,
  type Pending,
  type PendingDecision,
  type PendingRow,
  type PendingTask,
  takeBatch,
} from "./pending.js";
import { rewriteFile } from "./rewrite.js";
import { checkLine } from "./row.js";
import { stateOf } from "./state.js";
import type { Appended, AppendOptions, Decision, LogOptions, LogState, TransactOptions } from "./types.js";

export class LogWriter {
  private readonly queue: Pending[] = [];
  private readonly commit: GroupCommit;
  private readonly turn: LockTurn;
  private readonly open: AppendedFile;
  private readonly watch: DamageWatch;
  private draining: Promise<void> | undefined;
  /** Whether the folders were made; they are not asked for again unless something is missing. */
  private prepared = false;
  private poisoned: Failure | undefined;
  private reopening: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly options: LogOptions,
    private readonly local: Local,
  ) {
    const { files, clock } = options.ports;
    const commit = () => this.commit;
    this.watch = new DamageWatch(local, options);
    this.open = new AppendedFile({ log: options, local, commit });
    this.commit = new GroupCommit({
      local,
      files,
      clock,
      file: () => this.open.file,
      size: () => this.open.size,
      failed: (cause) => this.poison(cause),
      done: () => this.turn.stepAside(),
    });
    this.turn = new LockTurn({
      log: options,
      commit,
      draining: () => this.draining !== undefined,
      lock: new Lock({
        path: local.lock,
        name: local.name,
        ports: options.ports,
        waitMsMax: options.lockWaitMsMax,
      }),
    });
  }

  /** Whether the lock is held, and with it a file that was there when it was taken. */
  get holding(): boolean {
    return this.turn.held !== undefined && this.open.file !== undefined;
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
    while (this.draining !== undefined || this.commit.busy || this.turn.pause !== undefined) {
      await this.draining;
      await this.commit.finish();
      await this.turn.pause;
    }
    this.closed = true;
    await this.turn.leave();
    await this.turn.released();
    await this.open.detach();
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
    await this.turn.pause;
    if (this.turn.held === undefined) await this.enter();
    this.turn.busy();
    const next = this.queue[0];
    if (next === undefined) return;
    if ("task" in next) {
      this.queue.shift();
      await this.runTask(next);
      return this.turn.passOn({ moreRows: this.queue.length > 0 });
    }
    if (!this.watch.cleared) await this.watch.refuseDamaged();
    if ("decide" in next) {
      this.queue.shift();
      await this.runDecision(next);
    } else await this.writeBatch(takeBatch(this.queue));
    const after = this.queue[0];
    const moreRows = after !== undefined && !("task" in after);
    await this.turn.passOn({ moreRows });
    this.commit.begin({ moreRows: moreRows && this.turn.held !== undefined });
  }

  /** Decisions follow one another at once and share a sync, as rows do; only a whole new file interrupts them. */
  private async runDecision(pending: PendingDecision): Promise<void> {
    const file = this.open.forUse("a decision");
    let decision: Decision<unknown>;
    try {
      const state = await stateOf(this.local, this.options, file);
      let read = false;
      decision = await pending.decide({ ...state, read: (from) => ((read = true), state.read(from)) });
      if (decision.line === undefined && decision.rewrite === undefined)
        return pending.resolve(decision.answer);
      // What it read may have shown damage; then nothing that rests on it is written.
      if (read || !this.watch.cleared) await this.watch.refuseDamaged();
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
    const before = this.open.size;
    await this.writeBatch([{ line: checked, synced, once: undefined, resolve, reject }]);
    if (stood === undefined || this.open.size === before) return;
    const { mtimeMs } = await file.stat();
    stood({ byte: before, bytes: this.open.size - before, mtimeMs });
  }

  private async writeBatch(batch: PendingRow[]): Promise<void> {
    const file = this.open.forUse("a batch");
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
      this.commit.wrote(this.open.size);
      await appendFully(file, bytes);
      let byte = this.open.size;
      this.open.size += bytes.length;
      for (const row of batch) {
        this.settle(row, { added: true, byte });
        byte += batch.length === 1 ? bytes.length : Buffer.byteLength(row.line) + 1;
      }
    } catch (error) {
      const failure = (await this.takeBack(file))
        ? failureAt(this.local.path, error)
        : this.inDoubt(this.open.size, error);
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
    const file = this.open.take();
    await this.turn.leave();
    await this.open.close(file);
  }

  private async runTask(pending: PendingTask): Promise<void> {
    await this.commit.finish();
    try {
      await prepareLocal(this.local, this.options.ports.files);
      const file = this.open.forUse("a task");
      if (!pending.evenIfDamaged) await this.watch.refuseDamaged();
      this.watch.cleared = false;
      await pending.task(file);
      await this.open.attach();
      pending.resolve();
    } catch (error) {
      await this.abandon();
      pending.reject(failureAt(this.local.path, error));
    }
  }

  /** A batch that failed half way leaves nothing behind; if even that fails, the next holder recovers the tail. */
  private async takeBack(file: OpenFile): Promise<boolean> {
    try {
      await file.truncate(this.open.size);
      return true;
    } catch {
      await this.commit.finish();
      await this.abandon();
      return false;
    }
  }

  private async enter(): Promise<void> {
    await this.turn.released();
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
    const held = await this.turn.take(() => this.getReady());
    this.watch.cleared = false;
    try {
      await this.open.attach();
    } catch (error) {
      await this.commit.finish();
      await this.abandon();
      throw error;
    }
    void this.turn.tend(held);
  }

  /** What can be done while others write is not done under the lock. */
  private async getReady(): Promise<void> {
    const next = this.queue[0];
    if (next !== undefined && "decide" in next) await next.getReady?.();
  }

  private failAll(failure: Error): void {
    for (const pending of this.queue.splice(0)) pending.reject(failure);
  }
}
