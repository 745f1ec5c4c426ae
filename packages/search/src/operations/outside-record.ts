/** Runs and packs are never written into: a file that is asked for must lie outside of them. */
import { dirname, join, relative, sep } from "node:path";
import { codeOf, type Files, refuse, type Refusal } from "@bridle/record";

/** `path` and `folders` are absolute; links are followed. Undefined when it lies outside. */
export async function requireOutside(
  path: string,
  folders: readonly string[],
  files: Files,
): Promise<Refusal | undefined> {
  const target = await real(dirname(path), files);
  for (const folder of folders) {
    const below = relative(await real(folder, files), target);
    if (below === ".." || below.startsWith(`..${sep}`)) continue;
    return refuse("export_into_record", {
      message: `${path} lies in ${folder}, which is a record and is not written into`,
      hint: `Name a file outside of it, such as ${join(dirname(folder), "exported.json")}.`,
    });
  }
  return undefined;
}

async function real(path: string, files: Files): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return path;
    throw error;
  }
}
