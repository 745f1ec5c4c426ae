/**
 * Stop: whatever a worker left undone is ended in order, and the session says where the next one goes on. A session
 * that was stopped before is left as it is.
 */
import { isRefusal, type Refusal } from "@bridle/record";
import type { WorkerContext } from "../live/context.js";
import { sessionPath } from "../live/names.js";
import type { StepRules } from "../types.js";
import { type Settled, settleRuns } from "./settle-runs.js";

export async function stopWorker(context: WorkerContext, rules: StepRules): Promise<Settled[] | Refusal> {
  const { issues, worktree } = context;
  const settled = await settleRuns(context, rules);
  if (settled.length > 0) return settled;
  const path = sessionPath(worktree);
  const where = { cwd: worktree.folder };
  const last = await issues.call("harness.session.read", { path }, where);
  if (!isRefusal(last)) return settled;
  if (last.refused !== "session_missing") return last;
  const summary = "nothing was left undone";
  const input = { path, state: "stopped", summary, nextStep: "claim next ready issue" };
  const written = await issues.call("harness.session.write", input, where);
  return isRefusal(written) ? written : settled;
}
