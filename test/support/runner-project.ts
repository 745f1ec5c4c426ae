/** A git project with issues and checks, and workers of the runner on it: real git, real processes, real checks. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type JsonObject, type Ports } from "@bridle/record";
import {
  beginRun,
  type JournalRow,
  openWorker,
  openWorkplace,
  RunFiles,
  type StepEnd,
  type StepState,
  type WorkerEnd,
  workerLoop,
} from "@bridle/runner";
import { surfacePorts } from "../../packages/surface/src/ports.js";
import { CheckedProject, type ProjectOptions } from "./checked-project.js";
import { git } from "./git.js";

export interface WorkOptions {
  /** For bash, in the worktree; as the project's settings say when left out. */
  readonly work?: string;
  readonly preset?: string;
  /** A check besides the project's own. */
  readonly verify?: string;
  readonly worker?: string;
  readonly stepsMax?: number;
  readonly continueOnFailure?: boolean;
  readonly merge?: "auto" | "review";
  readonly minutes?: number;
  readonly leaseTtlSeconds?: number;
  readonly signal?: AbortSignal;
  /** A run to join. */
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly ports?: (real: Ports) => Ports;
  onStep?(step: StepState, end: StepEnd | undefined): void;
}

export interface Worked extends WorkerEnd {
  readonly run: string;
  readonly steps_: readonly { readonly step: StepState; readonly end: StepEnd | undefined }[];
  readonly said: readonly string[];
}

export class RunnerProject extends CheckedProject {
  constructor({ issues = 2, ...options }: ProjectOptions & { readonly issues?: number } = {}) {
    super(options);
    const rows = Array.from({ length: issues }, (_, at) => ({
      id: `bd-${at + 1}`,
      title: `Issue ${at + 1}`,
    }));
    this.put(".premath/issues.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }

  override get env(): Record<string, string> {
    return { HOME: this.home, PATH: process.env["PATH"] ?? "", ...identity };
  }

  /** Names of branches, as `git for-each-ref` is told to choose them. */
  branches(...which: readonly string[]): string[] {
    const names = this.git("for-each-ref", "--format=%(refname:short)", ...which);
    return names.split("\n").filter((name) => name !== "");
  }

  get ports(): Ports {
    return surfacePorts(this.env);
  }

  /** One worker in this process, until it has nothing to do. */
  async work(options: WorkOptions): Promise<Worked> {
    const { work, worker = "worker.1", minutes, merge = "auto", leaseTtlSeconds = 600 } = options;
    const env = { ...this.env, ...options.env };
    const real = surfacePorts(env);
    const ports = options.ports?.(real) ?? real;
    const said: string[] = [];
    const signal = options.signal ?? new AbortController().signal;
    const around = { env, ports, signal, say: (sentence: string) => void said.push(sentence) };
    const request = {
      folder: this.folder,
      ...(work === undefined ? {} : { work }),
      ...(options.preset === undefined ? {} : { preset: options.preset }),
      ...(options.verify === undefined ? {} : { verify: options.verify }),
      ...(minutes === undefined ? {} : { minutes }),
    };
    const place = accepted(await openWorkplace(request, around));
    const files =
      options.run === undefined
        ? await beginRun(place, { merge, parallel: 1, budgets: {} }, ports)
        : new RunFiles(join(place.runs, options.run), ports);
    const opened = accepted(await openWorker(place, files, { worker, index: 1, leaseTtlSeconds }, around));
    const steps: { step: StepState; end: StepEnd | undefined }[] = [];
    try {
      const end = await workerLoop(opened.context, {
        files,
        rules: { merge, renewBeforeMs: (leaseTtlSeconds * 1_000) / 3 },
        budgets: {},
        stepsMax: options.stepsMax ?? 1,
        continueOnFailure: options.continueOnFailure ?? true,
        onStep(step, ended) {
          steps.push({ step, end: ended });
          options.onStep?.(step, ended);
        },
      });
      return { ...end, run: files.run, steps_: steps, said };
    } finally {
      await opened.close();
    }
  }

  journal(run = "run-1"): JournalRow[] {
    return lines(this.read(`.premath/runs/${run}/events.jsonl`)) as unknown as JournalRow[];
  }

  trajectory(): JsonObject[] {
    return lines(this.read(".premath/harness_trajectory.jsonl"));
  }

  /** A file as the target has it; undefined where it has none. */
  inTarget(path: string, target = "bridle/main"): string | undefined {
    try {
      return git(this.folder, "show", `${target}:${path}`);
    } catch {
      return undefined;
    }
  }

  git(...args: string[]): string {
    return git(this.folder, ...args).trim();
  }

  /** The worktree of a worker. */
  worktree(worker = "worker.1"): string {
    const state = join(this.home, ".local/state/bridle/worktrees");
    const [repository = ""] = readdirSync(state);
    return join(state, repository, worker);
  }

  session(worker = "worker.1"): JsonObject {
    const path = join(this.worktree(worker), ".premath/harness_session.json");
    return JSON.parse(readFileSync(path, "utf8")) as JsonObject;
  }
}

export const identity = {
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

function lines(text: string): JsonObject[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

function accepted<Answer extends object>(answer: Answer): Exclude<Answer, { readonly refused: string }> {
  if (isRefusal(answer)) throw new Error(`${answer.refused}: ${answer.message}`);
  return answer as Exclude<Answer, { readonly refused: string }>;
}
