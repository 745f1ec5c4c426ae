/** How a step begins: a worktree at the target's head, an issue claimed there, session and ledger opened, a branch. */
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import { attemptsOf } from "@bridle/work";
import { keepLoose } from "../repository/change.js";
import { readyTarget } from "../repository/target.js";
import { beginBranch, standOnCommit } from "../repository/worktrees.js";
import type { Begun, Outcome, StepState } from "../types.js";
import type { WorkerContext } from "./context.js";
import { failed, failedBy } from "./failed.js";
import { branchOf, lineageOf } from "./names.js";
import { writeFeature, writeSession } from "./projections.js";

export async function claim(step: StepState, context: WorkerContext): Promise<Outcome> {
  const { worktree, repository, ports, issues, leaseTtlSeconds, worker, journal } = context;
  // What an interrupted command left is nobody's rubbish.
  const kept = await keepLoose(worktree, step.id, ports);
  const head = await readyTarget(repository, async (to) => {
    await journal.append({ kind: "note", worker, effect: "target_ready", data: { head: to } });
  });
  if (isRefusal(head)) return failedBy(head);
  await standOnCommit(worktree, head);
  const input = { assignee: worker, requestId: step.id, leaseTtlSeconds };
  const answer = await issues.call("issue.claim_next", input, { cwd: worktree.folder });
  if (isRefusal(answer)) return failedBy(answer);
  const issue = answer["issue"];
  // A claim that was asked for again, and is somebody else's by now, is no claim.
  if (!isJsonObject(issue) || answer["superseded"] === true || answer["released"] === true)
    return { issueId: null };
  const lease = isJsonObject(issue["lease"]) ? issue["lease"] : {};
  const node = (await issues.graph())?.get(String(issue["id"]));
  return {
    issueId: String(issue["id"]),
    title: String(issue["title"]),
    fence: Number(issue["fence"]),
    leaseId: String(lease["leaseId"]),
    attempt: (node === undefined ? 0 : attemptsOf(node)) + 1,
    ...(kept === undefined ? {} : { kept }),
  };
}

/** The projections that people and other workers look at. */
export async function open(step: Begun, context: WorkerContext): Promise<Outcome> {
  const { worker } = context;
  const { issueId, attempt } = step.claimed;
  const session = await writeSession(
    {
      ...{ state: "active", issueId, nextStep: "work -> verify -> close_or_recover" },
      summary: `worker=${worker} claimed=${issueId} attempt=${attempt}`,
      lineageRefs: lineageOf(step),
    },
    context,
  );
  if (isRefusal(session)) return failedBy(session);
  const feature = await writeFeature(
    {
      ...{ featureId: issueId, status: "in_progress", issueId, sessionRef: step.id },
      takeOver: "the step before ended without saying so",
    },
    context,
  );
  return isRefusal(feature) ? failedBy(feature) : {};
}

export async function branch(step: Begun, { worktree, issues }: WorkerContext): Promise<Outcome> {
  const { issueId } = step.claimed;
  const base = (await issues.issue(issueId))?.startedFrom?.commit;
  if (base === undefined)
    return failed("claim_missing", `the claim of ${issueId} does not say where it began`);
  await beginBranch(worktree, branchOf(step), base);
  return { base, branch: branchOf(step) } satisfies JsonObject;
}
