/**
 * Files that hold keys and passwords, by their names, and where a workspace has some.
 */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isCredential, isEnvironmentFile, mayHoldCredential } from "@bridle/record";

/** Folders of which everything is covered, although of some a reader may see a part. */
const folders = /(?:^|\/)(?:\.ssh|\.gnupg|\.password-store|\.config\/(?:gh|gcloud|op|hub|bridle))$/i;

/** Of a file, or of a folder of which everything is one. */
export function holdsCredentials(path: string): boolean {
  return isCredential(path) || folders.test(path) || (mayHoldCredential(path) && !isEnvironmentFile(path));
}

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
          if (holdsCredentials(path.slice(root.length))) credentials.push(path);
          else if (entry.isDirectory() && !skipped.has(entry.name)) next.push(path);
          else if (isEnvironmentFile(path)) environmentFiles.push(path);
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
