/**
 * Session and ledger of a worker's worktree. They are views that the worker rebuilds: one that its command made
 * unreadable is removed and written anew.
 */
import { join } from "node:path";
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import type { WorkerContext } from "./context.js";
import { sessionPath } from "./names.js";

export function writeSession(input: JsonObject, context: WorkerContext): Promise<JsonObject | Refusal> {
  const path = sessionPath(context.worktree);
  return written("harness.session.write", { path, ...input }, path, context);
}

export function writeFeature(input: JsonObject, context: WorkerContext): Promise<JsonObject | Refusal> {
  const path = join(context.worktree.folder, ".premath/harness_feature_ledger.json");
  return written("harness.feature.write", { path, ...input }, path, context);
}

async function written(
  action: string,
  input: JsonObject,
  path: string,
  { issues, worktree, ports }: WorkerContext,
): Promise<JsonObject | Refusal> {
  const where = { cwd: worktree.folder };
  const answer = await issues.call(action, input, where);
  // A gate's no stands; only what the file itself says is mended by another file.
  if (!isRefusal(answer) || !/document|invalid|json|shape/.test(answer.refused)) return answer;
  await ports.files.remove(path);
  return issues.call(action, input, where);
}
