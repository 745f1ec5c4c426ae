/**
 * Whether some git may be at work in a folder. A lock file of git names nobody, so whether its owner is gone is seen
 * only from this: git stands in the folder that it works on. Where that cannot be seen, the answer is that one may.
 */
import { readlinkSync } from "node:fs";
import { entriesOf, textOf } from "../disk.js";
import { isWithin } from "../paths.js";

export function mayGitWorkIn(folders: readonly string[]): boolean {
  if (process.platform !== "linux") return true;
  return entriesOf("/proc").some(({ name }) => {
    if (!/^\d+$/.test(name) || !textOf(`/proc/${name}/comm`).startsWith("git")) return false;
    try {
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      return folders.some((folder) => isWithin(cwd, folder));
    } catch (error) {
      // Somebody else's, of whom we are told nothing; one that has just ended is nobody any more.
      return (error as NodeJS.ErrnoException).code !== "ENOENT";
    }
  });
}
