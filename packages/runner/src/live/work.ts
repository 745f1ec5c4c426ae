/** The work itself: somebody else's command, told what to do, watched while it works, and compared with afterwards. */
import { freePorts } from "@bridle/host";
import { isJsonObject, type JsonObject } from "@bridle/record";
import { leftBy } from "@bridle/work";
import { before, remindersOf } from "../step/views.js";
import { isOfAttempt } from "../repository/branches.js";
import { strangeChanges, surroundings } from "../repository/outside.js";
import type { Begun, JournalRow, Outcome } from "../types.js";
import { runWork, type WorkEnd } from "../work/run-work.js";
import { isProblem, promptOf, type StepBrief, StepFiles } from "../work/step-files.js";
import type { WorkerContext } from "./context.js";
import { failed } from "./failed.js";
import { stepFolder } from "./names.js";
import { rowAsBefore, rowsSeen, strangeRows } from "./rows.js";

export async function work(step: Begun, context: WorkerContext, lost: AbortSignal): Promise<Outcome> {
  const { settings, worktree, repository, ports, env, issues, signal, runFolder, index } = context;
  const { issueId, fence } = step.claimed;
  const files = new StepFiles(stepFolder(runFolder, step), ports);
  const brief = await briefOf(step, context);
  await files.write(brief);
  // The journal is read before the refs here and after them below: whoever moves one writes first that it will.
  const atFirst = await context.journal.rows();
  const stood = await surroundings(repository, ports);
  const issuesBefore = rowsSeen(await issues.graph(), issueId);
  const { from, each } = settings.ports;
  const usual = from + (index - 1) * each;
  // A range in which somebody listens already is of no use; another one is told.
  const portBase = (await freePorts(usual, each)) ?? usual;
  const wall = settings.wall.work && settings.preset.ownWalls !== true;
  const end = await runWork(
    {
      preset: settings.preset,
      wrapper: settings.wrapper,
      issueId,
      prompt: promptOf(brief),
      folder: worktree.folder,
      env: { ...env, BRIDLE_RUN: context.commandLane },
      variables: files.variables(brief, portBase),
      wall,
      writable: [files.folder],
      timeoutMs: settings.workTimeoutMs,
      outputPath: files.path("output"),
      lost,
      signal,
    },
    ports,
  );
  const told = {
    ...{ ...usageOf(end, await files.told("usage")), ms: end.ms, changed: await isChanged(context) },
    ...(portBase === usual ? {} : { portBase }),
  };
  const stands = await surroundings(repository, ports);
  const rows = [...openMoves(atFirst), ...(await context.journal.rows()).slice(atFirst.length)];
  const rowsAfter = rowsSeen(await issues.graph(), issueId);
  const strange = [
    ...strangeChanges(stood, stands, accountedBy(rows, context), wall),
    ...strangeRows(issuesBefore, rowsAfter, issueId),
  ];
  const { text } = issuesBefore;
  if (issuesBefore.own !== rowsAfter.own && text !== undefined)
    await (await issues.store()).change(rowAsBefore(issueId, text, fence));
  if (strange.length > 0) {
    const { failed: why } = failed("outside_change", strange.slice(0, 10).join("; "), {
      changes: strange.slice(0, 50),
    });
    return { ...told, failed: why as JsonObject };
  }
  return judged(end, told);
}

