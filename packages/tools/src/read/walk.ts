/**
 * Files below a folder, in the order of their names, without what nobody wants to read.
 *
 * What a newcomer gets wrong: a folder tree has no end that one may rely on; how
 * deep and how many is bounded here, and whoever walks learns what was left out.
 */
import { Failure } from "@bridle/record";
import type { FileFacts, Workspace, WorkspacePath } from "../types.js";

/** Not entered unless they are named. */
export const leftOut = new Set([".git", "node_modules"]);
const depthMax = 64;

export interface Found {
  readonly path: WorkspacePath;
  readonly kind: FileFacts["kind"] | "link";
  /** 1 for what lies in the folder itself. */
  readonly depth: number;
  /** A folder that is not entered. */
  readonly closed: boolean;
}

export async function* walk(
  workspace: Workspace,
  folder: WorkspacePath | "",
  deepest: number = depthMax,
): AsyncGenerator<Found> {
  const max = Math.min(deepest, depthMax);
  yield* below(workspace, folder, await workspace.list(folder), { depth: 1, max });
}

async function* below(
  workspace: Workspace,
  folder: WorkspacePath | "",
  entries: Entries,
  { depth, max }: { readonly depth: number; readonly max: number },
): AsyncGenerator<Found> {
  for (const { name, kind } of entries) {
    const path = (folder === "" ? name : `${folder}/${name}`) as WorkspacePath;
    const isOpen = kind === "folder" && depth < max && !leftOut.has(name);
    // Undefined where it went away, was swapped for a link, may not be read, or has a name that no path may have.
    const inside = isOpen ? await unlessFailure(workspace.list(path)) : undefined;
    yield { path, kind, depth, closed: kind === "folder" && inside === undefined };
    if (inside !== undefined) yield* below(workspace, path, inside, { depth: depth + 1, max });
  }
}

type Entries = Awaited<ReturnType<Workspace["list"]>>;

export function unlessFailure<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
}

/** As a line of an answer: a name can hold a line end, and must not make two lines of one. */
export function printable(path: string): string {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(path) || !path.isWellFormed() ? JSON.stringify(path) : path;
}
