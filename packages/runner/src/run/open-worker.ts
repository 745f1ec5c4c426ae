/**
 * Opens a worker on this machine: its repository, settings and policy, its run, its seat, its lane and its worktree.
 * The lane ends with this process, so nothing that a dead worker left can act in its name.
 */
import { join } from "node:path";
import {
  formatSeconds,
  type HeldLock,
  isRefusal,
  Lock,
  type Ports,
  present,
  type ProcessIdentity,
  refuse,
  type Refusal,
} from "@bridle/record";
import type { Standing } from "@bridle/operation";
import {
  Lanes,
  loadRetryPolicy,
  type RetryPolicy,
  retryPolicyDefault,
  usualRetryPolicy,
  workGate,
} from "@bridle/work";
import { Journal } from "../journal/journal.js";
import type { WorkerContext } from "../live/context.js";
import { IssueDoor } from "../live/issue-door.js";
import { openRepository, type Repository, runsFolder } from "../repository/repository.js";
import { openWorktree, worktreesFolder } from "../repository/worktrees.js";
import { readRunnerSettings, type RunnerSettings } from "../settings/runner-file.js";
import { nextRun, readyRuns, RunFiles } from "./run-files.js";
import { takeSeat } from "./seat.js";
import type { Budgets } from "./spent.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What a run is started with, and what each of its workers is told again. */
export interface RunRequest {
  /** Somewhere in the repository, absolute. */
  readonly folder: string;
  /** The branch that changes are merged into. */
  readonly into?: string;
  readonly preset?: string;
  readonly work?: string;
  /** A check besides those of the project's map. */
  readonly verify?: string;
  readonly minutes?: number;
  readonly merge: "auto" | "review";
  readonly parallel: number;
  readonly budgets: Budgets;
}

export interface Surroundings {
  readonly env: Env;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** For people who watch. */
  say(sentence: string): void;
}

/** A repository that can be worked on, and how. */
export interface Workplace {
  readonly repository: Repository;
  readonly settings: RunnerSettings;
  readonly policy: RetryPolicy;
  /** `.premath/runs`, absolute. */
  readonly runs: string;
}

export async function openWorkplace(
  request: Pick<RunRequest, "folder" | "into" | "preset" | "work" | "verify" | "minutes">,
  { ports }: Pick<Surroundings, "ports">,
): Promise<Workplace | Refusal> {
  const { folder, into, preset, work, verify, minutes } = request;
  if (ports.git === undefined) return refuse("git_unavailable", { message: "git cannot be run here" });
  const repository = await openRepository(folder, ports.git, into);
  if (isRefusal(repository)) return repository;
  const given = present({ preset, work, verify, minutes });
  const settings = await readRunnerSettings(repository.mainTree, given, ports);
  if (isRefusal(settings)) return settings;
  const policy = await retryPolicyOf(repository, ports);
  if (isRefusal(policy)) return policy;
  return { repository, settings, policy, runs: runsFolder(repository) };
}

/** The project's own, or the usual one where it has none. */
export async function retryPolicyOf(
  { mainTree }: Repository,
  { files }: Ports,
): Promise<RetryPolicy | Refusal> {
  const place = { path: join(mainTree, retryPolicyDefault), shown: retryPolicyDefault };
  const own = await loadRetryPolicy(place, files);
  return isRefusal(own) && own.refused === "retry_policy_missing" ? usualRetryPolicy() : own;
}

/** Begins a run: its folder, and what it was started with. */
export async function beginRun(
  { repository, settings, runs }: Workplace,
  { merge, parallel, budgets }: Pick<RunRequest, "merge" | "parallel" | "budgets">,
  ports: Ports,
): Promise<RunFiles> {
  await readyRuns(runs, ports);
  // Two that begin at once are two runs.
  const held = await new Lock({ path: join(runs, "begin.lock"), name: "the next run", ports }).acquire();
  try {
    const run = await nextRun(runs, ports);
    const files = new RunFiles(join(runs, run), ports);
    await files.begin({
      ...{ run, startedAt: formatSeconds(await ports.clock.now()), merge, parallel, budgets },
      ...{ source: repository.source, target: repository.target, preset: settings.preset.name },
      coordinator: await ports.processes.self(),
    });
    return files;
  } finally {
    await held.release();
  }
}

