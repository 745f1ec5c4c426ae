/** The machine as it is: its Node, its disk, its wall. */
import { chmod, statfs } from "node:fs/promises";
import type { Machine } from "./types.js";

export function thisMachine(env: Readonly<Record<string, string | undefined>>): Machine {
  return {
    node: process.versions.node,
    async freeBytes(folder) {
      try {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      } catch {
        return undefined;
      }
    },
    async wall(folder) {
      const { openCommands } = await import("@bridle/host");
      const state = await openCommands({ workspace: folder, env }).wall();
      return state.stands ? undefined : state;
    },
    setMode: (path, mode) => chmod(path, mode),
  };
}
