/** How a step ends: closed on its verified commit, parked for a person, or given back; then the rows that say so. */
import { visible } from "@bridle/operation";
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import { escalate, handoffLeaseState, handoffRef, leaveIssue, noteStart } from "@bridle/work";
import { byteCut } from "../cut.js";
import { costsNothing } from "../step/costless.js";
import { resultClassOf, retryOf, trajectoryIdOf } from "../step/derived.js";
import type { Begun, Outcome } from "../types.js";
import { bounded, writeCheckpoint } from "./checkpoint.js";
import type { WorkerContext } from "./context.js";
import { elsewhereLabel } from "./elsewhere.js";
import { failedBy } from "./failed.js";
import { lineageOf } from "./names.js";
import { writeFeature, writeSession } from "./projections.js";

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

/** Of a failure, as the issue's row keeps it for the next attempt; without what would steer a terminal. */
const messageBytesMax = 4_000;

export const reviewLabel = "review";

export async function giveBack(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const { issues, policy, worker } = context;
  const { issueId, fence, attempt } = step.claimed;
  const failure = isJsonObject(plan["failure"]) ? plan["failure"] : {};
  const [failureClass, message] = [String(failure["class"]), String(failure["message"])];
  const { decision, again, waitMs } = retryOf(policy, failureClass, attempt);
  const asker = { actor: worker, fence };
  const left = { step: step.id, failureClass, message: byteCut(visible(message), messageBytesMax) };
  const store = await issues.store();
  const answer = again
    ? await store.change(
        leaveIssue(issueId, {
          ...asker,
          ...{ ...left, status: "open" },
          costsAttempt: !costsNothing(failureClass) && decision.costsAttempt,
        }),
      )
    : await store.change(
        escalate({
          issueId,
          scope: `step ${step.id}`,
          decision,
          asker,
          left,
          witnessRef: `step://${step.id}`,
        }),
      );
  if (isRefusal(answer)) return failedBy(answer);
  return {
    leftBy: step.id,
    retry: again,
    waitMs,
    ...(again ? {} : { escalation: decision.escalationAction }),
  };
}

/** A verified change that a person looks at before it is merged, or work that another place has. */
export async function park(step: Begun, { issues, worker }: WorkerContext): Promise<Outcome> {
  const { issueId, fence } = step.claimed;
  const { sent, to, deliveredIssueId } = step.done.get("work") ?? {};
  const why =
    sent === true
      ? {
          ...{ failureClass: "elsewhere", label: elsewhereLabel },
          message: `${String(to)} took it as ${String(deliveredIssueId)}; unverified until its gate ref is recorded`,
        }
      : { failureClass: "review", label: reviewLabel, message: "verified; waits for a person" };
  const request = {
    ...{ actor: worker, fence, step: step.id, status: "blocked" as const, costsAttempt: false, ...why },
  };
  const answer = await (await issues.store()).change(leaveIssue(issueId, request));
  return isRefusal(answer) ? failedBy(answer) : { leftBy: step.id };
}

/** Session, ledger and one row of the trajectory; each may be written again. */
export async function stop(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const { issues, worktree, worker, ports } = context;
  const { issueId } = step.claimed;
  const end = String(plan["end"]);
  const resultClass = resultClassOf(step, end);
  const lease = await leaseRefOf(step, context);
  const witnessRefs = [lease, `step://${step.id}`, ...witnessRefsOf(step)];
  const lineageRefs = lineageOf(step);
  const nextStep = end === "completed" ? "claim next ready issue" : nextStepOf(step);
  const where = { cwd: worktree.folder };
  const finishedAt = new Date(await ports.clock.now()).toISOString();
  const row = await issues.call(
    "harness.trajectory.append",
    {
      stepId: trajectoryIdOf(worker, step.claimed),
      issueId,
      action: "worker.loop",
      resultClass,
      ...(step.failure === undefined ? {} : { failureClasses: [step.failure.class] }),
      ...{ nextStep, instructionRefs: await instructionRefsOf(step, context), witnessRefs, lineageRefs },
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
  const checkpoint = await writeCheckpoint(
    step,
    { end, resultClass, nextStep, witnessRefs, lineageRefs },
    context,
  );
  const handoff = bounded({
    ...{ summary: summaryOf(step, end), nextStep, lineageRefs },
    witnessRefs: [lease, checkpoint, ...witnessRefs.slice(1)],
  });
  const session = await writeSession({ state: "stopped", issueId, ...handoff } as JsonObject, context);
  return isRefusal(session) ? failedBy(session) : { end, resultClass, by: worker };
}

function witnessRefsOf({ done }: Begun): string[] {
  const refs = (done.get("close") ?? done.get("work"))?.["witnessRefs"];
  return Array.isArray(refs) ? refs.filter((ref) => typeof ref === "string") : [];
}

/** Under which instruction the issue was changed last. */
async function instructionRefsOf({ claimed }: Begun, { issues }: WorkerContext): Promise<string[]> {
  const metadata = (await issues.graph())?.get(claimed.issueId)?.row["metadata"];
  const witness = isJsonObject(metadata) ? metadata["premathWriteWitness"] : undefined;
  const instruction = isJsonObject(witness) ? witness["instruction"] : undefined;
  const ref = isJsonObject(instruction) ? instruction["instructionRef"] : undefined;
  return typeof ref === "string" ? [ref] : [];
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

function summaryOf({ claimed, failure }: Begun, end: string): string {
  const { issueId, attempt } = claimed;
  if (failure === undefined)
    return `${issueId} ${end === "parked" ? "waits for review" : "completed"} (attempt ${attempt})`;
  return `${issueId} ${failure.class} (attempt ${attempt}): ${failure.message}`;
}

function nextStepOf({ done, claimed }: Begun): string {
  const given = done.get("give_back");
  if (given?.["retry"] === true) return `try ${claimed.issueId} again`;
  return `a person decides about ${claimed.issueId}: ${String(given?.["escalation"] ?? "review")}`;
}
