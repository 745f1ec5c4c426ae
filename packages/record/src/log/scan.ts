/**
 * Reading a log: rows in order, with bounded memory, and every place that is
 * no row named by line and byte instead of skipped.
 *
 * A last line without its newline is left alone; it may be somebody's row in
 * the making. A blank line is nothing.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject } from "../json.js";
import { limits } from "../limits.js";
import type { OpenFile } from "../ports/types.js";
import type { Damage, DamageKind, Entry, Position, ScanEnd } from "./types.js";

export interface ScanOptions {
  readonly from?: Position;
  /** Stops at this byte, which is the end of a line. */
  readonly until?: number;
  readonly comments?: boolean;
  readonly chunkBytes?: number;
}

/** A run of whole lines as they stand in the file, and what they say. */
export interface Batch extends Position {
  readonly bytes: Uint8Array;
  readonly lines: number;
  readonly entries: readonly Entry[];
}

const newline = 10;

export async function* scanBatches(
  file: OpenFile,
  options: ScanOptions = {},
): AsyncGenerator<Batch, ScanEnd, undefined> {
  const chunkBytes = options.chunkBytes ?? limits.readChunkBytes;
  const until = options.until ?? Number.POSITIVE_INFINITY;
  let { byte, line } = options.from ?? { byte: 0, line: 1 };
  let wanted = chunkBytes;
  const ahead = new ReadAhead(file);
  try {
    for (;;) {
      const room = Math.min(wanted, until - byte);
      const chunk = room > 0 ? await ahead.read(byte, room) : Buffer.alloc(0);
      const end = chunk.lastIndexOf(newline) + 1;
      if (end === 0) {
        if (chunk.length < room || room < wanted || chunk.length === 0) {
          return { byte, line, unfinishedBytes: chunk.length };
        }
        if (wanted <= limits.rowBytesMax) {
          wanted = Math.min(wanted * 4, limits.rowBytesMax + 1);
          continue;
        }
        const skipped = await endOfLongLine(file, byte, until);
        if (skipped.terminated) {
          const damage = damageAt("line_too_long", { byte, line }, skipped.bytes);
          yield { byte, line, bytes: new Uint8Array(0), lines: 1, entries: [damage] };
          byte += skipped.bytes;
          line += 1;
          wanted = chunkBytes;
          continue;
        }
        return { byte, line, unfinishedBytes: skipped.bytes };
      }
      const bytes = chunk.subarray(0, end);
      if (chunk.length === room) ahead.start(byte + end, Math.min(chunkBytes, until - byte - end));
      const { entries, lines } = readLines(bytes, { byte, line }, options.comments === true);
      // A reader has no lock: it may have seen half of a fragment that was just being replaced by a row.
      const doubtful = damaged(entries);
      if (doubtful && !bytes.equals(await file.read(byte, end))) continue;
      yield { byte, line, bytes, lines, entries };
      byte += end;
      line += lines;
      wanted = chunkBytes;
    }
  } finally {
    await ahead.settled();
  }
}

/** What comes next is read while what is there is being parsed; nobody closes the file under it. */
class ReadAhead {
  private next:
    | { readonly byte: number; readonly length: number; readonly read: Promise<Uint8Array> }
    | undefined;

  constructor(private readonly file: OpenFile) {}

  start(byte: number, length: number): void {
    if (length <= 0) return;
    const read = this.file.read(byte, length);
    // Whoever asks for it is told; one who stops half way never asks.
    read.catch(() => {});
    this.next = { byte, length, read };
  }

  async read(byte: number, length: number): Promise<Buffer> {
    const { next } = this;
    const isIt = next?.byte === byte && next.length === length;
    if (!isIt) await this.settled();
    this.next = undefined;
    return asBuffer(await (isIt ? next.read : this.file.read(byte, length)));
  }

  async settled(): Promise<void> {
    await this.next?.read.catch(() => {});
  }
}

export async function* scan(
  file: OpenFile,
  options: ScanOptions = {},
): AsyncGenerator<Entry, ScanEnd, undefined> {
  const batches = scanBatches(file, options);
  for (;;) {
    const next = await batches.next();
    if (next.done === true) return next.value;
    yield* next.value.entries;
  }
}

function damaged(entries: readonly Entry[]): boolean {
  for (const { kind } of entries) if (kind === "damage") return true;
  return false;
}

