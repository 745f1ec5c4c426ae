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
  compareCodePoints,
  type Damage,
  type Decision,
  describeDamage,
  type Entry,
  Failure,
  isRefusal,
  type Liveness,
  Lock,
  Log,
  type LogState,
  type OpenFile,
  type Ports,
  type Position,
  putFile,
  type Refusal,
  refuse,
  type Row,
  type Stood,
  grouped,
} from "@bridle/record";
import type { DriverState } from "../git/driver.js";
import { GitIndex } from "../git/unmerged.js";
import type { ResolvedIssues } from "../interchange/resolve.js";
import { workLimits } from "../limits.js";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import { grewFrom } from "../memory/sides.js";
import type { Decide, NewRow } from "../memory/types.js";

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

export interface Findings {
  /** The first places that are no rows. */
  readonly damage: readonly Damage[];
  readonly damageCount: number;
  readonly rowCount: number;
  /** Rows before the first such place. */
  readonly rowsBeforeDamage: number;
  /** Where the first rows without an id stand. */
  readonly linesWithoutId: readonly number[];
  readonly rowsWithoutId: number;
  readonly bytes: number;
}

/** Why the file is no memory but two sides of one; nothing is changed before they are made one. */
export interface TwoSides {
  /** Where it shows: in git's index, as conflict markers, or as rows that did not grow from each other. */
  readonly where: "index" | "markers" | "rows";
  /** In a few words, for a sentence that begins with the file. */
  readonly says: string;
}

export const resolveCommand = "premath issue merge --resolve";

/** A change was not even decided, because the file was replaced since it was read. */
const unread = Symbol("unread");

interface ChangeOptions {
  /** Without it a change of memory that does not exist is refused, and nothing is made. */
  readonly create?: boolean;
}

export class IssueMemory {
  readonly shown: string;
  private loaded = new Loaded();
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
    const { damage, damageCount, rowCount, rowsBeforeDamage, linesWithoutId, rowsWithoutId, bytes } =
      this.loaded;
    return { damage, damageCount, rowCount, rowsBeforeDamage, linesWithoutId, rowsWithoutId, bytes };
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
    if (first === undefined) return;
    throw new Failure("log_damaged", {
      message: `${describeDamage(this.shown, first)}; it is not changed`,
      hint: `Look with \`bridle log verify ${this.shown}\`; \`bridle log repair ${this.shown}\` sets the damage aside.`,
      detail: { line: first.line, byte: first.byte },
    });
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
    if (state.size > workLimits.issuesBytesMax) throw this.tooLarge(state.size);
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
    this.loaded = new Loaded();
    // Nothing was written through it, so there is nothing to lose.
    await held?.close().catch(() => {});
    this.loaded.held = await state?.hold();
  }

  private tooLarge(size: number): Failure {
    const megabytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1024 / 1024))} MB`;
    return new Failure("issue_memory_too_large", {
      message: `${this.shown} has ${megabytes(size)}; issue memory has at most ${megabytes(workLimits.issuesBytesMax)}`,
      hint: "Move closed issues to another file, or look whether this is the file that you mean.",
      detail: { bytes: size, bytesMax: workLimits.issuesBytesMax },
    });
  }
}

/** Whether a file has a line that is in none of these, conflict markers aside. */
function saysMore(bytes: Uint8Array, sides: readonly (Uint8Array | undefined)[], result: string): boolean {
  const linesOf = (part: Uint8Array | undefined) =>
    Buffer.from(part ?? [])
      .toString("utf8")
      .split("\n");
  const said = new Set([...sides.flatMap(linesOf), ...result.split("\n")]);
  return linesOf(bytes).some((line) => !said.has(line) && !/^(<{7,}|\|{7,}|={7,}|>{7,})( |\r?$)/.test(line));
}

export function memoryMissing(shown: string): Refusal {
  return refuse("issue_memory_missing", {
    message: `there is no issue memory at ${shown}`,
    hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
  });
}

/** Whoever made the link expects issues there already; a disk that is not mounted would hide new ones later. */
function linksToNowhere(shown: string, target: string): Refusal {
  return refuse("issue_memory_missing", {
    message: `${shown} links to ${target}, which is not there`,
    hint: "Make that file, an empty one will do, or take the link away.",
  });
}

export function unmergedFailure(shown: string, { says }: TwoSides, so = "it is not changed"): Failure {
  return new Failure("issue_memory_unmerged", {
    message: `${shown} ${says}; ${so}`,
    hint: `\`${resolveCommand}\` makes them one and says what to \`git add\`.`,
  });
}

/** What was read of one file. */
class Loaded {
  readonly graph = new IssueGraph();
  readonly damage: Damage[] = [];
  damageCount = 0;
  rowsBeforeDamage = 0;
  /** The first conflict marker. */
  marker: Damage | undefined;
  /** The first row that did not grow from the one of its id before it. */
  fork: { readonly id: string; readonly line: number } | undefined;
  readonly linesWithoutId: number[] = [];
  file: string | undefined;
  /** Keeps the name of the file from being given to another. */
  held: OpenFile | undefined;
  rowCount = 0;
  rowsWithoutId = 0;
  commentCount = 0;
  unreadable: Damage | undefined;
  /** Whether the issues stand in the order of their ids, each once. */
  inOrder = true;
  private end: Position = { byte: 0, line: 1 };
  private mtimeMs: number | undefined;
  private last: Exclude<Entry, Damage> | undefined;
  private lastId: string | undefined;
  private own: Omit<Row, "kind" | "row"> | undefined;

