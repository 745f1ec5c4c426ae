/**
 * Replacing a file whole: the old content or the new one, never a third.
 *
 * Written to staging, synced, renamed over, and the folder synced, in this
 * order. After a failure before the rename the old content stands; a failure of
 * the last sync leaves the new content visible but not yet certain to survive
 * the machine, and is reported.
 */
import { dirname, join } from "node:path";
import type { Local } from "./local.js";
import type { OpenFile, Ports } from "./ports/types.js";

export interface ReplaceOptions {
  /** False for what can be rebuilt (an index): no syncs. */
  readonly durable?: boolean;
  /** Where the content goes instead of the file itself. */
  readonly target?: string;
}

/** Writes the new content through `write`, then puts it in the file's place. */
export async function replaceFile(
  local: Local,
  ports: Ports,
  write: (file: OpenFile) => Promise<void>,
  options: ReplaceOptions = {},
): Promise<void> {
  const { files, ids } = ports;
  const durable = options.durable !== false;
  const target = options.target ?? local.path;
  const draft = join(local.staging, `${local.name}.${await ids.next()}`);
  const before = await files.stat(target);
  try {
    const file = await files.open(draft, "create", before === undefined ? 0o666 : before.mode);
    try {
      await write(file);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(draft, target);
  } catch (error) {
    await files.remove(draft).catch(() => {});
    throw error;
  }
  if (durable) await files.syncDirectory(dirname(target));
}

/** Writes all of the bytes at the end, however many calls it takes. */
export async function appendFully(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.append(written === 0 ? bytes : bytes.subarray(written));
    if (count <= 0) throw Object.assign(new Error("ENOSPC: the disk took no bytes"), { code: "ENOSPC" });
    written += count;
  }
}
