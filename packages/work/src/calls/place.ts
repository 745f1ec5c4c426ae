/**
 * Where an operation's files are, and how they are called in its answers.
 *
 * A path is shown as the caller gave it; one that we found is shown from the
 * caller's folder when it lies below it, and absolute when it does not.
 */
import { isAbsolute, join, relative, sep } from "node:path";
import type { Call } from "@bridle/operation";
import { locateMemory, locatePath } from "@bridle/record";
import * as Type from "typebox";

export interface LocatedFile {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
  /** Whether we stand in a git worktree and this is the main tree's file. */
  readonly ofMainTree: boolean;
}

export interface LocateRequest {
  /** As the caller gave it. */
  readonly flag: string | undefined;
  readonly root: string | undefined;
  /** The environment variable that may name it. */
  readonly setting?: string;
  /** The contract's path under the root. */
  readonly fallback: string;
  /** Each git worktree has one of its own. */
  readonly own?: boolean;
}

export async function locateFile(request: LocateRequest, call: Call): Promise<LocatedFile> {
  const { flag, root, setting, fallback, own = false } = request;
  const { cwd, env } = call;
  const where = { files: call.ports.files, cwd, env, ...(root === undefined ? {} : { root }) };
  if (flag !== undefined || setting !== undefined || own) {
    const path = await locatePath({
      ...where,
      flag,
      fallback,
      own,
      ...(setting === undefined ? {} : { setting }),
    });
    return { path, shown: flag ?? shownFrom(cwd, path), ofMainTree: false };
  }
  const { root: folder, ofMainTree } = await locateMemory(where);
  const path = join(folder, fallback);
  return { path, shown: shownFrom(cwd, path), ofMainTree };
}

function shownFrom(cwd: string, path: string): string {
  const below = relative(cwd, path);
  if (below === "" || below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return path;
  return below;
}

export const sessionDefault = ".premath/harness_session.json";
export const trajectoryDefault = ".premath/harness_trajectory.jsonl";
export const featureLedgerDefault = ".premath/harness_feature_ledger.json";
export const issuesDefault = ".premath/issues.jsonl";

/** A path, with where the file is without it; `flag` where it is not the property's own name. */
export function pathInput(what: string, fallback: string, flag?: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      ...(flag === undefined ? {} : { "x-flag": flag }),
      "x-placeholder": "path",
      "x-path": true,
      "x-brief": flag === "issues" ? "" : `${what}.`,
      description: `${what}, ${fallback} when left out.`,
    }),
  );
}

export const rootInput = Type.Optional(
  Type.String({
    minLength: 1,
    "x-placeholder": "folder",
    "x-path": "root",
    description: "The folder whose .premath is meant; the nearest one upwards when left out.",
  }),
);

export function sessionPlace(
  input: { readonly path?: string; readonly root?: string },
  call: Call,
): Promise<LocatedFile> {
  return locateFile(
    { flag: input.path, root: input.root, setting: "PREMATH_HARNESS_SESSION_PATH", fallback: sessionDefault },
    call,
  );
}

export function trajectoryPlace(
  input: { readonly path?: string; readonly root?: string },
  call: Call,
): Promise<LocatedFile> {
  return locateFile({ flag: input.path, root: input.root, fallback: trajectoryDefault }, call);
}

/** In the git worktree that one stands in, unlike the memory that worktrees share. */
export function featureLedgerPlace(
  input: { readonly path?: string; readonly root?: string },
  call: Call,
): Promise<LocatedFile> {
  return locateFile({ flag: input.path, root: input.root, fallback: featureLedgerDefault, own: true }, call);
}
