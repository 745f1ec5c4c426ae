/** The git repository that a file lies in, and how git calls the file there. */
import { dirname, relative, sep } from "node:path";
import { type Files, type GitFolders, gitFoldersOf } from "@bridle/record";

export interface InRepository extends GitFolders {
  /** From the top, with slashes. */
  readonly inside: string;
}

/** `path` is absolute and real; undefined where it lies in no repository. */
export async function inRepository(path: string, files: Files): Promise<InRepository | undefined> {
  const folders = await gitFoldersOf(dirname(path), files);
  return folders && { ...folders, inside: relative(folders.top, path).split(sep).join("/") };
}
