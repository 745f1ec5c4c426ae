/**
 * An append-only JSONL file that several processes share.
 *
 * Opening is cheap and touches nothing; the first append takes the lock. Close
 * it when done, so that the lock is free at once and not after the idle time.
 */
import { localOf, type Local } from "../local.js";
import { failureAt, readFailureAt, requireRegular } from "../ports/errors.js";
import type { OpenFile } from "../ports/types.js";
import type { JsonObject, JsonValue } from "../json.js";
import { openIndex, type LogIndex, type Summarizer } from "./block-index.js";
import { followFile, type FollowOptions, type Restarted } from "./follow.js";
import { leaveMarker } from "./marker.js";
import { repairFile, rewriteFile, supersedeFile, type Repair, type Rewriting } from "./rewrite.js";
import { checkBytes, checkLine, encodeRow } from "./row.js";
import type { Batch, ScanOptions } from "./scan.js";
import { markedBatches, stateOf } from "./state.js";
import type {
  Appended,
  AppendOptions,
  Damage,
  Decision,
  Entry,
  LogOptions,
  LogState,
  ScanEnd,
  Supersession,
  TransactOptions,
} from "./types.js";
import { verifyFile, type Verification } from "./verify.js";
import { LogWriter } from "./writer.js";

export class Log {
  /** The file and what stands beside it. */
  readonly local: Local;
  private readonly options: LogOptions;
  private readonly writer: LogWriter;

  private constructor(options: LogOptions, local: Local) {
    this.options = options;
    this.local = local;
    this.writer = new LogWriter(options, local);
  }

  static async open(options: LogOptions): Promise<Log> {
    try {
      const local = await localOf(options.path, options.ports.files, options.localIn);
      return new Log(options, options.quiet === true ? { ...local, quiet: true } : local);
    } catch (error) {
      throw failureAt(options.path, error);
    }
  }

  /**
   * One whole line or nothing. Resolves when the row is as durable as asked;
   * rejects with `row_in_doubt` when the disk failed in between.
   */
  append(row: JsonObject, options: AppendOptions = {}): Promise<Appended> {
    return this.writer.append(() => encodeRow(row), options);
  }

  /** Like `append`, for a line that must keep its bytes. */
  appendLine(line: string, options: AppendOptions = {}): Promise<Appended> {
    return this.writer.append(() => checkLine(line), options);
  }

  /**
   * Many rows in one write and with one answer, where the first begins. Each is a line that was just
   * made with JSON.stringify and ends in its newline: nothing is parsed again. Stopped half way, some
   * of them stand there, whole and in order. The bytes must stay as they are until it resolves.
   */
  appendBytes(bytes: Uint8Array, options: Pick<AppendOptions, "durability"> = {}): Promise<Appended> {
    return this.writer.append(() => checkBytes(bytes), options);
  }

  /**
   * Decides on the file as it is and changes it, with nobody writing in between.
   * Resolves with the decision's answer when what it changed is as durable as
   * asked. `decide` runs alone and under the lock: it must not call this log.
   */
  transact<Answer>(
    decide: (state: LogState) => Promise<Decision<Answer>>,
    options: TransactOptions = {},
  ): Promise<Answer> {
    return this.writer.transact(decide, options);
  }

  /** Whether there is a file, or at least something in its place. */
  async exists(): Promise<boolean> {
    // Nobody but us may take it away while we hold the lock, and it was there when we took that.
    if (this.writer.holding) return true;
    try {
      return (await this.options.ports.files.stat(this.local.path)) !== undefined;
    } catch (error) {
      throw readFailureAt(this.local.path, error);
    }
  }

  /** Looks at the file as it is now; undefined when there is none. */
  async look<Answer>(at: (state: LogState) => Promise<Answer>): Promise<Answer | undefined> {
    const file = await this.openToRead();
    if (file === undefined) return undefined;
    try {
      return await at(await stateOf(this.local, this.options, file));
    } catch (error) {
      throw failureAt(this.local.path, error);
    } finally {
      await file.close();
    }
  }

