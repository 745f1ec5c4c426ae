/**
 * "Did you mean …?" for a path that is not there.
 *
 * What a newcomer gets wrong: the first part that is missing is the one to
 * compare, not the last; and a name that looks the same but is spelled with other
 * code points is named as such, because nobody can see it.
 */
import { Failure, nearest } from "@bridle/record";
import type { Workspace, WorkspacePath } from "../types.js";
import { shown } from "./place.js";

const namesMax = 5_000;

/** The failure with the nearest existing name in its hint, where a path is missing and there is one. */
export async function withNearest(
  workspace: Workspace,
  path: WorkspacePath | "",
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure) || error.failureClass !== "file_missing") return error;
  const near = await nearestPath(workspace, path).catch(() => undefined);
  if (near === undefined) return error;
  const twin = near.normalize("NFKC").toLowerCase() === path.normalize("NFKC").toLowerCase();
  const hint = twin
    ? `Did you mean ${shown(near)}? It is spelled with other characters or in another case.`
    : `Did you mean ${shown(near)}?`;
  return new Failure("file_missing", { message: error.message, hint, cause: error });
}

async function nearestPath(workspace: Workspace, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (const [i, part] of parts.entries()) {
    const above = parts.slice(0, i).join("/");
    const names = (await workspace.list(above as WorkspacePath | "")).map(({ name }) => name);
    if (names.includes(part)) continue;
    const near = nearest(part, names.slice(0, namesMax));
    return near === undefined ? undefined : [...parts.slice(0, i), near, ...parts.slice(i + 1)].join("/");
  }
  return undefined;
}
