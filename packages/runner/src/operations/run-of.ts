/** The run that a command is about: the latest of the repository that one stands in, or the one that is named. */
import { join } from "node:path";
import type { Call } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import { Journal } from "../journal/journal.js";
import { openRepository, type Repository, runsFolder } from "../repository/repository.js";
import type { Surroundings } from "../run/open-worker.js";
import { latestRun, type RunDescription, RunFiles } from "../run/run-files.js";
import type { JournalRow } from "../types.js";
import { text } from "./define.js";

export const runOfInput = {
  run: text("run", "Which run, such as run-3; the latest when left out."),
  repoRoot: text("folder", "The repository; the one that you stand in when left out.", { "x-path": true }),
} as const;

/** What a worker or a coordinator takes of the call that it was started by. */
export function surroundingsOf(call: Call): Surroundings {
  const { env, ports, signal } = call;
  return { env, ports, signal, say: (words) => call.warn(words) };
}

export interface RunOf {
  readonly repository: Repository;
  readonly runs: string;
  readonly files: RunFiles;
  readonly description: RunDescription;
  /** Whether its coordinator lives. */
  readonly alive: boolean;
}

export async function repositoryOf(
  { repoRoot, into }: { readonly repoRoot?: string; readonly into?: string },
  { ports, cwd }: Call,
): Promise<Repository | Refusal> {
  if (ports.git === undefined) return refuse("git_unavailable", { message: "git cannot be run here" });
  return openRepository(repoRoot ?? cwd, ports.git, into);
}

export async function runOf(
  input: { readonly run?: string; readonly repoRoot?: string },
  call: Call,
): Promise<RunOf | Refusal> {
  const { ports } = call;
  const repository = await repositoryOf(input, call);
  if (isRefusal(repository)) return repository;
  const runs = runsFolder(repository);
  const name = await latestRun(runs, input.run, ports);
  if (isRefusal(name)) return name;
  const files = new RunFiles(join(runs, name), ports);
  const description = await files.describe();
  if (description === undefined)
    return refuse("run_unknown", {
      message: `${name} has no run.json`,
      hint: "It was not started whole; start another.",
    });
  const { target } = description;
  const alive = ["alive", "stopped"].includes(await ports.processes.liveness(description.coordinator));
  return { repository: { ...repository, target }, runs, files, description, alive };
}

export async function rowsOf(files: RunFiles, call: Call): Promise<readonly JournalRow[]> {
  const journal = await Journal.open(files.journal, call.ports);
  try {
    return await journal.rows();
  } finally {
    await journal.close();
  }
}
