/**
 * Locks that a killed git left in a worker's worktree, and on the target. One is removed only when its owner is proven
 * gone: no git works in this repository, and nobody touched the lock for a while.
 */
import { join } from "node:path";
import { mayGitWorkIn } from "@bridle/host";
import { codeOf, type Ports } from "@bridle/record";
import type { Repository } from "./repository.js";

/** Whoever has just made a lock may not be seen yet. */
const untouchedMs = 2_000;

export async function removeLeftLocks(
  folder: string,
  { git, commonDir, mainTree, target }: Repository,
  { files, clock }: Ports,
): Promise<void> {
  const locks = [join(commonDir, `refs/heads/${target}.lock`)];
  const own = await git
    .in(folder)
    .maybe("rev-parse", "--absolute-git-dir")
    .catch(() => undefined);
  if (own !== undefined && own.startsWith(`${commonDir}/worktrees/`))
    locks.push(...["index.lock", "HEAD.lock"].map((name) => join(own, name)));
  for (const path of locks) {
    const stat = await files.stat(path);
    if (stat === undefined) continue;
    const ageMs = (await clock.now()) - stat.mtimeMs;
    if (ageMs < untouchedMs) await clock.sleep(untouchedMs - Math.max(0, ageMs));
    const still = await files.stat(path);
    if (still === undefined || still.mtimeMs !== stat.mtimeMs) continue;
    if (mayGitWorkIn([folder, mainTree, commonDir])) continue;
    await files.remove(path).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
    });
  }
}
