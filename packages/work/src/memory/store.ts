/**
 * Issue memory of one file, kept in this process and caught up with the file
 * before every question and under the lock before every change.
 *
 * Catching up reads what was added since the last look and nothing else. Only a
 * file that is no longer the one that was read (compacted, merged, checked out,
 * edited in place) is read from its start.
 */
import {
  compareCodePoints,
  type Damage,
  type Decision,
  describeDamage,
  type Entry,
  Failure,
  isRefusal,
  Log,
  type LogState,
  type Ports,
  type Position,
  type Refusal,
  refuse,
  type Row,
  type Stood,
} from "@bridle/record";
import { workLimits } from "../limits.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import type { Decide, NewRow } from "./types.js";

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

  private constructor(
    private readonly log: Log,
    private readonly options: IssueMemoryOptions,
    private readonly notices: string[],
  ) {
    this.shown = options.shown ?? options.path;
  }

  static async open(options: IssueMemoryOptions): Promise<IssueMemory> {
    const { path, ports, lockWaitMsMax, signal } = options;
    const notices: string[] = [];
    const log = await Log.open({
      path,
      bearing: "state",
      comments: true,
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
      if (there === undefined) this.loaded = new Loaded();
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

  get rowCount(): number {
    return this.loaded.rowCount;
  }

  /** Decides on what is there now and makes it durable, or changes nothing and says why. */
  async change<Answer>(
    decide: Decide<Answer>,
    { create = false }: ChangeOptions = {},
  ): Promise<Answer | Refusal> {
    if (!(await this.isThere())) {
      if (!create) return this.missing();
      // What is refused without any issue is refused before a file is made for it.
      const first = decide(new IssueGraph(), await this.options.ports.clock.now());
      if (isRefusal(first)) return first;
    }
    let answer: Answer | Refusal | typeof unread = unread;
    for (let attempt = 0; answer === unread; attempt++) {
      // A whole file is not read under the lock, where everybody would wait for it, unless it keeps being replaced.
      if (attempt > 0) await this.graph();
      answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {
        if (attempt === 0 && this.loaded.isOfAnother(state)) return { answer: unread };
        await this.inTurn(() => this.catchUp(state));
        this.refuseDamaged();
        const { graph } = this.loaded;
        const outcome = decide(graph, await this.options.ports.clock.now());
        if (isRefusal(outcome)) return { answer: outcome };
        const [row, ...more] = outcome.rows;
        if (row === undefined) return { answer: outcome.answer };
        if (more.length > 0) return { answer: outcome.answer, rewrite: rewriting(outcome.rows) };
        return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };
      });
    }
    if (this.loaded.garbageDominates()) await this.tidy();
    return answer;
  }

  /** One row an issue, sorted by id; what is no issue stands first, as it was. */
  async compact(): Promise<Compaction | Refusal> {
    if (!(await this.isThere())) return this.missing();
    return this.log.transact<Compaction>(async (state) => {
      await this.inTurn(() => this.catchUp(state));
      return this.compaction();
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
  }

  /**
   * Reads before the lock is taken: others then wait only for what was added since, and a file that
   * is damaged or too large is refused before anything beside it is touched. What was read once is
   * caught up with under the lock.
   */
  private async isThere(): Promise<boolean> {
    const known = this.exists && this.damage.length === 0;
    if (!known || !(await this.log.exists())) await this.graph();
    this.refuseDamaged();
    return this.exists;
  }

  private missing(): Refusal {
    return refuse("issue_memory_missing", {
      message: `there is no issue memory at ${this.shown}`,
      hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
    });
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
    if (this.loaded.isCurrent(state)) return;
    if (!(await this.loaded.mayContinue(state))) this.loaded = new Loaded();
    await this.loaded.read(state);
  }

  private tooLarge(size: number): Failure {
    const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en-US")} MB`;
    return new Failure("issue_memory_too_large", {
      message: `${this.shown} has ${megabytes(size)}; issue memory has at most ${megabytes(workLimits.issuesBytesMax)}`,
      hint: "Move closed issues to another file, or look whether this is the file that you mean.",
      detail: { bytes: size, bytesMax: workLimits.issuesBytesMax },
    });
  }
}

/** What was read of one file. */
class Loaded {
  readonly graph = new IssueGraph();
  readonly damage: Damage[] = [];
  file: string | undefined;
  rowCount = 0;
  rowsWithoutId = 0;
  /** Whether the issues stand in the order of their ids, each once. */
  inOrder = true;
  private end: Position = { byte: 0, line: 1 };
  private size = 0;
  private mtimeMs: number | undefined;
  private last: { readonly byte: number; readonly text: string } | undefined;
  private lastId: string | undefined;

  /** Whether what was read is of a file that this one has replaced. */
  isOfAnother({ file }: LogState): boolean {
    return this.file !== undefined && file !== this.file;
  }

  isCurrent({ file, size, mtimeMs }: LogState): boolean {
    if (file !== this.file || size !== this.size) return false;
    // Read past what was known of the file then: the time of that read says nothing.
    this.mtimeMs ??= mtimeMs;
    return mtimeMs === this.mtimeMs;
  }

  /** Not when the last row that was read is no longer where it was: the file was edited in place. */
  async mayContinue(state: LogState): Promise<boolean> {
    if (state.file !== this.file || state.size <= this.size) return false;
    return this.last === undefined || state.holds(this.last);
  }

  async read(state: LogState): Promise<void> {
    const batches = state.read(this.end);
    this.file = state.file;
    for (;;) {
      const next = await batches.next();
      if (next.done === true) {
        const { byte, line, unfinishedBytes } = next.value;
        this.end = { byte, line };
        this.size = Math.max(state.size, byte + unfinishedBytes);
        this.mtimeMs = this.size === state.size ? state.mtimeMs : undefined;
        return;
      }
      for (const entry of next.value.entries) this.take(entry);
    }
  }

  addOwn(row: NewRow, { byte, bytes, mtimeMs }: Stood): void {
    if (byte !== this.end.byte) return;
    const { line } = this.end;
    const parsed = JSON.parse(row.text) as Row["row"];
    this.take({ kind: "row", row: parsed, text: row.text, byte, line });
    this.end = { byte: byte + bytes, line: line + 1 };
    this.size = this.end.byte;
    this.mtimeMs = mtimeMs;
  }

  garbageDominates(): boolean {
    const live = this.graph.size + this.rowsWithoutId;
    return this.rowCount - live > Math.max(live, workLimits.garbageRowsMin);
  }

  private take(entry: Entry): void {
    if (entry.kind === "damage") {
      if (this.damage.length < workLimits.damageListMax) this.damage.push(entry);
      return;
    }
    this.last = { byte: entry.byte, text: entry.text };
    if (entry.kind === "comment") {
      if (this.lastId !== undefined) this.inOrder = false;
      return;
    }
    this.rowCount++;
    const { id } = entry.row;
    if (typeof id !== "string" || id === "") {
      this.rowsWithoutId++;
      if (this.lastId !== undefined) this.inOrder = false;
      return;
    }
    if (this.lastId !== undefined && compareCodePoints(this.lastId, id) >= 0) this.inOrder = false;
    this.lastId = id;
    this.graph.put(new IssueNode(id, entry.row, entry.text, entry.line));
  }
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
