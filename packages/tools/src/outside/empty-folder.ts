/** A folder is taken away only by `rmdir`, which fails when anything is in it: no look before could be as safe. */
import { rmdir } from "node:fs/promises";

/** False when it stays, for whatever reason. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}
