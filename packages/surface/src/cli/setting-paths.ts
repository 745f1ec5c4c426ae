/** Where settings stand in files; apart from what reads them, because every command looks whether there are any. */
import { dirname, join } from "node:path";
import { type Files, settingsFolder } from "@bridle/record";

/** The nearest upwards; undefined where there is none. */
export async function projectSettingsPath(cwd: string, files: Files): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".bridle", "settings.json");
    if ((await files.stat(path)) !== undefined) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Undefined where the environment names no home. */
export function ownSettingsPath(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folder = settingsFolder(env);
  return folder === undefined ? undefined : join(folder, "settings.json");
}
