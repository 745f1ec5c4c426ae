/**
 * The manual of logs: append-only JSONL files that several processes share.
 *
 * What bytes exist after a crash:
 * - a row that was acknowledged as `written` survives the death of its process;
 * - a row that was acknowledged as `synced` survives the death of the machine;
 * - behind the last newline there may be a fragment of a row that was never
 *   acknowledged; the next one who takes the lock sets it aside and cuts it off.
 */
import type { JsonObject } from "../json.js";
import type { OpenFile, Ports } from "../ports/types.js";

export type Durability = "written" | "synced";

/**
 * `state`: the file is an authority (issue memory); once damage was found, every
 * change is refused until it has been repaired. `trajectory`: the file is a
 * record of what happened; appends go on, with a warning.
 */
export type Bearing = "state" | "trajectory";

export interface LogOptions {
  readonly path: string;
  readonly bearing: Bearing;
  readonly ports: Ports;
  /** What identifies a row, for `once`; rows without an id answer undefined. */
  readonly rowId?: (row: JsonObject) => string | undefined;
  /**
   * The folder that gets `.bridle` with locks and what was set aside, instead of the file's own: for
   * a folder whose content is compared as a whole. Everybody who writes the file must say the same.
   */
  readonly localIn?: string;
  /** One who only reads leaves nothing beside a file of a folder that no writer has been in; see local.ts. */
  readonly quiet?: boolean;
  /** Lines that start with `#` are kept and are no damage. */
  readonly comments?: boolean;
  /**
   * What a conflict marker of git is: damage like any other, which leaves the damage marker, or (`sides`)
   * the sign of two sides, which is gone as soon as they were made one and is nothing to remember.
   */
  readonly conflicts?: "damage" | "sides";
  readonly lockWaitMsMax?: number;
  /** Aborted, it ends the wait for the lock; what is being written is finished. */
  readonly signal?: AbortSignal;
  /** Contract: told in one sentence what was found or done on the way (a torn tail, damage); must not throw. */
  readonly notice?: (sentence: string) => void;
}

export interface AppendOptions {
  readonly durability?: Durability;
  /** Adds nothing when the log already holds a row with this id; needs `rowId`. */
  readonly once?: string;
}

export interface Appended {
  /** False when `once` found the row there already. */
  readonly added: boolean;
  /** Where the row begins. */
  readonly byte: number;
}

/** A place in the file: before the line with this number (from 1), at this byte (from 0). */
export interface Position {
  readonly byte: number;
  readonly line: number;
}

export interface Row extends Position {
  readonly kind: "row";
  readonly row: JsonObject;
  /** The line as it stands in the file, without its newline. */
  readonly text: string;
}

export interface Comment extends Position {
  readonly kind: "comment";
  readonly text: string;
}

export const damageKinds = {
  nul_bytes: "NUL bytes, as a disk leaves them after a power loss",
  utf8_invalid: "bytes that are not UTF-8",
  merge_marker: "a merge-conflict marker",
  json_invalid: "text that is not JSON",
  row_not_object: "JSON that is not an object",
  line_too_long: "a line longer than the limit",
  byte_order_mark: "a byte order mark",
  carriage_return: "a line that ends with CRLF",
  checksum_mismatch: "rows that differ from the checksum their index recorded",
} as const;

export type DamageKind = keyof typeof damageKinds;

export interface Damage extends Position {
  readonly kind: "damage";
  readonly damage: DamageKind;
  /** How many bytes are concerned, newline included. */
  readonly bytes: number;
  /** The first offending byte where it is known more exactly than the line. */
  readonly at: number;
  /** Where the row could be read all the same, it is also delivered as a row. */
  readonly readable: boolean;
}

export type Entry = Row | Comment | Damage;

/** What is known when the end was reached. */
export interface ScanEnd extends Position {
  /** Bytes behind the last newline: a row that is still being written, or was never finished. */
  readonly unfinishedBytes: number;
}

/**
 * A log as it stands at one moment: while the lock is held, or in a file that
 * was opened to read. `file` tells one file from another that took its name.
 */
export interface LogState {
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Whether exactly this line still stands there, for one who read it before and goes on behind it. */
  holds(line: { readonly byte: number; readonly text: string }): Promise<boolean>;
  /**
   * The file held open: until it is closed, `file` is the name of no other. A disk gives the
   * inode of a removed file out again at once, and its times are as coarse as its clock ticks.
   * Undefined when another file has taken the name meanwhile.
   */
  hold(): Promise<OpenFile | undefined>;
  /** Rows, comments and damage from a position on, many lines at a time. */
  read(from?: Position): AsyncGenerator<{ readonly entries: readonly Entry[] }, ScanEnd, undefined>;
}

/** Where a transaction's row came to stand. */
export interface Stood {
  readonly byte: number;
  /** With its newline. */
  readonly bytes: number;
  readonly mtimeMs: number;
}

export interface TransactOptions {
  /** Synced when left out. */
  readonly durability?: Durability;
  /**
   * Contract: called while the lock is awaited, and when our turn is next: a
   * chance to read what others have written, so that less is left to do under
   * the lock. May not be called; what it throws is ignored.
   */
  readonly getReady?: () => Promise<void>;
}

/** What becomes of a log whose content is decided on as a whole, damage included; no lines: nothing changes. */
export interface Supersession<Answer> {
  readonly answer: Answer;
  readonly lines?: readonly string[];
}

/** What a transaction comes to: an answer, and at most one change of the file. */
export interface Decision<Answer> {
  readonly answer: Answer;
  /** One row, appended as it stands. */
  readonly line?: string;
  /** Contract: called once the row is in the file, still under the lock and before it is durable; must not throw. */
  readonly stood?: (at: Stood) => void;
  /** Instead of a row: the whole file anew, atomically; see rewrite.ts. */
  readonly rewrite?: (entries: AsyncIterable<Row | Comment>) => AsyncIterable<string | JsonObject>;
}