  /** Rows, comments and damage in order. Damage that is met leaves the marker. */
  async *entries(options: ScanOptions = {}): AsyncGenerator<Entry, ScanEnd | undefined, undefined> {
    const batches = this.batches(options);
    try {
      for (;;) {
        const next = await batches.next();
        if (next.done === true) return next.value;
        yield* next.value.entries;
      }
    } finally {
      // Whoever stops half way still closes the file, and has still seen the damage so far.
      await batches.return(undefined);
    }
  }

  /** The same, many lines at a time. */
  async *batches(options: ScanOptions = {}): AsyncGenerator<Batch, ScanEnd | undefined, undefined> {
    const file = await this.openToRead();
    if (file === undefined) return undefined;
    try {
      return yield* markedBatches(this.local, this.options, file, options);
    } catch (error) {
      throw failureAt(this.local.path, error);
    } finally {
      await file.close();
    }
  }

  /**
   * A question answered from the index; see block-index.ts. Undefined when there is no file.
   * What `ask` reports as `found` (a block that differs from its checksum) leaves the marker too.
   */
  async indexed<S extends JsonValue, Answer>(
    summarizer: Summarizer<S>,
    ask: (index: LogIndex<S>, file: OpenFile, found: (damage: Damage) => void) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const file = await this.openToRead();
    if (file === undefined) return undefined;
    try {
      const { ports, comments = false } = this.options;
      const index = await openIndex({ local: this.local, file, ports, summarizer, comments });
      const damage = [...index.blocks.flatMap((block) => block.damage), ...index.mismatches];
      const counted = index.blocks.reduce((sum, block) => sum + block.damageCount - block.damage.length, 0);
      const answer = await ask(index, file, (found) => damage.push(found));
      const damageCount = counted + damage.length;
      if (damageCount > 0) await leaveMarker(this.local, ports, { damage, damageCount, file });
      return answer;
    } catch (error) {
      throw failureAt(this.local.path, error);
    } finally {
      await file.close();
    }
  }

  follow(options: FollowOptions): AsyncGenerator<Entry | Restarted, void, undefined> {
    return followFile(this.local, this.options, options);
  }

  /** Undefined when there is no file. */
  async verify(): Promise<Verification | undefined> {
    const file = await this.openToRead();
    if (file === undefined) return undefined;
    try {
      return await verifyFile(this.local, this.options, file);
    } catch (error) {
      throw failureAt(this.local.path, error);
    } finally {
      await file.close();
    }
  }

  /** Replaces the content atomically, under the lock; refused while the log is damaged. */
  async rewrite(rewriting: Rewriting): Promise<void> {
    await this.writer.exclusively((file) => rewriteFile(this.local, this.options, file, rewriting));
  }

  /**
   * Decides on the bytes as a whole, damaged or not, and puts lines in their place, with nobody
   * writing in between: for one who makes sound rows of a file that has others.
   */
  async supersede<Answer>(decide: (bytes: Uint8Array) => Promise<Supersession<Answer>>): Promise<Answer> {
    const done: Answer[] = [];
    await this.writer.exclusively(
      async (file) => void done.push(await supersedeFile(this.local, this.options, file, decide)),
      { evenIfDamaged: true },
    );
    return done[0] as Answer;
  }

  /** Sets what is no row aside and removes the marker. */
  async repair(): Promise<Repair> {
    let repair: Repair | undefined;
    await this.writer.exclusively(
      async (file) => {
        repair = await repairFile(this.local, this.options, file);
      },
      { evenIfDamaged: true },
    );
    if (repair === undefined) throw new Error("a repair that resolved has a report");
    return repair;
  }

  /** After `row_in_doubt` or `log_poisoned`: makes sure of what is in the file, so that appending may go on. */
  async reopen(): Promise<void> {
    await this.writer.reopen();
  }

  /** Waits for what was appended, then gives the lock and the file back. */
  async close(): Promise<void> {
    await this.writer.close();
  }

  private async openToRead(): Promise<OpenFile | undefined> {
    const { files } = this.options.ports;
    try {
      const stat = await files.stat(this.local.path);
      if (stat === undefined) return undefined;
      requireRegular(this.local.path, stat, "log");
      return await files.open(this.local.path, "read");
    } catch (error) {
      throw readFailureAt(this.local.path, error);
    }
  }
}
