/**
 * Where a file's locks, indexes, markers and staging live: `.premath/.local/`,
 * a folder that ignores itself, so that `git status` stays clean.
 *
 * A file outside any `.premath` has a `.bridle/` folder beside it instead. The
 * file is named by its real path first, so that two processes that reach it
 * through different links agree on its lock.
 */
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { sha256Hex } from "./digest.js";
import { lineFolder } from "./lock-line.js";
import { codeOf } from "./ports/errors.js";
import type { Files } from "./ports/types.js";

export interface Local {
  /** The file itself, by its real path. */
  readonly path: string;
  readonly lock: string;
  readonly index: string;
  /** Says that damage was found; see damage.ts. */
  readonly marker: string;
  /** Folder of new content before it takes the file's place; on the same disk as the file. */
  readonly staging: string;
  /** Folder of bytes that were taken out of the file, verbatim. */
  readonly setAside: string;
  /** Whether one who only reads leaves nothing in a folder that no writer has made; see `mayRemember`. */
  readonly quiet?: boolean;
  /** The file's name in those folders. */
  readonly name: string;
  readonly folder: string;
}

/** `within`: the folder that gets `.bridle` instead of the file's own, where there is no `.premath`. */
export async function localOf(path: string, files: Files, within?: string): Promise<Local> {
  const real = await realTarget(resolve(path), files);
  const beside = within === undefined ? dirname(real) : await realTarget(resolve(within), files);
  const folder = localFolder(real, beside);
  const name = nameFor(relative(dirname(folder), real));
  return {
    path: real,
    name,
    folder,
    lock: join(folder, "locks", `${name}.lock`),
    index: join(folder, "index", `${name}.json`),
    marker: join(folder, "damage", `${name}.json`),
    staging: join(folder, "staging"),
    setAside: join(folder, "set-aside"),
  };
}

/**
 * Whether one who only reads may leave something here (a damage marker, an index). A quiet one: in
 * `.premath/.local` always, beside a file of another folder only where a writer has made the folder before.
 */
export async function mayRemember(local: Local, files: Files): Promise<boolean> {
  if (local.quiet !== true) return true;
  return basename(dirname(local.folder)) === ".premath" || (await files.stat(local.folder)) !== undefined;
}

/** Makes the folders; called before the first write. */
export async function prepareLocal(local: Local, files: Files): Promise<void> {
  await files.makeDirectory(dirname(local.path));
  for (const folder of [local.lock, local.index, local.marker]) await files.makeDirectory(dirname(folder));
  await files.makeDirectory(lineFolder(local.lock));
  await files.makeDirectory(local.staging);
  await files.makeDirectory(local.setAside);
  await ignoreItself(local.folder, files);
}

/** Git sees nothing of the folder, whatever a project's own .gitignore says. */
export async function ignoreItself(folder: string, files: Files): Promise<void> {
  const ignore = join(folder, ".gitignore");
  // An empty one was left by somebody who died while making it; two who mend it at once do no harm.
  if (((await files.stat(ignore))?.size ?? 0) > 0) return;
  const file = await files.open(ignore, "append");
  try {
    await file.append(new TextEncoder().encode("*\n"));
  } finally {
    await file.close();
  }
}

/** Names end at 255 bytes; what is put behind this one takes up to 64. */
const nameBytesMax = 160;

/** A path as one name, which no other path shares. */
function nameFor(path: string): string {
  const name = path.split(sep).join("/").replaceAll("%", "%25").replaceAll("/", "%2F");
  if (Buffer.byteLength(name) <= nameBytesMax) return name;
  return `${sha256Hex(name).slice(0, 32)}.${basename(path).slice(-32)}`;
}

function localFolder(path: string, beside: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (basename(folder) === ".premath") return join(folder, ".local");
    if (folder === dirname(folder)) return join(beside, ".bridle");
  }
}

/** Follows links in the folder and in the name itself; what does not exist yet keeps its plain name. */
export async function realTarget(path: string, files: Files): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = await realTarget(parent, files);
  // A link to a file that is not there yet: that file is the one that will be made.
  const target = await files.readLink(path);
  return target === undefined ? join(folder, basename(path)) : realTarget(resolve(folder, target), files);
}
