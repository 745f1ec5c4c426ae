/** How a step's branch, folder and refs are called. None of them holds a path of this machine. */
import { join } from "node:path";
import { sha256Hex, vectorJson } from "@bridle/record";
import { safeName, workBranch } from "../repository/branches.js";
import type { Begun, StepState } from "../types.js";

/** Trailers of a commit, by which a step finds its own. */
export const stepTrailer = "Bridle-Step";
export const issueTrailer = "Bridle-Issue";

export function branchOf({ claimed }: Begun): string {
  return workBranch(claimed.issueId, claimed.fence);
}

export function stepFolder(runFolder: string, step: StepState): string {
  return join(runFolder, "steps", safeName(step.id));
}

/** Each worktree has a session of its own. */
export function sessionPath({ folder }: { readonly folder: string }): string {
  return join(folder, ".premath/harness_session.json");
}

/** `ctx`, `cover` and `refinement` of a step, sorted. */
export function lineageOf({ worker, claimed }: Begun): string[] {
  const { issueId } = claimed;
  const segment = issueId.replaceAll("%", "%25").replaceAll("/", "%2F");
  const digest = (value: object) => sha256Hex(vectorJson(value as never));
  const ctx = `ctx://issue/${segment}/${digest({ kind: "ctx", issueId, issuesPath: ".premath/issues.jsonl" })}`;
  const cover = `cover://worker-loop/${segment}/${digest({ kind: "cover", ctxRef: ctx, workerPool: "harness.multithread.v1" })}`;
  const own = digest({
    kind: "refinement",
    coverRef: cover,
    workerId: worker,
    mutationMode: "instruction-linked",
  });
  return [ctx, cover, `refinement://worker-loop/${segment}/${worker}/${own}`].sort();
}
