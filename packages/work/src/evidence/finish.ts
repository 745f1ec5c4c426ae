/**
 * Finishing an issue, up to its closing: what changed since its claim is found, judged and
 * witnessed. Closing it is one row more, written by whoever called and under the same fence.
 */
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import type { Issue } from "../memory/types.js";
import { commitOf, isHarnessState, uncommittedPaths } from "./checks/git-facts.js";
import { judgeChange, type Verdict } from "./checks/judge-change.js";
import type { CheckedRepository, Checking, CheckReport } from "./checks/types.js";
import { writeWitness, type WrittenWitness } from "./checks/write-witness.js";

/** An issue that may be done without a change, such as a question or a check that something is so. */
export const noChangeLabel = "no-change";

export interface FinishRequest {
  /** In progress, and its claim says where it began. */
  readonly issue: Issue;
  readonly repository: CheckedRepository;
  /** Any name of a commit; HEAD of the work tree when left out, which then must hold all that is there. */
  readonly commit?: string;
}

export interface Finished {
  readonly verdict: Verdict;
  readonly written: WrittenWitness;
}

export async function finishIssue(request: FinishRequest, checking: Checking): Promise<Finished | Refusal> {
  const { issue, repository, commit: named } = request;
  const { top, git } = repository;
  const { startedFrom } = issue;
  if (startedFrom === undefined) throw new Error(`the claim of ${issue.id} does not say where it began`);
  if (named === undefined) {
    const loose = (await uncommittedPaths(top, git)).filter((path) => !isHarnessState(path));
    if (loose.length > 0) return uncommitted(loose);
  }
  const commit = await commitOf(top, named ?? "HEAD", git);
  if (isRefusal(commit)) return commit;
  const base = await commitOf(top, startedFrom.commit, git);
  if (isRefusal(base)) return base;
  const startedMs = await checking.ports.clock.now();
  const mayBeEmpty = issue.labels.includes(noChangeLabel);
  const change = { repository, base, commit, declaredTests: startedFrom.tests, mayBeEmpty };
  const verdict = await judgeChange(change, checking);
  if (isRefusal(verdict)) return verdict;
  const about = { id: issue.id, fence: issue.fence };
  const { ports, env } = checking;
  const written = await writeWitness({ verdict, repository, issue: about, startedMs, env, ports });
  const failed = verdict.checks.find(({ status }) => status === "failed");
  if (failed !== undefined) return checkFailed(failed, verdict, written);
  return { verdict, written };
}

function uncommitted(paths: readonly string[]): Refusal {
  const shown = paths.slice(0, 3).join(", ");
  return refuse("change_uncommitted", {
    message: `${paths.length === 1 ? "one path is" : `${paths.length} paths are`} not committed: ${shown}${paths.length > 3 ? ", …" : ""}`,
    hint: "Commit them, put them into .gitignore, or name the commit that holds the work with --commit.",
    detail: { paths: paths.slice(0, 100) },
  });
}

const howItEnded = {
  check_failed: "failed, twice",
  flaky_execution: "failed and then passed on the same tree",
  gate_timeout: "took longer than it may",
  executor_unavailable: "could not be started",
} as const;

function checkFailed(
  failed: CheckReport,
  { checks, commit }: Verdict,
  { witnessRef }: WrittenWitness,
): Refusal {
  const failureClass = failed.failureClass ?? "check_failed";
  const others = checks
    .filter((each) => each !== failed && each.status === "failed")
    .map(({ command }) => command);
  const also = others.length === 0 ? "" : `; so did ${others.join(", ")}`;
  const lines = failed.lastLines === undefined || failed.lastLines === "" ? "" : `\n${failed.lastLines}`;
  return refuse(failureClass, {
    message: `${failed.command} ${howItEnded[failureClass]} on ${commit.slice(0, 7)} (exit code ${failed.exitCode})${also}${lines}`,
    hint:
      failureClass === "flaky_execution"
        ? "Nothing was changed. Finish again: it runs once more."
        : "Nothing was changed. Mend it, commit, and finish again.",
    detail: {
      witnessRef,
      checks: checks.map(({ checkId, status, exitCode, failureClass: of }) => ({
        checkId,
        status,
        exitCode,
        ...(of === undefined ? {} : { failureClass: of }),
      })),
    },
  });
}
