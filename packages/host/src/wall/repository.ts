/**
 * Where git keeps what belongs to a workspace, and which of it nobody may change:
 * settings and hooks, because git runs what stands in them, later and outside the wall.
 *
 * What a newcomer gets wrong: in a linked worktree `.git` is a file that names a
 * folder elsewhere. A folder that somebody unpacked can have such a file and name
 * anything, so the named folder is believed only when it names the workspace back.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { entryAt } from "../disk.js";
import { isWithin } from "../paths.js";

export interface Repository {
  /** With settings, hooks and objects; outside the workspace where it is a linked worktree. */
  readonly common: string;
  /** Of a linked worktree: its own folder within the common one. */
  readonly own?: string;
  /** Of a linked worktree: the folder of the main tree, where there is one. */
  readonly mainTree?: string;
}

export function repositoryOf(workspace: string): Repository | undefined {
  const dotGit = join(workspace, ".git");
  const stat = entryAt(dotGit);
  if (stat?.isDirectory() === true) return { common: dotGit };
  if (stat?.isFile() !== true) return undefined;
  try {
    const own = realpathSync(resolve(workspace, lineOf(dotGit).replace(/^gitdir: /, "")));
    const back = realpathSync(resolve(own, lineOf(join(own, "gitdir"))));
    const common = realpathSync(resolve(own, lineOf(join(own, "commondir"))));
    const isOne = ["HEAD", "objects", "refs"].every((name) => existsSync(join(common, name)));
    if (back !== dotGit || !isOne || !isWithin(own, join(common, "worktrees"))) return undefined;
    return {
      common,
      own,
      ...(basename(common) === ".git" ? { mainTree: dirname(common) } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Absolute paths, whether they are there or not. */
export function protectedOfGit(workspace: string, repository: Repository | undefined): string[] {
  const dotGit = join(workspace, ".git");
  if (repository === undefined) return [dotGit];
  const { common, own } = repository;
  const settings = ["config", "config.worktree", "hooks"].map((name) => join(common, name));
  if (own === undefined) return settings;
  return [dotGit, ...settings, ...["commondir", "gitdir", "config.worktree"].map((name) => join(own, name))];
}

function lineOf(file: string): string {
  return readFileSync(file, "utf8").trimEnd();
}
