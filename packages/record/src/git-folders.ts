/**
 * Where git keeps what belongs to a folder, found without running git.
 *
 * A worktree's `.git` is a file that names a folder of its own (its index, what
 * it has checked out), which names the folder that all worktrees share. In an
 * ordinary repository both are the folder `.git`.
 */
import { dirname, join, resolve } from "node:path";
import type { Files } from "./ports/types.js";

export interface GitFolders {
  /** The top of the work tree. */
  readonly top: string;
  /** This work tree's own: its index, a merge that is under way. */
  readonly gitDir: string;
  /** What all work trees share: settings, branches. */
  readonly commonDir: string;
}

/** Of the repository that the folder lies in; undefined where there is none. */
export async function gitFoldersOf(folder: string, files: Files): Promise<GitFolders | undefined> {
  for (let top = folder; ; top = dirname(top)) {
    const dotGit = join(top, ".git");
    const stat = await files.stat(dotGit);
    if (stat?.kind === "directory") return { top, gitDir: dotGit, commonDir: dotGit };
    if (stat?.kind === "file") return pointedFrom(top, dotGit, files);
    if (stat !== undefined || top === dirname(top)) return undefined;
  }
}

async function pointedFrom(top: string, dotGit: string, files: Files): Promise<GitFolders | undefined> {
  const pointer = /^gitdir: (.+?)\s*$/m.exec((await readText(dotGit, files)) ?? "")?.[1];
  if (pointer === undefined) return undefined;
  const gitDir = resolve(top, pointer);
  const common = (await readText(join(gitDir, "commondir"), files))?.trim();
  return { top, gitDir, commonDir: resolve(gitDir, common ?? "") };
}

async function readText(path: string, files: Files): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") return undefined;
  const file = await files.open(path, "read");
  try {
    return new TextDecoder().decode(await file.read(0, Math.min(stat.size, 64 * 1024)));
  } finally {
    await file.close();
  }
}
