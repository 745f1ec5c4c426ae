/**
 * Replacing a file whole: the old content or the new one, never a third.
 *
 * Written to staging, synced, renamed over, and the folder synced, in this
 * order. After a failure before the rename the old content stands; a failure of
 * the last sync leaves the new content visible but not yet certain to survive
 * the machine, and is reported.
 */
import { basename, dirname, join } from "node:path";
import type { Local } from "./local.js";
import { codeOf, failureAt, requireRegular } from "./ports/errors.js";
import type { Files, OpenFile, Ports } from "./ports/types.js";

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
  const drafts = `${local.name}${options.target === undefined ? ".next" : ".aside"}.`;
  // Whoever replaces the file itself holds its lock, so other drafts of it were left by the dead.
  if (options.target === undefined)
    await removeAbandoned(local.staging, { prefix: drafts, ending: "" }, files);
  const draft = join(local.staging, drafts + (await ids.next()));
  const mode = (await files.stat(target))?.mode;
  await putInPlace({ draft, target, mode, durable }, files, write);
  if (durable) await syncEntry(target, files);
}

interface Placing {
  readonly draft: string;
  readonly target: string;
  readonly mode: number | undefined;
  readonly durable: boolean;
}

async function putInPlace(
  { draft, target, mode, durable }: Placing,
  files: Files,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> {
  try {
    const file = await files.open(draft, "create", mode);
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
}

export interface PutOptions {
  /** Of a file that is new; the usual ones when left out. */
  readonly permissions?: number;
  /** False for what can be had again: no syncs. */
  readonly durable?: boolean;
}

/**
 * Writes a file that is nobody's memory (an export, a setting) whole or not at
 * all, through a draft beside it: it has no lock and no folder of its own.
 */
export async function putFile(
  path: string,
  bytes: Uint8Array,
  ports: Ports,
  { durable = true, permissions }: PutOptions = {},
): Promise<void> {
  const { files, ids } = ports;
  try {
    const before = await files.stat(path);
    if (before !== undefined) requireRegular(path, before, "document");
    const target = before === undefined ? path : await files.realPath(path);
    const draft = join(dirname(target), `${draftsOf(target)}${await ids.next()}${draftEnding}`);
    await putInPlace({ draft, target, mode: before?.mode ?? permissions, durable }, files, (file) =>
      appendFully(file, bytes),
    );
    if (durable) await files.syncDirectory(dirname(target));
  } catch (error) {
    throw failureAt(path, error);
  }
}

const draftEnding = ".draft";

function draftsOf(path: string): string {
  return `.${basename(path).slice(0, 100)}.`;
}

/** What a `putFile` of this path left that was killed; for who knows that nobody puts it at this moment. */
export async function removeDrafts(path: string, files: Files): Promise<void> {
  const folder = dirname(path);
  if ((await files.stat(folder))?.kind !== "directory") return;
  await removeAbandoned(folder, { prefix: draftsOf(path), ending: draftEnding }, files);
}

interface Drafts {
  readonly prefix: string;
  readonly ending: string;
}

/** Between prefix and ending stands an id and nothing else, or it is the draft of a file with a longer name. */
async function removeAbandoned(folder: string, { prefix, ending }: Drafts, files: Files): Promise<void> {
  for (const name of await files.list(folder)) {
    const isDraft = name.startsWith(prefix) && name.endsWith(ending);
    const id = name.slice(prefix.length, name.length - ending.length);
    if (isDraft && id !== "" && !id.includes(".")) await files.remove(join(folder, name));
  }
}

/**
 * Makes a file's name durable: its entry in its folder, and the entries of that
 * many folders above it, which may be as new as the file.
 */
export async function syncEntry(path: string, files: Files, newFolders = 1): Promise<void> {
  let folder = dirname(path);
  await files.syncDirectory(folder);
  for (let level = 0; level < newFolders; level++) {
    folder = dirname(folder);
    try {
      await files.syncDirectory(folder);
    } catch (error) {
      // A folder that we may not open was not made by us.
      if (!["EACCES", "EPERM"].includes(codeOf(error) ?? "")) throw error;
    }
  }
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
