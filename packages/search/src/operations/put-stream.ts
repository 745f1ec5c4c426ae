/**
 * A file written piece by piece, whole or not at all: the pieces go to a draft
 * beside it, which takes its place when all of them are on the disk.
 */
import { basename, dirname, join } from "node:path";
import { failureAt, type Ports } from "@bridle/record";

const batchBytes = 1_000_000;

/** How many bytes were written. */
export async function putStream(
  path: string,
  pieces: AsyncIterable<string>,
  { files, ids }: Ports,
): Promise<number> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${await ids.next()}.draft`);
  let written = 0;
  try {
    const file = await files.open(draft, "create");
    try {
      for await (const bytes of inBatches(pieces)) {
        for (let taken = 0; taken < bytes.length;) taken += await file.append(bytes.subarray(taken));
        written += bytes.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(draft, path);
    await files.syncDirectory(dirname(path));
  } catch (error) {
    await files.remove(draft).catch(() => {});
    throw error instanceof Error && "code" in error ? failureAt(path, error) : error;
  }
  return written;
}

async function* inBatches(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    waiting.push(bytes);
    size += bytes.length;
    if (size < batchBytes) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}
