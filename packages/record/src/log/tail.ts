/**
 * A torn tail: bytes behind the last newline, left by a writer that was stopped
 * half way through a row.
 *
 * Called with the lock held. The fragment is set aside verbatim and made durable
 * before it is cut off, so that a crash in between loses nothing.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { appendFully, syncEntry } from "../atomic.js";
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { Files, OpenFile } from "../ports/types.js";
import { asBuffer } from "./scan.js";

export interface TornTail {
  /** Where the whole rows end. */
  readonly byte: number;
  readonly bytes: number;
  /** The file that holds the fragment now. */
  readonly setAside: string;
}

const newline = 10;

export interface Tail {
  /** Of the file as it is now. */
  readonly size: number;
  readonly torn?: TornTail;
}

export async function recoverTail(local: Local, file: OpenFile, files: Files): Promise<Tail> {
  const { size } = await file.stat();
  if (size === 0) return { size };
  const last = await file.read(size - 1, 1);
  if (last[0] === newline) return { size };
  const byte = await endOfRows(file, size);
  const setAside = await keepFragment(local, file, files, byte, size);
  await file.truncate(byte);
  return { size: byte, torn: { byte, bytes: size - byte, setAside } };
}

async function endOfRows(file: OpenFile, size: number): Promise<number> {
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - limits.readChunkBytes);
    const chunk = asBuffer(await file.read(start, end - start));
    const found = chunk.lastIndexOf(newline);
    if (found !== -1) return start + found + 1;
    end = start;
  }
  return 0;
}

async function keepFragment(
  local: Local,
  file: OpenFile,
  files: Files,
  from: number,
  to: number,
): Promise<string> {
  const hash = createHash("sha256");
  for (let at = from; at < to;) {
    const chunk = await file.read(at, Math.min(limits.readChunkBytes, to - at));
    if (chunk.length === 0) break;
    hash.update(chunk);
    at += chunk.length;
  }
  // Named by place and content, so that doing it again after a crash makes no second copy.
  const path = join(local.setAside, `${local.name}.byte-${from}-${to}.${hash.digest("hex").slice(0, 16)}`);
  await files.remove(path);
  const kept = await files.open(path, "create", 0o600);
  try {
    for (let at = from; at < to;) {
      const chunk = await file.read(at, Math.min(limits.readChunkBytes, to - at));
      if (chunk.length === 0) break;
      await appendFully(kept, chunk);
      at += chunk.length;
    }
    await kept.sync();
  } finally {
    await kept.close();
  }
  await syncEntry(path, files, 2);
  return path;
}
