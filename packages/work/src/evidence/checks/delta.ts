/** The delta of a work tree: what its commits change since a base, and what it holds that no commit does. */
import { isRefusal } from "@bridle/record";
import { changesBetween, commitOf, mergeBase, uncommittedPaths } from "./git-facts.js";
import type { CheckedRepository } from "./types.js";
import { normalizePaths } from "../required/project-checks.js";

export interface DeltaRequest {
  readonly fromRef?: string | undefined;
  readonly toRef?: string | undefined;
  /** Tried before the usual names of a base. */
  readonly base?: string | undefined;
}

export const usualBases = ["origin/main", "main", "origin/master", "master", "HEAD~1"];

/** `source` says what it was made of: none, git_diff or diff_failed, and `+workspace` where something is not committed. */
export async function deltaOf(
  { top, git }: CheckedRepository,
  { fromRef, toRef = "HEAD", base }: DeltaRequest,
) {
  const wanted = fromRef !== undefined ? [fromRef] : [...(base === undefined ? [] : [base]), ...usualBases];
  const to = await commitOf(top, toRef, git);
  let from: { readonly name: string; readonly commit: string } | undefined;
  for (const name of wanted) {
    const commit = await commitOf(top, name, git);
    if (isRefusal(commit)) continue;
    from = { name, commit };
    break;
  }
  const began = from === undefined || isRefusal(to) ? undefined : await mergeBase(top, from.commit, to, git);
  const committed = began === undefined || isRefusal(to) ? [] : await changesBetween(top, began, to, git);
  const loose = await uncommittedPaths(top, git);
  const failed = fromRef !== undefined && began === undefined;
  const source = began !== undefined ? "git_diff" : failed ? "diff_failed" : "none";
  return {
    schema: 1 as const,
    deltaKind: "ci.required.delta.v1" as const,
    changedPaths: normalizePaths([...committed.map(({ path }) => path), ...loose]),
    source: loose.length === 0 ? source : source === "none" ? "workspace" : `${source}+workspace`,
    fromRef: from?.name ?? fromRef ?? null,
    toRef: isRefusal(to) ? null : toRef,
  };
}
