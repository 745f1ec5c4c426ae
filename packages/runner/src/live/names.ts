/** How a step's branch, folder and refs are called. None of them holds a path of this machine. */
import { join } from "node:path";
import { sha256Hex, vectorJson } from "@bridle/record";
import type { Claimed, StepState } from "../types.js";

/** Trailers of a commit, by which a step finds its own. */
export const stepTrailer = "Bridle-Step";
export const issueTrailer = "Bridle-Issue";

export function branchOf({ claimed }: StepState & { readonly claimed: Claimed }): string {
  return branchOfClaim(claimed.issueId, claimed.fence);
}

/** The branch that the work under a claim stands on. */
export function branchOfClaim(issueId: string, fence: number): string {
  return `bridle/work/${safe(issueId)}-${fence}`;
}

export function keptBranchOf(step: StepState): string {
  return `bridle/kept/${safe(step.id)}`;
}

export function stepFolder(runFolder: string, step: StepState): string {
  return join(runFolder, "steps", safe(step.id));
}

/** An id as a part of a file's or a branch's name. */
function safe(id: string): string {
  return id
    .replace(/[^A-Za-z0-9._-]/g, (c) => `%${c.codePointAt(0)!.toString(16)}`)
    .replace(/\.\./g, "%2e.")
    .replace(/\.lock$/, "%2elock");
}

/** Each worktree has a session of its own. */
export function sessionPath({ folder }: { readonly folder: string }): string {
  return join(folder, ".premath/harness_session.json");
}

/** `ctx`, `cover` and `refinement` of a step, sorted. */
export function lineageOf({ worker, claimed }: StepState & { readonly claimed: Claimed }): string[] {
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
