/**
 * Runs checks of a map on a commit: in a worktree of its own, each behind the wall where there
 * is one, a failing one once more on the same tree.
 *
 * The first failure does not end the run: whoever has to mend something wants to know all of it.
 */
import { isRefusal, type Refusal, refuse } from "@bridle/record";
import type { Check, CheckMap } from "../required/check-map.js";
import type { CheckFailure } from "../required/witness.js";
import { CheckTree, setupKey } from "./check-tree.js";
import { treeOf } from "./git-facts.js";
import { LastLines } from "./last-lines.js";
import { checkKey, CheckResults, inherited } from "./results.js";
import { stateFolder } from "./state-folder.js";
import type { Attempt, CheckedRepository, Checking, CheckReport, TreeReport } from "./types.js";

export interface CheckRequest {
  readonly repository: CheckedRepository;
  readonly commit: string;
  readonly map: CheckMap;
  /** Of the map, in its order. */
  readonly checkIds: readonly string[];
  /** False runs them all again, whatever passed before. */
  readonly reuse?: boolean;
}

const timeoutSecondsDefault = 600;
const outputBytesMax = 256 * 1024 * 1024;
/** As `timeout` and a shell say it. */
const codes = { timeout: 124, unavailable: 127 } as const;

export async function runChecks(request: CheckRequest, checking: Checking): Promise<TreeReport | Refusal> {
  const { repository, commit, map, checkIds, reuse = true } = request;
  const state = await stateFolder(repository, checking);
  if (isRefusal(state)) return state;
  const tree = await treeOf(repository.top, commit, repository.git);
  const results = new CheckResults(state, checking.ports);
  const known = reuse ? await results.of(tree) : new Map<string, CheckReport>();
  const keyOf = (check: Check) => checkKey(check, map.setup, checking.env);
  const wanted = map.checks.filter(({ id }) => checkIds.includes(id));
  const missing = wanted.filter((check) => !known.has(keyOf(check)));
  const made =
    missing.length === 0
      ? new Map<string, CheckReport>()
      : await runMissing(missing, state, request, checking);
  if (isRefusal(made)) return made;
  for (const check of missing) {
    const report = made.get(check.id);
    if (report?.status === "passed") await results.keep(tree, keyOf(check), report);
  }
  const checks = wanted.map((check) => {
    const fresh = made.get(check.id);
    return fresh ?? { ...(known.get(keyOf(check)) as CheckReport), reused: true };
  });
  return { commit, tree, checks };
}

async function runMissing(
  missing: readonly Check[],
  state: string,
  { repository, commit, map }: CheckRequest,
  checking: Checking,
): Promise<ReadonlyMap<string, CheckReport> | Refusal> {
  const tree = await CheckTree.open(commit, state, repository, checking);
  if (isRefusal(tree)) return tree;
  try {
    const { setup } = map;
    // What one check could change must not be there for the checks of another commit.
    const held =
      missing.every(({ wall = true }) => wall) &&
      (await checking.ports.commands?.holds(tree.folder)) === true;
    const keeps = held ? (setup?.keeps ?? []) : [];
    const key = setup === undefined ? "" : await setupKey(setup, commit, repository, checking.env);
    const runner = new TreeRunner(tree.folder, keeps, checking);
    if (setup !== undefined && !(await tree.takeKept(key, keeps))) {
      checking.progress?.({ doing: setup.command });
      const failure = await runner.setUp(setup);
      if (failure !== undefined) return failure;
    }
    const made = new Map<string, CheckReport>();
    for (const [at, check] of missing.entries()) {
      checking.progress?.({ doing: check.command, done: at, total: missing.length });
      made.set(check.id, await runner.judge(check));
    }
    await tree.giveKept(key, keeps);
    return made;
  } finally {
    await tree.close();
  }
}

interface Ended extends Attempt {
  readonly failure: CheckFailure | undefined;
  readonly lastLines: string;
  readonly walled: boolean;
}

class TreeRunner {
  constructor(
    private readonly folder: string,
    private readonly keeps: readonly string[],
    private readonly checking: Checking,
  ) {}

  async setUp(setup: NonNullable<CheckMap["setup"]>): Promise<Refusal | undefined> {
    const { failure, exitCode, lastLines } = await this.attempt({ id: "setup", ...setup }, []);
    if (failure === undefined) return undefined;
    return refuse("executor_unavailable", {
      message: `setting a worktree up failed: ${setup.command} ended with ${exitCode}\n${lastLines}`,
      hint: "Nothing was changed. Does it work in a fresh clone?",
    });
  }

  async judge(check: Check): Promise<CheckReport> {
    const first = await this.attempt(check, this.keeps);
    const again = first.failure === "check_failed" ? await this.attempt(check, this.keeps) : undefined;
    const last = again ?? first;
    const failure = again !== undefined && again.failure === undefined ? "flaky_execution" : last.failure;
    return {
      checkId: check.id,
      command: check.command,
      status: failure === undefined ? "passed" : "failed",
      exitCode: failure === "flaky_execution" ? first.exitCode : last.exitCode,
      durationMs: first.durationMs + (again?.durationMs ?? 0),
      attempts: [first, ...(again === undefined ? [] : [again])].map(({ how, exitCode, durationMs }) => ({
        how,
        exitCode,
        durationMs,
      })),
      ...(failure === undefined
        ? {}
        : { failureClass: failure, lastLines: first.lastLines || last.lastLines }),
      walled: last.walled,
      reused: false,
    };
  }

  private async attempt(check: Check, keep: readonly string[]): Promise<Ended> {
    const { ports, signal } = this.checking;
    const { timeoutSeconds = timeoutSecondsDefault, wall = true, network = true } = check;
    const env = { ...inherited(check, this.checking.env), ...check.env };
    const said = new LastLines();
    const began = await ports.clock.monotonic();
    const end = await ports.commands!.run({
      ...{ folder: this.folder, command: check.command, wall, network, env, keep, signal, outputBytesMax },
      timeoutMs: timeoutSeconds * 1_000,
      onOutput: (chunk) => said.add(chunk),
    });
    const durationMs = Math.round((await ports.clock.monotonic()) - began);
    signal.throwIfAborted();
    const exitCode = exitCodeOf(end);
    const lastLines = [said.text(), ...(end.message === undefined ? [] : [end.message])]
      .filter(Boolean)
      .join("\n");
    return {
      how: end.how,
      exitCode,
      durationMs,
      failure: failureOf(end.how, exitCode),
      lastLines,
      walled: end.walled,
    };
  }
}

function exitCodeOf({ how, code }: { readonly how: string; readonly code?: number }): number {
  if (how === "exit") return code ?? 1;
  if (how === "timeout") return codes.timeout;
  return how === "failed" ? codes.unavailable : (code ?? 1) || 1;
}

/** A shell that finds no such program ends with 127, one that may not run it with 126. */
function failureOf(how: string, exitCode: number): CheckFailure | undefined {
  if (how === "timeout") return "gate_timeout";
  if (how === "failed" || (how === "exit" && [126, 127].includes(exitCode))) return "executor_unavailable";
  return how === "exit" && exitCode === 0 ? undefined : "check_failed";
}
