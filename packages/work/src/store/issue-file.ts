/**
 * Issue memory of one file, kept in this process and caught up with the file
 * before every question and under the lock before every change.
 *
 * Catching up reads what was added since the last look and nothing else. Only a
 * file that is no longer the one that was read (compacted, merged, checked out,
 * edited in place) is read from its start.
 */
import { join } from "node:path";
import {
  type Damage,
  type Decision,
  Failure,
  isRefusal,
  type Liveness,
  Lock,
  Log,
  type LogState,
  type Ports,
  putFile,
  type Refusal,
  type Stood,
} from "@bridle/record";
import type { DriverState } from "../git/driver.js";
import { GitIndex } from "../git/unmerged.js";
import type { ResolvedIssues } from "../interchange/resolve.js";
import { workLimits } from "../limits.js";
import { IssueGraph } from "../memory/graph.js";
import type { Decide, NewRow } from "../memory/types.js";
import {
  damagedFailure,
  linksToNowhere,
  memoryMissing,
  tooLargeFailure,
  type TwoSides,
  unmergedFailure,
} from "./issue-refusals.js";
import { replacing, rewriting, saysMore } from "./issue-rewriting.js";
import { type Findings, LoadedIssues } from "./loaded-issues.js";

export interface IssueMemoryOptions {
  readonly path: string;
  /** How the file is called in messages; the path when left out. */
  readonly shown?: string;
  readonly ports: Ports;
  readonly lockWaitMsMax?: number;
  /** Aborted, it ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

export interface Compaction {
  readonly changed: boolean;
  readonly rowsBefore: number;
  readonly rowsAfter: number;
}

/** What making two sides one came to; without a merge when there was nothing to do. */
export interface Resolution extends Partial<ResolvedIssues> {
  readonly changed: boolean;
  /** Where the file as it was is kept, if it says more than the sides do. */
  readonly aside?: string;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly liveness: Liveness;
}

/** A change was not even decided, because the file was replaced since it was read. */
const unread = Symbol("unread");

interface ChangeOptions {
  /** Without it a change of memory that does not exist is refused, and nothing is made. */
  readonly create?: boolean;
}

export class IssueMemory {
  readonly shown: string;
  private loaded = new LoadedIssues();
  /** One catching up at a time, in the order in which it was asked for. */
  private turn: Promise<unknown> = Promise.resolve();
  private turns = 0;
  private readonly gitIndex: GitIndex;
  private driverTold = false;
  /** Where the file as it was is kept, after a change that took issues away. */
  lastAside: string | undefined;

  private constructor(
    private readonly log: Log,
    private readonly options: IssueMemoryOptions,
    private readonly notices: string[],
  ) {
    this.shown = options.shown ?? options.path;
    this.gitIndex = new GitIndex(log.local, options.ports);
  }

  static async open(options: IssueMemoryOptions): Promise<IssueMemory> {
    const { path, ports, lockWaitMsMax, signal } = options;
    const notices: string[] = [];
    const log = await Log.open({
      path,
      bearing: "state",
      comments: true,
      conflicts: "sides",
      quiet: true,
      ports,
      ...(lockWaitMsMax === undefined ? {} : { lockWaitMsMax }),
      ...(signal === undefined ? {} : { signal }),
      notice: (sentence) => notices.push(sentence),
    });
    return new IssueMemory(log, options, notices);
  }

  /** The issues as the file is now; no issues when there is no file. */
  async graph(): Promise<IssueGraph> {
    return this.inTurn(async () => {
      const there = await this.log.look(async (state) => {
        await this.catchUp(state);
        return true;
      });
      if (there === undefined) await this.startOver();
      return this.loaded.graph;
    });
  }

  /** Whether there was a file at the last look. */
  get exists(): boolean {
    return this.loaded.file !== undefined;
  }

  /** Places that are no rows, as of the last look; while there are any, nothing is changed. */
  get damage(): readonly Damage[] {
    return this.loaded.damage;
  }

  /** Rows that are no issues because they have no id; they are kept as they stand. */
  get rowsWithoutId(): number {
    return this.loaded.rowsWithoutId;
  }

  /** Lines that start with `#`; they are kept as they stand, too. */
  get commentCount(): number {
    return this.loaded.commentCount;
  }

  get rowCount(): number {
    return this.loaded.rowCount;
  }

  /** The first place that could not be read at all, so that an issue may be missing. */
  get unreadable(): Damage | undefined {
    return this.loaded.unreadable;
  }

  /** Who holds the lock of the file, and whether they live; undefined when it is free. */
  async lockHolder(): Promise<LockHolder | undefined> {
    const { ports } = this.options;
    const lock = new Lock({ path: this.log.local.lock, name: this.shown, ports });
    const holder = await lock.holder();
    if (holder === undefined) return undefined;
    return { pid: holder.pid, host: holder.host, liveness: await ports.processes.liveness(holder) };
  }

