/**
 * The bytes of one file below an open folder.
 *
 * What a newcomer gets wrong: to open a pipe waits for whoever writes into it,
 * and to open a device may do something. So the name is looked at first, opened
 * without waiting, and judged again by its handle.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { Failure } from "@bridle/record";
import type { Folder } from "./workspace-folders.js";
import { explained, look, missing, requireFile } from "./workspace-walk.js";

const { O_NONBLOCK, O_RDONLY } = fs.constants;

/** What is read into memory at once. */
export const readBytesMax = 256 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
/** What is small is mostly in memory, and the trip through the pool costs more than the copy. */
const quickBytesMax = 64 * 1024;
/** Quick reads between two turns of the event loop, so that whoever reads file after file can be stopped. */
const quickReadsPerTurn = 64;
let quickReads = 0;

/** A handle on a regular file. */
export function openRegular(folder: Folder, name: string, path: string): number {
  const seen = look(folder, name, path);
  if (seen === undefined) throw missing(path);
  requireFile(seen, path);
  let fd: number;
  try {
    fd = folder.open(name, O_RDONLY | (O_NONBLOCK ?? 0));
  } catch (error) {
    throw explained(folder, name, path, error);
  }
  try {
    requireFile(fs.fstatSync(fd), path);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

export interface Range {
  readonly offset: number;
  readonly length: number;
}

export async function readRange(fd: number, path: string, range: Range | undefined): Promise<Uint8Array> {
  const { size } = fs.fstatSync(fd);
  const offset = range?.offset ?? 0;
  const length = Math.min(range?.length ?? size, Math.max(size - offset, 0));
  if (length > readBytesMax) {
    throw new Failure("file_too_large", {
      message: `${path} has ${size} bytes; at most ${readBytesMax} are read at once`,
      hint: "Read a part of it.",
    });
  }
  const buffer = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const count = await readSome(fd, buffer.subarray(got), offset + got);
    if (count === 0) break;
    got += count;
  }
  return buffer.subarray(0, got);
}

async function readSome(fd: number, into: Buffer, position: number): Promise<number> {
  if (into.length <= quickBytesMax) {
    if (++quickReads % quickReadsPerTurn === 0) await new Promise(setImmediate);
    return fs.readSync(fd, into, 0, into.length, position);
  }
  return new Promise((done, fail) =>
    fs.read(fd, into, 0, into.length, position, (error, count) => (error ? fail(error) : done(count))),
  );
}

/** In one go, so that nothing else of this process happens between the look and what follows it. */
export function hashNow(fd: number): { readonly sha256: string; readonly bytes: number } {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let bytes = 0;
  for (;;) {
    const count = fs.readSync(fd, buffer, 0, pieceBytes, bytes);
    if (count === 0) return { sha256: hash.digest("hex"), bytes };
    hash.update(buffer.subarray(0, count));
    bytes += count;
  }
}

export async function writeAll(fd: number, content: Uint8Array): Promise<void> {
  let done = 0;
  while (done < content.length) {
    const rest = content.subarray(done);
    done += await new Promise<number>((resolve, reject) =>
      fs.write(fd, rest, 0, rest.length, done, (error, count) => (error ? reject(error) : resolve(count))),
    );
  }
}
