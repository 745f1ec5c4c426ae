/**
 * What was read of one issues file, and how far: the issues as the last row of each
 * id says, and what stands there besides them.
 *
 * It is caught up with by reading on from where the last look ended, as long as the
 * file is the same one and nobody edited what was read.
 */
import {
  compareCodePoints,
  type Damage,
  type Entry,
  type LogState,
  type OpenFile,
  type Position,
  type Row,
  type Stood,
} from "@bridle/record";
import { workLimits } from "../limits.js";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import { grewFrom } from "../memory/sides.js";
import type { NewRow } from "../memory/types.js";

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

/** What was read of one file. */
export class LoadedIssues {
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

  /** What a reader should know about the file. */
  get findings(): Findings {
    const { damage, damageCount, rowCount, rowsBeforeDamage, linesWithoutId, rowsWithoutId } = this;
    const bytes = this.end.byte;
    return { damage, damageCount, rowCount, rowsBeforeDamage, linesWithoutId, rowsWithoutId, bytes };
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