  get bytes(): number {
    return this.end.byte;
  }

  /** Whether what was read is of a file that this one has replaced. */
  isOfAnother({ file }: LogState): boolean {
    return this.file !== undefined && file !== this.file;
  }

  isCurrent({ file, size, mtimeMs }: LogState): boolean {
    // A row that is still being written may become another one of the same length.
    if (this.held === undefined || file !== this.file || size !== this.end.byte) return false;
    // Read past what was known of the file then: the time of that read says nothing.
    this.mtimeMs ??= mtimeMs;
    return mtimeMs === this.mtimeMs;
  }

  /**
   * Not when the last row that was read is no longer where it was: the file was edited in place. Damage is what
   * people edit in place, and no row vouches for it, so a damaged file is read from its start.
   */
  async mayContinue(state: LogState): Promise<boolean> {
    if (this.held === undefined || state.file !== this.file || state.size <= this.end.byte) return false;
    if (this.damageCount > 0) return false;
    return this.last === undefined ? this.end.byte === 0 : state.holds(this.last);
  }

  async read(state: LogState): Promise<void> {
    const batches = state.read(this.end);
    this.file = state.file;
    for (;;) {
      const next = await batches.next();
      if (next.done === true) {
        const { byte, line } = next.value;
        this.end = { byte, line };
        this.mtimeMs = byte === state.size ? state.mtimeMs : undefined;
        return;
      }
      for (const entry of next.value.entries) this.take(entry);
    }
  }

  /** Under the lock, so no more is done than must be; the rest when it is settled. */
  addOwn(row: NewRow, { byte, bytes, mtimeMs }: Stood): void {
    this.settle();
    if (byte !== this.end.byte) return;
    const { line } = this.end;
    this.own = { text: row.text, byte, line };
    this.end = { byte: byte + bytes, line: line + 1 };
    this.mtimeMs = mtimeMs;
  }

  /** Takes our own last row in. */
  settle(): void {
    const { own } = this;
    if (own === undefined) return;
    this.own = undefined;
    this.take({ kind: "row", row: JSON.parse(own.text) as Row["row"], ...own });
  }

  garbageDominates(): boolean {
    const live = this.graph.size + this.rowsWithoutId;
    return this.rowCount - live > Math.max(live, workLimits.garbageRowsMin);
  }

  private take(entry: Entry): void {
    if (entry.kind === "damage") {
      if (this.damageCount++ === 0) this.rowsBeforeDamage = this.rowCount;
      if (this.damage.length < workLimits.damageListMax) this.damage.push(entry);
      if (!entry.readable) this.unreadable ??= entry;
      if (entry.damage === "merge_marker") this.marker ??= entry;
      return;
    }
    this.last = entry;
    if (entry.kind === "comment") {
      this.commentCount++;
      if (this.lastId !== undefined) this.inOrder = false;
      return;
    }
    this.rowCount++;
    const { id } = entry.row;
    if (typeof id !== "string" || id === "") {
      this.rowsWithoutId++;
      if (this.linesWithoutId.length < workLimits.damageListMax) this.linesWithoutId.push(entry.line);
      if (this.lastId !== undefined) this.inOrder = false;
      return;
    }
    if (this.inOrder && this.lastId !== undefined && compareCodePoints(this.lastId, id) >= 0)
      this.inOrder = false;
    this.lastId = id;
    const node = new IssueNode(id, entry.row, entry.text, entry.line);
    const before = this.graph.get(id);
    if (before !== undefined && !grewFrom(before, node)) this.fork ??= { id, line: entry.line };
    this.graph.put(node);
  }
}

/** The file with these issues and no others; what is no issue stays. */
function replacing(rows: readonly NewRow[], keep: (lines: readonly string[]) => Promise<void>) {
  return async function* (entries: AsyncIterable<Entry>): AsyncGenerator<string> {
    const before: string[] = [];
    const others: string[] = [];
    for await (const entry of entries) {
      if (entry.kind === "damage") continue;
      before.push(entry.text);
      const id = entry.kind === "row" ? entry.row["id"] : undefined;
      if (typeof id !== "string" || id === "") others.push(entry.text);
    }
    await keep(before);
    yield* others;
    for (const { text } of [...rows].sort((a, b) => compareCodePoints(a.id, b.id))) yield text;
  };
}

/** The file with these rows in it, compacted. */
function rewriting(rows: readonly NewRow[]) {
  return async function* (entries: AsyncIterable<Entry>): AsyncGenerator<string> {
    const lines = new Map<string, string>();
    for await (const entry of entries) {
      if (entry.kind === "damage") continue;
      const id = entry.kind === "row" ? entry.row["id"] : undefined;
      if (typeof id === "string" && id !== "") lines.set(id, entry.text);
      else yield entry.text;
    }
    for (const { id, text } of rows) lines.set(id, text);
    for (const id of [...lines.keys()].sort(compareCodePoints)) yield lines.get(id) as string;
  };
}
