/**
 * A run: one policy on some episodes of one pack, as a folder.
 *
 *     run.json          what was run; no clock, no path, no number of jobs
 *     starts.jsonl      one row when an episode begins
 *     artifacts.jsonl   each artifact that an episode read, once per episode, before the step that read it
 *     steps.jsonl       the steps, chained by digest
 *     refusals.jsonl    proposals that were refused (ours; no step type)
 *     terminals.jsonl   how each episode ended
 *     episodes.jsonl    the episode records, written with the terminal
 *
 * Rows stand in the order of the episodes, whatever the number of jobs. All of it
 * can be worked out again from pack and policy, so a run that was killed is
 * resumed by working it out and comparing with what is there: the files only grow.
 */
import type { JsonObject } from "@bridle/record";
import type { LoaderVersion } from "../episode/artifact.js";
import type {
  Artifact,
  RefusalRecord,
  StepRecord,
  TerminalAction,
  TerminalRecord,
  TokenBudgetClass,
} from "../types.js";

export const runSchemaVersion = "hlq.run.v1";

/** In the order in which one and the same moment is written: after a kill none is ahead of one before it. */
export const runFiles = [
  "starts.jsonl",
  "artifacts.jsonl",
  "refusals.jsonl",
  "steps.jsonl",
  "terminals.jsonl",
  "episodes.jsonl",
] as const;
export type RunFile = (typeof runFiles)[number];

/** `run.json`. */
export interface RunManifest {
  /** Version of the program, and the git revision where it is known. */
  readonly code_revision: string;
  readonly episode_count: number;
  /** Digest of the ids that were asked for, in order. */
  readonly episode_ids_sha256: string;
  /** There only in a fork: whose rows its first ones are. */
  readonly forked_from?: ForkOrigin;
  readonly loader_version: LoaderVersion;
  readonly nondeterministic_components: readonly string[];
  readonly pack_id: string;
  readonly pack_schema_version: string;
  readonly policy_id: string;
  readonly policy_params: JsonObject;
  /** Digest of the other members, so that a changed one is noticed. */
  readonly run_id: string;
  readonly schema_version: typeof runSchemaVersion;
}

/** The start and the first steps of a fork are the parent's own rows; what comes after is the fork's. */
export interface ForkOrigin {
  readonly at_step: number;
  readonly episode_id: string;
  /** Of the step at which the fork begins, or of the start. */
  readonly head_digest: string;
  /** Of the parent; its start row has it. */
  readonly policy_id: string;
  readonly run_id: string;
}

/** A row of `starts.jsonl`. The chain of the episode's steps begins with its digest. */
export interface StartRecord {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly pack_id: string;
  readonly policy_id: string;
  readonly query: string;
  readonly step_budget: number;
  readonly token_budget_class: TokenBudgetClass;
  readonly window_id: string;
}

/** A row of `episodes.jsonl`. */
export interface RunEpisodeRecord {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly policy_id: string;
  readonly query: string;
  readonly step_budget: number;
  readonly step_count: number;
  readonly terminal_action: TerminalAction;
  readonly window_id: string;
}

/** One episode that ended, as its rows say it, each list in the order of its file. */
export interface RunEpisode {
  readonly artifacts: readonly Artifact[];
  readonly refusals: readonly RefusalRecord[];
  readonly start: StartRecord;
  readonly steps: readonly StepRecord[];
  readonly terminal: TerminalRecord;
}

export type EpisodeStatus = "complete" | "incomplete";

/** From the start of a process that works on a run to its end, however it ended. */
export interface RunSession {
  readonly cost_usd: number;
  readonly jobs: number;
  readonly wall_ms: number;
}

/** What the clock and the bill say; kept beside the run folder, never in it. */
export interface RunSidecar {
  /** Of all sessions. */
  readonly cost_usd: number;
  /** Of the last one. */
  readonly jobs: number;
  /** In the order in which they ran. */
  readonly sessions: readonly RunSession[];
  /** Of all sessions. */
  readonly wall_ms: number;
}