export interface WorkerRequest {
  readonly worker: string;
  /** Which of the run's workers, from 1. */
  readonly index: number;
  readonly leaseTtlSeconds: number;
  /** A worktree of the user's choice; one of the worker's own when left out. */
  readonly worktree?: string;
  /** In the place of the worker's own lane: a person vouches for it, with a reason and not for long. */
  readonly override?: Extract<Standing, { kind: "override" }>;
}

export interface OpenedWorker {
  readonly context: WorkerContext;
  close(): Promise<void>;
}

const workerName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

export async function openWorker(
  place: Workplace,
  files: RunFiles,
  request: WorkerRequest,
  surroundings: Surroundings,
): Promise<OpenedWorker | Refusal> {
  const { worker } = request;
  const { ports } = surroundings;
  if (!workerName.test(worker))
    return refuse("input_invalid", {
      message: `${JSON.stringify(worker)} cannot be a worker's name`,
      hint: "Up to 40 letters, digits, dots, dashes and underscores, such as worker.1.",
    });
  const seat = await takeSeat(place.runs, worker, ports);
  if (seat === undefined)
    return refuse("run_busy", {
      message: `${worker} is at work already in ${place.repository.mainTree}`,
      hint: "Start this one under another name.",
    });
  try {
    return await seated(place, files, request, surroundings, seat);
  } catch (error) {
    await seat.release();
    throw error;
  }
}

async function seated(
  { repository, settings, policy, runs }: Workplace,
  files: RunFiles,
  { worker, index, leaseTtlSeconds, worktree: named, override }: WorkerRequest,
  { env, ports, signal, say }: Surroundings,
  seat: HeldLock,
): Promise<OpenedWorker> {
  const { run } = files;
  const folder = named ?? join(await worktreesFolder(repository, env, ports), worker);
  const worktree = await openWorktree(folder, repository, "HEAD", ports);
  const journal = await Journal.open(files.journal, ports, say);
  const lanes = await Lanes.open({ ports, cwd: repository.mainTree, env });
  const process = await ports.processes.self();
  const lane = await openLane(lanes, `${run}.${worker}`, process, ports);
  const commandLane = await openLane(lanes, `${run}.${worker}.work`, process, ports, commandAllows);
  const { mutationGate } = await workGate();
  const issues = new IssueDoor({
    ...{ gates: [mutationGate], mainTree: repository.mainTree, env: withoutRun(env), ports },
    standing: override ?? { kind: "run", id: lane },
    warn: say,
  });
  const context: WorkerContext = {
    ...{ run, worker, index, runs, runFolder: files.folder, repository, worktree, settings, policy, issues },
    ...{ journal, commandLane, leaseTtlSeconds, env: withoutRun(env), ports, signal, say },
  };
  return {
    context,
    async close() {
      await issues.close();
      await journal.close();
      await lanes.remove(lane);
      await lanes.remove(commandLane);
      await seat.release();
    },
  };
}

/** What a work command may do with our own commands; what it wants beyond it stands in its proposals. */
const commandAllows = ["issue.add", "issue.discover", "issue.claim", "issue.lease_release", "issue.close"];

async function openLane(
  lanes: Lanes,
  name: string,
  process: ProcessIdentity,
  ports: Ports,
  allow?: readonly string[],
): Promise<string> {
  const openedAt = formatSeconds(await ports.clock.now());
  await lanes.add({ name, openedAt, process, ...(allow === undefined ? {} : { allow }) });
  return name;
}

/** What surrounds this process is no part of its own run. */
function withoutRun(env: Env): Env {
  const { BRIDLE_RUN: _outer, ...rest } = env;
  return rest;
}
