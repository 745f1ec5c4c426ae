/** Where a workspace has files that hold keys and passwords; which names do is said in `@bridle/record`. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isCredential, mayHoldCredential } from "@bridle/record";

/** Folders that are made by programs and hold many files. */
const skipped = new Set([".git", "node_modules"]);
/** Beyond this many entries nobody looks further. */
const entriesMax = 300_000;

export interface Found {
  /** Absolute. */
  readonly credentials: readonly string[];
  readonly environmentFiles: readonly string[];
}

export async function findCredentials(root: string): Promise<Found> {
  const credentials: string[] = [];
  const environmentFiles: string[] = [];
  let left = entriesMax;
  let level = [root];
  while (level.length > 0 && left > 0) {
    const next: string[] = [];
    for (let i = 0; i < level.length; i += 64) {
      const slice = level.slice(i, i + 64);
      const lists = await Promise.all(slice.map((folder) => entriesOf(folder)));
      for (const [j, entries] of lists.entries()) {
        left -= entries.length;
        for (const entry of entries) {
          const path = join(slice[j] ?? root, entry.name);
          if (isCredential(path)) credentials.push(path);
          else if (entry.isDirectory() && !skipped.has(entry.name)) next.push(path);
          else if (mayHoldCredential(path)) environmentFiles.push(path);
        }
      }
    }
    level = next;
  }
  return { credentials, environmentFiles };
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
