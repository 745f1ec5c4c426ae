/**
 * A disk whose user may die at any call that changes something: before it,
 * after it or, for a write, in the middle of it. It is a real death, by SIGKILL
 * from the process's own hand, so it hits exactly where a test wants it.
 */
import type { Files } from "@bridle/record";
import { alterFiles, type Random } from "@bridle/testing";
import { say } from "./child-kit.js";

export type Deed = "symlink" | "rename" | "remove" | "syncDirectory" | "append" | "truncate" | "sync";

/** How likely this call is the last; 0 for a call that is to be survived. */
export type Danger = (deed: Deed, path: string) => number;

export function mortalFiles(real: Files, random: Random, danger: Danger): Files {
  const die = (when: string, deed: Deed, path: string) => {
    say(`dies ${when} ${deed} ${path}`);
    process.kill(process.pid, "SIGKILL");
  };
  const around = async <T>(deed: Deed, path: string, act: () => Promise<T>): Promise<T> => {
    const rate = danger(deed, path) / 2;
    if (random.chance(rate)) die("before", deed, path);
    const value = await act();
    if (random.chance(rate)) die("after", deed, path);
    return value;
  };
  return alterFiles(real, {
    files: {
      symlink: (target, path) => around("symlink", path, () => real.symlink(target, path)),
      rename: (from, to) => around("rename", from, () => real.rename(from, to)),
      remove: (path) => around("remove", path, () => real.remove(path)),
      syncDirectory: (path) => around("syncDirectory", path, () => real.syncDirectory(path)),
    },
    openFile: (file, path) => ({
      async append(bytes) {
        if (!random.chance(danger("append", path))) return file.append(bytes);
        const part = random.between(1, Math.max(1, bytes.length - 1));
        await file.append(bytes.subarray(0, part));
        die("within", "append", path);
        return part;
      },
      truncate: (length) => around("truncate", path, () => file.truncate(length)),
      sync: () => around("sync", path, () => file.sync()),
    }),
  });
}
