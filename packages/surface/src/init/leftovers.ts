/** What an init or undo left beside the files when it was killed: drafts that never took a place. */
import { join } from "node:path";
import { type Files, gitFoldersOf, removeDrafts } from "@bridle/record";

/** Under it git's settings are tried, in git's own folder. */
export function settingsCopy(id: string): string {
  return `bridle-init-${id}.config`;
}

export async function removeLeftovers(top: string, paths: readonly string[], files: Files): Promise<void> {
  for (const path of paths) await removeDrafts(path, files);
  const folder = (await gitFoldersOf(top, files))?.commonDir;
  if (folder === undefined) return;
  const isCopy = (name: string) => /^bridle-init-[^.]+\.config$/.test(name);
  for (const name of (await files.list(folder)).filter(isCopy)) await files.remove(join(folder, name));
}