function judged(end: WorkEnd, told: JsonObject): Outcome {
  const { heard, how, code, lastLines, message } = end;
  const no = (name: string, says: string): Outcome => ({ ...told, failed: { class: name, message: says } });
  if (heard.limit !== undefined) {
    const at = heard.limit.resetsAtMs;
    return {
      ...no("rate_limited", "the tool's usage limit is reached"),
      ...(at === undefined ? {} : { resetsAtMs: at }),
    } as Outcome;
  }
  switch (how) {
    case "finished":
      return {
        ...told,
        ...(heard.denied === 0 ? {} : { denied: heard.denied }),
        ...(heard.unreadable === 0 ? {} : { unreadable: heard.unreadable }),
        ...(heard.says === undefined ? {} : { says: heard.says.slice(0, 2_000) }),
      };
    case "timeout":
      return no(
        "work_timeout",
        `the work command was ended after ${Math.round(end.ms / 60_000)} min\n${lastLines}`,
      );
    case "lost":
    case "stopped":
      return no(
        "work_interrupted",
        how === "lost" ? "the lease was lost while the command worked" : "the run was stopped",
      );
    case "not_started":
      return no("executor_unavailable", `the work command cannot be started: ${message ?? ""}`);
    case "failed":
      return no("work_failed", `the work command ended with ${code ?? "a signal"}\n${lastLines}`);
  }
}

async function isChanged({ worktree }: WorkerContext): Promise<boolean> {
  const paths = ["--", ":(top)", ":(top,exclude).premath"];
  return (
    (await worktree.git.maybe("status", "--porcelain", "-z", "--untracked-files=normal", ...paths)) !== ""
  );
}

/** What it cost: its own file first, then what its output says. Unknown stays unknown. */
function usageOf({ heard }: WorkEnd, file: unknown): JsonObject {
  const own = isJsonObject(file) && !isProblem(file) ? file : {};
  const pick = (name: string, heardValue: number | undefined) => {
    const value = typeof own[name] === "number" ? own[name] : heardValue;
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...pick("costUsd", heard.costUsd),
    ...pick("inputTokens", heard.inputTokens),
    ...pick("outputTokens", heard.outputTokens),
  };
}

async function briefOf(
  step: Begun,
  { issues, run, worker, repository, settings, policy, journal }: WorkerContext,
): Promise<StepBrief> {
  const { issueId, attempt } = step.claimed;
  const node = (await issues.graph())?.get(issueId);
  const issue = await issues.issue(issueId);
  if (node === undefined || issue === undefined) throw new Error(`${issueId} is gone although it is ours`);
  const { id, title, description, design, acceptanceCriteria, notes } = issue;
  const left = leftBy(node);
  return {
    run,
    step: step.id,
    worker,
    issue: { id, title, description, design, acceptanceCriteria, notes },
    attempt,
    base: String(step.done.get("branch")?.["base"]),
    target: repository.target,
    ...(left === undefined ? {} : { lastFailure: { class: left.failureClass, message: left.message } }),
    reminders: remindersOf(before(await journal.rows(), step.id), step.id),
    budgets: {
      partsMax: settings.partsMax,
      minutes: Math.round(settings.workTimeoutMs / 60_000),
      attemptsMax: Math.max(...[...policy.ruleOf.values()].map(({ maxAttempts }) => maxAttempts)),
    },
  };
}

/** Moves that were about to be made, or that nobody knows the outcome of. */
function openMoves(rows: readonly JournalRow[]): readonly JournalRow[] {
  const open = new Map<string, JournalRow>();
  for (const row of rows) {
    if (row.effect !== "move" || row.step === undefined) continue;
    if (row.kind === "intent") open.set(row.step, row);
    else open.delete(row.step);
  }
  return [...open.values()];
}

/** Which values of refs other steps, and this one, account for while it worked. */
function accountedBy(rows: readonly JournalRow[], { repository }: WorkerContext) {
  const target = `refs/heads/${repository.target}`;
  const told = new Set<string>();
  for (const { effect, data } of rows) {
    if (effect === "move")
      for (const value of [data["candidate"], data["onto"], data["moved"]])
        if (typeof value === "string") told.add(value);
    if (effect === "target_ready" && typeof data["head"] === "string") told.add(data["head"]);
  }
  return (ref: string, value: string | undefined) => {
    if (isOfAttempt(ref)) return true;
    return ref === target && value !== undefined && told.has(value);
  };
}