/** What whole lines say, from their first byte at `from`. */
export function readLines(
  bytes: Buffer,
  from: Position,
  comments: boolean,
): { readonly entries: Entry[]; readonly lines: number } {
  const entries: Entry[] = [];
  // One conversion for the whole chunk where every character is one byte.
  const ascii = isAscii(bytes) ? bytes.toString("latin1") : undefined;
  let start = 0;
  let line = from.line;
  while (start < bytes.length) {
    // In text, because looking into a buffer costs more than most lines are long.
    const end = ascii === undefined ? bytes.indexOf(newline, start) : ascii.indexOf("\n", start);
    const byte = from.byte + start;
    if (end > start) {
      const text = ascii === undefined ? undefined : ascii.slice(start, end);
      const row = text === undefined ? undefined : quickRow(text);
      if (row !== undefined && text !== undefined) entries.push({ kind: "row", row, text, byte, line });
      else readLine(bytes.subarray(start, end), { byte, line }, comments, entries);
    }
    start = end + 1;
    line += 1;
  }
  return { entries, lines: line - from.line };
}

/** The common case: a plain object on a plain line. Anything else takes the long way. */
function quickRow(text: string): JsonObject | undefined {
  if (
    text.charCodeAt(0) !== 123 ||
    text.charCodeAt(text.length - 1) !== 125 ||
    text.length > limits.rowBytesMax
  ) {
    return undefined;
  }
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

function readLine(bytes: Buffer, position: Position, comments: boolean, entries: Entry[]): void {
  const damaged = (kind: DamageKind, at = 0, readable = false) =>
    entries.push(damageAt(kind, position, bytes.length + 1, position.byte + at, readable));

  if (bytes.length > limits.rowBytesMax) return void damaged("line_too_long");
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    // Pages that a power loss left empty may have swallowed the newline before a row that is whole.
    const rest = bytes.subarray(bytes.lastIndexOf(0) + 1);
    const row = isUtf8(rest) ? quickRow(rest.toString("utf8")) : undefined;
    damaged("nul_bytes", nul, row !== undefined);
    if (row !== undefined) entries.push({ kind: "row", row, text: rest.toString("utf8"), ...position });
    return;
  }
  if (!isUtf8(bytes)) return void damaged("utf8_invalid", firstInvalidUtf8(bytes));
  let text = bytes.toString("utf8");
  const marked = text.charCodeAt(0) === 0xfeff;
  if (marked) text = text.slice(1);
  const returned = text.endsWith("\r");
  if (returned) text = text.slice(0, -1);
  if (text.trim() === "" && !marked && !returned) return;
  if (comments && text.startsWith("#")) {
    if (marked || returned) damaged(marked ? "byte_order_mark" : "carriage_return", 0, true);
    entries.push({ kind: "comment", text, ...position });
    return;
  }
  if (/^(<{7}|={7}|>{7}|\|{7})( |$)/.test(text)) return void damaged("merge_marker");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text === "" && (marked || returned)) {
      return void damaged(marked ? "byte_order_mark" : "carriage_return", 0, true);
    }
    return void damaged("json_invalid");
  }
  if (!isJsonObject(value)) return void damaged("row_not_object");
  if (marked) damaged("byte_order_mark", 0, true);
  if (returned) damaged("carriage_return", bytes.length - 1, true);
  entries.push({ kind: "row", row: value, text, ...position });
}

export function damageAt(
  damage: DamageKind,
  position: Position,
  bytes: number,
  at = position.byte,
  readable = false,
): Damage {
  return { kind: "damage", damage, byte: position.byte, line: position.line, bytes, at, readable };
}

async function endOfLongLine(
  file: OpenFile,
  from: number,
  until: number,
): Promise<{ bytes: number; terminated: boolean }> {
  for (let at = from; ;) {
    const room = Math.min(limits.readChunkBytes, until - at);
    const chunk = room > 0 ? asBuffer(await file.read(at, room)) : Buffer.alloc(0);
    if (chunk.length === 0) return { bytes: at - from, terminated: false };
    const end = chunk.indexOf(newline);
    if (end !== -1) return { bytes: at - from + end + 1, terminated: true };
    at += chunk.length;
  }
}

function firstInvalidUtf8(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > 1 && !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
