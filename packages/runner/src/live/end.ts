/** How a step ends: closed on its verified commit, parked for a person, or given back; then the rows that say so. */
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import { decideRetry, escalate, handoffLeaseState, handoffRef, leaveIssue, noteStart } from "@bridle/work";
import { costsNothing } from "../step/costless.js";
import type { Claimed, Outcome, StepState } from "../types.js";
import type { WorkerContext } from "./context.js";
import { failedBy } from "./failed.js";
import { lineageOf } from "./names.js";
import { writeFeature, writeSession } from "./projections.js";

type Begun = StepState & { readonly claimed: Claimed };

/** The checks are known by the tree that they ran on, so that closing runs nothing again. */
export async function close(
  plan: JsonObject,
  step: Begun,
  { issues, worktree, worker }: WorkerContext,
): Promise<Outcome> {
  const { issueId, fence } = step.claimed;
  const commit = String(plan["candidate"]);
  // A change that a worker before us merged is judged from where that worker merged it onto.
  const noted = await (
    await issues.store()
  ).change(noteStart(issueId, { fence, commit: String(plan["onto"]) }));
  if (isRefusal(noted)) return failedBy(noted);
  const input = { id: issueId, commit, actor: worker, fence };
  const answer = await issues.call("issue.finish", input, { cwd: worktree.folder });
  if (isRefusal(answer)) return failedBy(answer);
  const refs = Array.isArray(answer["witnessRefs"]) ? answer["witnessRefs"] : [];
  return { closedOn: commit, witnessRefs: refs };
}

export const reviewLabel = "review";

export async function giveBack(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const { issues, policy, worker } = context;
  const { issueId, fence, attempt } = step.claimed;
  const failure = isJsonObject(plan["failure"]) ? plan["failure"] : {};
  const [failureClass, message] = [String(failure["class"]), String(failure["message"])];
  const decision = decideRetry(policy, { failureClasses: [failureClass], attempt });
  const asker = { actor: worker, fence };
  const store = await issues.store();
  const again = costsNothing(failureClass) || decision.retry;
  const answer = again
    ? await store.change(
        leaveIssue(issueId, {
          ...asker,
          ...{ step: step.id, failureClass, message: message.slice(0, 4_000), status: "open" },
          costsAttempt: !costsNothing(failureClass) && decision.costsAttempt,
        }),
      )
    : await store.change(
        escalate({ issueId, scope: `step ${step.id}`, decision, asker, witnessRef: `step://${step.id}` }),
      );
  if (isRefusal(answer)) return failedBy(answer);
  return {
    leftBy: step.id,
    retry: again,
    // What says nothing about the issue is waited for by the run, or not at all.
    waitMs: again && !costsNothing(failureClass) ? decision.backoffMs : 0,
    ...(again ? {} : { escalation: decision.escalationAction }),
  };
}

/** A verified change that a person looks at before it is merged. */
export async function park(step: Begun, { issues, worker }: WorkerContext): Promise<Outcome> {
  const { issueId, fence } = step.claimed;
  const request = {
    ...{
      actor: worker,
      fence,
      step: step.id,
      failureClass: "review",
      message: "verified; waits for a person",
    },
    ...{ status: "blocked" as const, costsAttempt: false, label: reviewLabel },
  };
  const answer = await (await issues.store()).change(leaveIssue(issueId, request));
  return isRefusal(answer) ? failedBy(answer) : { leftBy: step.id };
}

/** Session, ledger and one row of the trajectory; each may be written again. */
export async function stop(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const { issues, worktree, worker, ports } = context;
  const { issueId, fence } = step.claimed;
  const end = String(plan["end"]);
  const resultClass = resultClassOf(step, end);
  const lease = await leaseRefOf(step, context);
  const witnessRefs = [lease, `step://${step.id}`, ...witnessRefsOf(step)];
  const lineageRefs = lineageOf(step);
  const where = { cwd: worktree.folder };
  const finishedAt = new Date(await ports.clock.now()).toISOString();
  const row = await issues.call(
    "harness.trajectory.append",
    {
      // By the claim: the same claim has one row, whoever ends it.
      stepId: `${worker}.${issueId}.${fence}`,
      issueId,
      action: "worker.loop",
      resultClass,
      witnessRefs,
      lineageRefs,
      finishedAt,
      once: true,
    },
    where,
  );
  if (isRefusal(row)) return failedBy(row);
  const feature = await writeFeature(
    {
      featureId: issueId,
      issueId,
      status:
        end === "completed"
          ? "completed"
          : step.done.get("give_back")?.["retry"] === true
            ? "pending"
            : "blocked",
      ...(end === "completed" ? { verificationRefs: witnessRefs } : {}),
    },
    context,
  );
  if (isRefusal(feature)) return failedBy(feature);
  const session = await writeSession(
    {
      ...{
        state: "stopped",
        issueId,
        summary: summaryOf(step, end),
        witnessRefs,
        lineageRefs,
      },
      nextStep: end === "completed" ? "claim next ready issue" : nextStepOf(step),
    },
    context,
  );
  return isRefusal(session) ? failedBy(session) : { end, resultClass, by: worker };
}

function resultClassOf({ failure, done }: Begun, end: string): string {
  if (failure === undefined) return end === "parked" ? "verified_accept" : "completed";
  return done.get("give_back")?.["retry"] === true ? `retry_needed_${failure.class}` : failure.class;
}

function witnessRefsOf({ done }: Begun): string[] {
  const refs = done.get("close")?.["witnessRefs"];
  return Array.isArray(refs) ? refs.filter((ref) => typeof ref === "string") : [];
}

async function leaseRefOf(step: Begun, { issues, ports, worker }: WorkerContext): Promise<string> {
  const { issueId, leaseId } = step.claimed;
  const node = (await issues.graph())?.get(issueId);
  const row = node?.row;
  const leaseState = handoffLeaseState(row, await ports.clock.now());
  return handoffRef({
    ...{ issueId, workerId: worker, leaseId, leaseOwner: worker, leaseState },
    leaseAction: step.failure === undefined ? "release_closed" : "issue_lease_release",
    status: String(row?.["status"] ?? ""),
    assignee: String(row?.["assignee"] ?? ""),
  });
}

const summaryMax = 2_000;

function summaryOf({ claimed, failure }: Begun, end: string): string {
  const { issueId, attempt } = claimed;
  if (failure === undefined)
    return `${issueId} ${end === "parked" ? "waits for review" : "completed"} (attempt ${attempt})`;
  return `${issueId} ${failure.class} (attempt ${attempt}): ${failure.message}`.slice(0, summaryMax);
}

function nextStepOf({ done, claimed }: Begun): string {
  const given = done.get("give_back");
  if (given?.["retry"] === true) return `try ${claimed.issueId} again`;
  return `a person decides about ${claimed.issueId}: ${String(given?.["escalation"] ?? "review")}`;
}
