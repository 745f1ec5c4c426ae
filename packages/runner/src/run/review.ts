/**
 * Changes that were verified and wait for a person. Accepting one merges it onto the target as it is now, checks it
 * there and closes its issue, as the step would have done; rejecting one gives the issue back with the reason.
 */
import { isJsonObject, isRefusal, type JsonObject, refuse, type Refusal } from "@bridle/record";
import { type IssueNode, leaveIssue } from "@bridle/work";
import { reviewLabel } from "../live/end.js";
import { withIssues } from "../live/issue-door.js";
import { LiveWorld } from "../live/world.js";
import { workBranch } from "../repository/branches.js";
import { items } from "../repository/our-git.js";
import type { Repository } from "../repository/repository.js";
import { driveStep } from "../step/drive.js";
import { stepFrom } from "../step/state.js";
import type { EffectName, StepEnd, StepState } from "../types.js";
import { beginRun, openWorker, type Surroundings, type Workplace } from "./open-worker.js";

export interface WaitingChange {
  readonly issueId: string;
  readonly title: string;
  readonly fence: number;
  readonly branch: string;
  readonly commit: string;
  /** What it began from. */
  readonly base: string;
  readonly files: readonly string[];
  readonly since: string;
}

export async function waitingChanges(
  repository: Repository,
  { ports }: Pick<Surroundings, "ports">,
): Promise<WaitingChange[]> {
  return withIssues(repository.mainTree, ports, async (store) => {
    const waiting: WaitingChange[] = [];
    for (const node of (await store.graph())?.sorted() ?? []) {
      const change = waits(node) ? await changeOf(node, repository) : undefined;
      if (change !== undefined) waiting.push(change);
    }
    return waiting;
  });
}

export async function waitingChange(
  issueId: string,
  repository: Repository,
  around: Pick<Surroundings, "ports">,
): Promise<WaitingChange | Refusal> {
  const found = (await waitingChanges(repository, around)).find((change) => change.issueId === issueId);
  if (found !== undefined) return found;
  return refuse("change_unknown", {
    message: `no change of ${issueId} waits for review`,
    hint: "`bridle change list` shows those that do.",
  });
}

function waits({ status, row: { labels } }: IssueNode): boolean {
  return status === "blocked" && Array.isArray(labels) && labels.includes(reviewLabel);
}

async function changeOf(
  { id, title, row }: IssueNode,
  { git }: Repository,
): Promise<WaitingChange | undefined> {
  const fence = Number(row["fence"]);
  const branch = workBranch(id, fence);
  const commit = await git.commit(`refs/heads/${branch}`);
  if (commit === undefined) return undefined;
  const base = await git.say("rev-parse", `${commit}^`);
  const files = items(await git.say("diff", "--name-only", "-z", base, commit));
  const left = isJsonObject(row["left"]) ? row["left"] : {};
  return { issueId: id, title, fence, branch, commit, base, files, since: String(left["at"] ?? "") };
}

export interface Accepted {
  readonly end: StepEnd | undefined;
  readonly step: StepState;
}

export async function acceptChange(
  change: WaitingChange,
  place: Workplace,
  around: Surroundings,
): Promise<Accepted | Refusal> {
  const { ports } = around;
  const rules = { merge: "auto" as const, renewBeforeMs: 60_000 };
  const files = await beginRun(place, { merge: "auto", parallel: 1, budgets: {} }, ports);
  const request = { worker: "reviewer", index: 1, leaseTtlSeconds: 3_600 };
  const opened = await openWorker(place, files, request, around);
  if (isRefusal(opened)) return opened;
  const { context } = opened;
  try {
    const { journal, issues, worktree, worker } = context;
    const id = `${files.run}.${worker}.1`;
    const write = (kind: "intent" | "outcome", effect: EffectName, data: JsonObject) =>
      journal.append({ kind, worker, step: id, effect, data });
    await write("intent", "claim", {});
    const { leaseTtlSeconds } = request;
    const input = { id: change.issueId, assignee: worker, requestId: id, leaseTtlSeconds };
    const claimed = await issues.call("issue.claim", input, { cwd: worktree.folder });
    if (isRefusal(claimed)) {
      await write("outcome", "claim", { issueId: null });
      return claimed;
    }
    const issue = isJsonObject(claimed["issue"]) ? claimed["issue"] : {};
    const lease = isJsonObject(issue["lease"]) ? issue["lease"] : {};
    await write("outcome", "claim", {
      ...{ issueId: change.issueId, title: change.title, fence: Number(issue["fence"]) },
      ...{ leaseId: String(lease["leaseId"]), attempt: 1 },
    });
    const labels = await issues.call("issue.label", {
      id: change.issueId,
      remove: [reviewLabel],
      actor: worker,
    });
    if (isRefusal(labels)) return labels;
    // What the step had done before it was parked stands; from its commit on it is done as ever.
    await write("outcome", "branch", { base: change.base, branch: change.branch, settled: true });
    for (const effect of ["set_up", "base_checks", "work", "turn", "propose"] as const)
      await write("outcome", effect, { settled: true });
    await write("outcome", "commit", { commit: change.commit, files: change.files.length, settled: true });
    const world = new LiveWorld(context);
    const begun = stepFrom(id, worker, await journal.rows());
    const end = await driveStep(begun, { journal, world, rules, signal: around.signal });
    return { end, step: stepFrom(id, worker, await journal.rows()) };
  } finally {
    await opened.close();
  }
}

export async function rejectChange(
  { issueId, fence }: WaitingChange,
  reason: string,
  repository: Repository,
  { ports }: Pick<Surroundings, "ports">,
): Promise<Refusal | undefined> {
  const left = leaveIssue(issueId, {
    ...{ actor: "reviewer", fence, step: `review.${issueId}.${fence}`, failureClass: "rejected" },
    ...{ message: reason, status: "open", costsAttempt: false, unlabel: reviewLabel },
  });
  const answer = await withIssues(repository.mainTree, ports, (store) => store.change(left));
  return isRefusal(answer) ? answer : undefined;
}
