/**
 * Where things are: the folder whose `.premath` a call works on.
 *
 * In this order: what the caller names, what the environment names, the nearest
 * folder upwards that has a `.premath`, the working directory. A git worktree
 * shares the main tree's memory, even when the checkout brought a `.premath` of
 * its own along, because two memories of one project is how claims are doubled;
 * PREMATH_WORKTREE_MEMORY=own asks for a separate one. What says what one worker
 * is doing (the feature ledger) is each worktree's own: see `locateOwnRoot`.
 */
import { basename, dirname, join, relative, resolve } from "node:path";
import { Failure } from "./failures.js";
import { gitFoldersOf } from "./git-folders.js";
import type { Files } from "./ports/types.js";

export interface LocateOptions {
  readonly files: Files;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A root named by the caller. */
  readonly root?: string;
}

export interface Located {
  readonly root: string;
  /** Whether we stand in a linked git worktree and this is the main tree's. */
  readonly ofMainTree: boolean;
}

export async function locateRoot(options: LocateOptions): Promise<string> {
  return (await locateMemory(options)).root;
}

/** The root, and whose it is. */
export async function locateMemory(options: LocateOptions): Promise<Located> {
  const { files, cwd, env } = options;
  const named = options.root ?? nonBlank(env["PREMATH_ROOT"]);
  if (named !== undefined) return { root: resolve(cwd, named), ofMainTree: false };
  const nearest = await nearestWith(".premath", cwd, files);
  if (sharing(env)) {
    // Where we stand and where a memory was found may lie in two repositories, one inside the other.
    for (const place of nearest === undefined ? [cwd] : [cwd, nearest]) {
      const shared = await mainTreeOf(place, files);
      if (shared === undefined) continue;
      // A project may live in a subfolder of the repository; it is in the same place in the main tree.
      const found = await nearestWith(".premath", shared.same, files, shared.top);
      if (found !== undefined) return { root: found, ofMainTree: true };
      if (place === nearest) return { root: shared.same, ofMainTree: true };
    }
  }
  return { root: nearest ?? cwd, ofMainTree: false };
}

/**
 * The folder whose `.premath` belongs to where one stands: for what each git worktree has of its own.
 *
 * As the root, but a linked worktree never looks beyond its own top.
 */
export async function locateOwnRoot(options: LocateOptions): Promise<string> {
  const { files, cwd, env } = options;
  const named = options.root ?? nonBlank(env["PREMATH_ROOT"]);
  if (named !== undefined) return resolve(cwd, named);
  const worktree = await linkedWorktreeOf(cwd, files);
  if (worktree === undefined) return (await nearestWith(".premath", cwd, files)) ?? cwd;
  return (await nearestWith(".premath", cwd, files, worktree.folder)) ?? worktree.folder;
}

export interface LocatePathOptions extends LocateOptions {
  readonly flag: string | undefined;
  readonly setting?: string;
  readonly fallback: string;
  /** Each git worktree has one of its own. */
  readonly own?: boolean;
}

/** A path that the caller or the environment named, or the contract's default under the root. */
export async function locatePath(options: LocatePathOptions): Promise<string> {
  const { flag, setting, env, cwd } = options;
  if (flag !== undefined) return resolve(cwd, flag);
  const set = setting === undefined ? undefined : nonBlank(env[setting]);
  if (set !== undefined) return resolve(cwd, set);
  const root = await (options.own === true ? locateOwnRoot(options) : locateRoot(options));
  return join(root, options.fallback);
}

function sharing(env: LocateOptions["env"]): boolean {
  const choice = nonBlank(env["PREMATH_WORKTREE_MEMORY"]) ?? "shared";
  if (choice === "shared") return true;
  if (choice === "own") return false;
  throw new Failure("setting_unknown", {
    message: `PREMATH_WORKTREE_MEMORY is ${JSON.stringify(choice)}; it can be "shared" or "own"`,
  });
}

/** Upwards from a folder, as far as `top`. */
async function nearestWith(
  name: string,
  from: string,
  files: Files,
  top?: string,
): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    if ((await files.stat(join(folder, name))) !== undefined) return folder;
    if (folder === top || folder === dirname(folder)) return undefined;
  }
}

/** For a folder inside a linked git worktree: the main tree's top, and the same folder there. */
async function mainTreeOf(folder: string, files: Files): Promise<{ top: string; same: string } | undefined> {
  const worktree = await linkedWorktreeOf(folder, files);
  if (worktree === undefined) return undefined;
  const { commonDir } = worktree;
  if (basename(commonDir) !== ".git") return undefined;
  const top = dirname(commonDir);
  if ((await files.stat(top))?.kind !== "directory") return undefined;
  return { top, same: join(top, relative(worktree.folder, folder)) };
}

/** For a folder inside a linked git worktree: the worktree's top, and the git folder that it shares. */
async function linkedWorktreeOf(
  folder: string,
  files: Files,
): Promise<{ folder: string; commonDir: string } | undefined> {
  const found = await gitFoldersOf(folder, files);
  // Only a linked worktree has a common folder besides its own; a submodule has not.
  if (found === undefined || found.commonDir === found.gitDir) return undefined;
  return { folder: found.top, commonDir: found.commonDir };
}

function nonBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
