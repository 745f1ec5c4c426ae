/** Whole lines of a file, as many as a read gave; a line without an end and one that is too long are damage. */
import { limits, type OpenFile } from "@bridle/record";
import { damaged } from "./damage.js";

export const newline = 10;

/** Lines one after the other, and the byte of the file at which they begin. */
export interface LineBytes {
  readonly bytes: Buffer;
  readonly byte: number;
}

export interface Line {
  readonly byte: number;
  readonly end: number;
  readonly text: string;
}

const chunkBytes = 1024 * 1024;

export async function* lineBytes(file: OpenFile, path: string): AsyncGenerator<LineBytes> {
  let rest: Buffer = Buffer.alloc(0);
  for (let byte = 0; ;) {
    const more = viewOf(await file.read(byte + rest.length, chunkBytes));
    if (more.length === 0 && rest.length > 0) throw damaged(path, `the line at byte ${byte} has no end`);
    if (more.length === 0) return;
    const all = rest.length === 0 ? more : Buffer.concat([rest, more]);
    const whole = all.lastIndexOf(newline) + 1;
    if (whole > 0) yield { bytes: all.subarray(0, whole), byte };
    rest = all.subarray(whole);
    byte += whole;
    if (rest.length > limits.rowBytesMax) throw damaged(path, `the line at byte ${byte} is too long`);
  }
}

export function* linesIn({ bytes, byte }: LineBytes): Generator<Line> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(newline, from);
    yield { byte: byte + from, end: byte + end + 1, text: bytes.toString("utf8", from, end) };
    from = end + 1;
  }
}

/** The same bytes, not a copy of them. */
export function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