  /** Of git, for this file and in this clone; undefined where there is no repository. */
  async mergeDriver(): Promise<DriverState | undefined> {
    const { driverState } = await import("../git/driver.js");
    return driverState(this.log.local.path, this.options.ports);
  }

  /** A path for the file as it was, when a change takes issues away. */
  private async asidePath(): Promise<string> {
    const { setAside, name } = this.log.local;
    return join(setAside, `${name}.before-${await this.options.ports.ids.next()}`);
  }

  /** What a reader should know about the file, as of the last look. */
  get findings(): Findings {
    return this.loaded.findings;
  }

  /** Undefined for a memory that is one; as of the last look, and git's index as it is now. */
  async twoSides(): Promise<TwoSides | undefined> {
    if (await this.gitIndex.isUnmerged()) {
      return { where: "index", says: "is unmerged: git holds two sides of it that nobody has made one" };
    }
    const { marker, fork } = this.loaded;
    if (marker !== undefined) {
      return { where: "markers", says: `line ${marker.line} is a conflict marker: it holds two sides` };
    }
    if (fork === undefined) return undefined;
    const says = `holds two sides of ${fork.id}: the row in line ${fork.line} did not grow from the one before it`;
    return { where: "rows", says };
  }

  /** Decides on what is there now and makes it durable, or changes nothing and says why. */
  async change<Answer>(
    decide: Decide<Answer>,
    { create = false }: ChangeOptions = {},
  ): Promise<Answer | Refusal> {
    if (!(await this.isThere())) {
      if (!create) return this.missing();
      const target = await this.options.ports.files.readLink(this.options.path);
      if (target !== undefined) return linksToNowhere(this.shown, target);
      // What is refused without any issue is refused before a file is made for it.
      const first = decide(new IssueGraph(), await this.options.ports.clock.now());
      if (isRefusal(first)) return first;
    }
    // While others write, what they wrote is read already.
    const getReady = { getReady: async () => void (await this.graph()) };
    let answer: Answer | Refusal | typeof unread = unread;
    for (let attempt = 0; answer === unread; attempt++) {
      // A whole file is not read under the lock, where everybody would wait for it, unless it keeps being replaced.
      if (attempt > 0) await this.graph();
      answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {
        if (attempt === 0 && this.loaded.isOfAnother(state)) return { answer: unread };
        await this.inTurn(() => this.catchUp(state));
        await this.refuseUnfit();
        const { graph } = this.loaded;
        const outcome = decide(graph, await this.options.ports.clock.now());
        if (isRefusal(outcome)) return { answer: outcome };
        if (outcome.replaces === true) {
          const aside = await this.asidePath();
          const keep = async (lines: readonly string[]) => {
            await this.keepAside(aside, lines);
            this.lastAside = aside;
          };
          return { answer: outcome.answer, rewrite: replacing(outcome.rows, keep) };
        }
        const [row, ...more] = outcome.rows;
        if (row === undefined) return { answer: outcome.answer };
        if (more.length > 0) return { answer: outcome.answer, rewrite: rewriting(outcome.rows) };
        return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };
      }, getReady);
      this.loaded.settle();
    }
    if (!isRefusal(answer)) await this.tellDriver();
    if (this.loaded.garbageDominates()) await this.tidy();
    return answer;
  }

  /** Once: a clone that git merges by lines although its `.gitattributes` says otherwise. */
  private async tellDriver(): Promise<void> {
    if (this.driverTold || this.options.ports.git === undefined) return;
    this.driverTold = true;
    const { lacksSettings } = await import("../git/driver.js");
    if (!(await lacksSettings(this.log.local.path, this.options.ports))) return;
    this.notices.push(
      ".gitattributes names Bridle's merge driver for issues, and this clone has no settings for it: " +
        "run `premath issue merge --install` once, or git merges them by lines.",
    );
  }

  /** One row an issue, sorted by id; what is no issue stands first, as it was. */
  async compact(): Promise<Compaction | Refusal> {
    if (!(await this.isThere())) return this.missing();
    return this.log.transact<Compaction>(async (state) => {
      await this.inTurn(() => this.catchUp(state));
      await this.refuseUnfit();
      return this.compaction();
    });
  }

  /**
   * Makes two sides one (see interchange/resolve.ts). The file as it was is kept aside where it
   * says something that no side says.
   */
  async resolve(): Promise<Resolution | Refusal> {
    const stages = await this.gitIndex.stages();
    if (stages === undefined && !(await this.log.exists())) return this.missing();
    const { resolveIssues } = await import("../interchange/resolve.js");
    const { treeText } = await import("../interchange/tree.js");
    return this.log.supersede<Resolution | Refusal>(async (bytes) => {
      const resolved = resolveIssues(bytes, stages, this.shown);
      if (resolved === undefined) return { answer: { changed: false } };
      if (isRefusal(resolved)) return { answer: resolved };
      const text = treeText(resolved);
      const unsaid = saysMore(bytes, stages === undefined ? [] : Object.values(stages), text);
      const aside = unsaid ? await this.asidePath() : undefined;
      if (aside !== undefined) await putFile(aside, bytes, this.options.ports);
      const changed = !Buffer.from(text).equals(bytes);
      const answer = { ...resolved, changed, ...(aside === undefined ? {} : { aside }) };
      return { answer, lines: text.split("\n").slice(0, -1) };
    });
  }

  /** Puts lines in the place of all that the file has, for a merge by hand; `decide` runs under the lock. */
  replace<Answer>(
    decide: () => Promise<{ readonly answer: Answer; readonly lines?: readonly string[] }>,
  ): Promise<Answer> {
    return this.log.transact<Answer>(async () => {
      const { answer, lines } = await decide();
      if (lines === undefined) return { answer };
      return {
        answer,
        rewrite: async function* () {
          yield* lines;
        },
      };
    });
  }

  /** What was found or done on the way since this was last asked, a sentence each. */
  takeNotices(): string[] {
    return this.notices.splice(0);
  }

  /** After `row_in_doubt`: makes sure of what is in the file, so that changes may go on. */
  async reopen(): Promise<void> {
    await this.log.reopen();
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.inTurn(() => this.startOver());
  }

  /**
   * Reads before the lock is taken: others then wait only for what was added since, and a file that
   * is damaged or too large is refused before anything beside it is touched. What was read once is
   * caught up with under the lock.
   */
  private async isThere(): Promise<boolean> {
    const known = this.exists && this.damage.length === 0;
    if (!known || !(await this.log.exists())) await this.graph();
    await this.refuseUnfit();
    return this.exists;
  }

  private missing(): Refusal {
    return memoryMissing(this.shown);
  }

  private async keepAside(path: string, lines: readonly string[]): Promise<void> {
    const aside = await Log.open({ path, bearing: "state", comments: true, ports: this.options.ports });
    try {
      await aside.rewrite(async function* () {
        yield* lines;
      });
    } finally {
      await aside.close();
    }
  }

  private async refuseUnfit(): Promise<void> {
    const sides = await this.twoSides();
    if (sides !== undefined) throw unmergedFailure(this.shown, sides);
    this.refuseDamaged();
  }

  private refuseDamaged(): void {
    const [first] = this.damage;
    if (first !== undefined) throw damagedFailure(this.shown, first);
  }

  private compaction(): Decision<Compaction> {
    this.refuseDamaged();
    const { rowCount: rowsBefore, graph, rowsWithoutId, inOrder } = this.loaded;
    const rowsAfter = graph.size + rowsWithoutId;
    if (inOrder && rowsAfter === rowsBefore) return { answer: { changed: false, rowsBefore, rowsAfter } };
    return { answer: { changed: true, rowsBefore, rowsAfter }, rewrite: rewriting([]) };
  }

  /**
   * The file is tidied by one of those who notice; that it failed is no reason to call the change a failure.
   * All of them notice at once, so whoever comes to it after another did it leaves it at that.
   */
  private async tidy(): Promise<void> {
    try {
      await this.log.transact<Compaction | undefined>(async (state) => {
        if (this.loaded.isOfAnother(state)) return { answer: undefined };
        await this.inTurn(() => this.catchUp(state));
        await this.refuseUnfit();
        return this.loaded.garbageDominates() ? this.compaction() : { answer: undefined };
      });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.notices.push(`${this.shown} could not be compacted: ${error.message}`);
    }
  }

  private inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    this.turns++;
    const result = this.turn.then(task).finally(() => this.turns--);
    this.turn = result.catch(() => {});
    return result;
  }

  /** Our own row need not be read back, unless somebody is catching up at this moment and will meet it. */
  private stood(row: NewRow, at: Stood): void {
    if (this.turns === 0) this.loaded.addOwn(row, at);
  }

  private async catchUp(state: LogState): Promise<void> {
    if (state.size > workLimits.issuesBytesMax) throw tooLargeFailure(this.shown, state.size);
    this.loaded.settle();
    if (this.loaded.isCurrent(state)) return;
    if (!(await this.loaded.mayContinue(state))) await this.startOver(state);
    try {
      await this.loaded.read(state);
    } catch (error) {
      // What was read before the disk failed must not be counted again.
      await this.startOver();
      throw error;
    }
  }

  private async startOver(state?: LogState): Promise<void> {
    const { held } = this.loaded;
    this.loaded = new LoadedIssues();
    // Nothing was written through it, so there is nothing to lose.
    await held?.close().catch(() => {});
    this.loaded.held = await state?.hold();
  }
}
