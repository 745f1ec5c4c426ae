/** From files in a worktree to the target: the change is committed, merged, checked, and the target moved. */
import { isRefusal, type JsonObject, refuse, type Refusal } from "@bridle/record";
import { judgeChange, noChangeLabel, noteStart, runChecks, mapAtCommit } from "@bridle/work";
import { commitChange } from "../repository/change.js";
import { mergeCommits, moveRef } from "../repository/target.js";
import type { Begun, Outcome } from "../types.js";
import type { WorkerContext } from "./context.js";
import { failed, failedBy } from "./failed.js";
import { branchOf, issueTrailer, stepTrailer } from "./names.js";

export async function commit(step: Begun, context: WorkerContext): Promise<Outcome> {
  const { worktree, ports, issues } = context;
  const { issueId } = step.claimed;
  const issue = await issues.issue(issueId);
  const base = String(step.done.get("branch")?.["base"]);
  const message = messageOf(`${issueId}: ${issue?.title ?? issueId}`, step);
  const made = await commitChange(worktree, { base, branch: branchOf(step), message }, ports);
  const out =
    made.leftOut.length === 0
      ? {}
      : { leftOut: made.leftOut.slice(0, 50).map(({ path, because }) => ({ path, because })) };
  if (made.commit === undefined && issue?.labels.includes(noChangeLabel) === true)
    return { commit: base, files: 0, ...out };
  if (made.commit === undefined)
    return { ...out, ...failed("no_change", "the work command changed nothing") } as Outcome;
  return { commit: made.commit, files: made.paths.length, ...out };
}

/** A commit's message, with the trailers by which the step and the issue are found. */
function messageOf(title: string, { id, claimed: { issueId } }: Begun): string {
  return `${title}\n\n${issueTrailer}: ${issueId}\n${stepTrailer}: ${id}\n`;
}

export async function merge(
  plan: JsonObject,
  step: Begun,
  { repository, worktree, issues }: WorkerContext,
): Promise<Outcome> {
  const { issueId, fence } = step.claimed;
  const [onto, change] = [String(plan["onto"]), String(plan["commit"])];
  const message = messageOf(`Merge ${issueId} into ${repository.target}`, step);
  const merged = await mergeCommits(worktree.git, onto, change, message);
  if ("conflicts" in merged) {
    const paths = merged.conflicts.slice(0, 50);
    return failed("merge_conflict", `others changed the same places: ${paths.join(", ")}`, { paths });
  }
  // What is judged is the change on top of the target as it is, with the target's map of checks.
  const noted = await (await issues.store()).change(noteStart(issueId, { fence, commit: onto }));
  if (isRefusal(noted)) return failedBy(noted);
  return { onto, candidate: merged.commit, tree: merged.tree };
}

/** Before anything is changed: a tree that passed for whichever worker is not checked again. */
export async function baseChecks(step: Begun, context: WorkerContext): Promise<Outcome> {
  const base = String(step.done.get("branch")?.["base"]);
  const red = await checkCommit(base, context);
  return red === undefined ? { commit: base } : failedBy(red);
}

/** Every check of a commit's own map; undefined when they pass. */
export async function checkCommit(commit: string, context: WorkerContext): Promise<Refusal | undefined> {
  const repository = checked(context);
  const map = await mapAtCommit(repository.top, commit, repository.git);
  if (isRefusal(map)) return map;
  const checkIds = map.checks.map(({ id }) => id);
  const report = await runChecks({ repository, commit, map, checkIds }, checking(context));
  if (isRefusal(report)) return report;
  const red = report.checks.find(({ status }) => status === "failed");
  if (red === undefined) return undefined;
  return refuse("base_red", {
    message:
      `${red.command} fails on ${commit.slice(0, 7)}, before anything was changed\n${red.lastLines ?? ""}`.trimEnd(),
    hint: "Mend it on your branch and start again; nothing was claimed.",
  });
}

export async function checks(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const commit = String(plan["candidate"]);
  const verdict = await judge(commit, String(plan["onto"]), step, context);
  if (isRefusal(verdict)) return failedBy(verdict);
  const told = verdict.checks.map(({ checkId, status, durationMs, reused, failureClass }) => ({
    ...{ checkId, status, durationMs, reused },
    ...(failureClass === undefined ? {} : { failureClass }),
  }));
  if (verdict.accepted)
    return verifiedToo({ commit, tree: verdict.tree, passed: true, checks: told }, context);
  const [operational] = verdict.operationalFailureClasses;
  const red = verdict.checks.find(({ status }) => status === "failed");
  const lines = red?.lastLines ?? "";
  // Only a check that says no about the content is worth asking about the branch alone.
  if (operational !== undefined) return failed(operational, `${red?.command}: ${operational}\n${lines}`);
  return {
    commit,
    tree: verdict.tree,
    passed: false,
    checks: told,
    lastLines: lines,
    command: red?.command ?? "",
  };
}

/** The command that the worker was given besides the project's own checks. */
async function verifiedToo(
  passed: JsonObject & { readonly commit: string },
  context: WorkerContext,
): Promise<Outcome> {
  const { verify } = context.settings;
  if (verify === undefined) return passed;
  const { commit } = passed;
  const repository = checked(context);
  const map = await mapAtCommit(repository.top, commit, repository.git);
  if (isRefusal(map)) return failedBy(map);
  const own = { ...map, checks: [{ id: "verify-cmd", command: verify }] };
  const report = await runChecks(
    { repository, commit, map: own, checkIds: ["verify-cmd"] },
    checking(context),
  );
  if (isRefusal(report)) return failedBy(report);
  const [check] = report.checks;
  if (check?.status === "passed") return passed;
  const says = `${verify} failed\n${check?.lastLines ?? ""}`;
  return failed(check?.failureClass ?? "check_failed", says);
}

/** After a failure of the merged change: is it the change, or what it met? */
export async function branchChecks(plan: JsonObject, step: Begun, context: WorkerContext): Promise<Outcome> {
  const merged = step.done.get("checks") ?? {};
  const says = `${String(merged["command"])} failed\n${String(merged["lastLines"] ?? "")}`;
  const base = String(step.done.get("branch")?.["base"]);
  if (base === step.done.get("merge")?.["onto"]) return failed("check_failed", says);
  const verdict = await judge(String(plan["commit"]), base, step, context);
  if (isRefusal(verdict)) return failedBy(verdict);
  return verdict.accepted
    ? failed(
        "merged_check_failed",
        `${says}\nAlone the change passes; it fails with what others merged since.`,
      )
    : failed("check_failed", says);
}

export async function move(plan: JsonObject, { repository }: WorkerContext): Promise<Outcome> {
  const [candidate, onto] = [String(plan["candidate"]), String(plan["onto"])];
  const moved = await moveRef(repository.git, `refs/heads/${repository.target}`, candidate, onto);
  return { moved: moved ? candidate : null };
}

async function judge(commit: string, base: string, step: Begun, context: WorkerContext) {
  const issue = await context.issues.issue(step.claimed.issueId);
  const declaredTests = issue?.startedFrom?.tests ?? [];
  const mayBeEmpty = issue?.labels.includes(noChangeLabel) ?? false;
  const change = { repository: checked(context), base, commit, declaredTests, mayBeEmpty };
  return judgeChange(change, checking(context));
}

function checked({ repository, worktree, ports }: WorkerContext) {
  if (ports.git === undefined) throw new Error("a runner without git");
  return { top: worktree.folder, commonDir: repository.commonDir, git: ports.git };
}

function checking({ ports, env, signal }: WorkerContext) {
  return { ports, env, signal };
}
