/** What a worker has at hand while it works: its run, its worktree, its settings and the doors to the outside. */
import type { Ports } from "@bridle/record";
import type { RetryPolicy } from "@bridle/work";
import type { Journal } from "../journal/journal.js";
import type { Repository } from "../repository/repository.js";
import type { Worktree } from "../repository/worktrees.js";
import type { RunnerSettings } from "../settings/runner-file.js";
import type { IssueDoor } from "./issue-door.js";

export interface WorkerContext {
  readonly run: string;
  readonly worker: string;
  /** Which of the run's workers, from 1; its ports follow from it. */
  readonly index: number;
  /** `.premath/runs`, absolute. */
  readonly runs: string;
  /** `.premath/runs/<run>`, absolute. */
  readonly runFolder: string;
  readonly repository: Repository;
  readonly worktree: Worktree;
  readonly settings: RunnerSettings;
  readonly policy: RetryPolicy;
  readonly issues: IssueDoor;
  readonly journal: Journal;
  /** What a work command stands on when it calls our own commands. */
  readonly commandLane: string;
  readonly leaseTtlSeconds: number;
  /** Of the person, without the run that this process may itself be a part of. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: Ports;
  /** Aborted when the worker is to stop now. */
  readonly signal: AbortSignal;
  /** For people who watch. */
  say(sentence: string): void;
}
