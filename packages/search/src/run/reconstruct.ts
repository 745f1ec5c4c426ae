/**
 * The state of an episode after any of its steps, from the run folder alone.
 *
 * What a policy had in view at step k is all in the rows: what was active, what
 * had been read, where it had branched, what was left of the budget. Neither the
 * pack nor the policy is asked.
 */
import { Failure, sha256Hex } from "@bridle/record";
import { holdArtifact, type HeldArtifact } from "../episode/artifact.js";
import { type EpisodeState, pressureOf } from "../episode/state.js";
import {
  type Artifact,
  type BranchEntry,
  type RetrievalEntry,
  startStepId,
  type StepRecord,
  type StopCandidate,
  tokenBudgets,
  type WorkingSet,
} from "../types.js";
import { digestOfRefusals } from "./check.js";
import type { RecordedEpisode } from "./read.js";

export interface Reconstruction {
  readonly step_index: number;
  readonly working_set: WorkingSet;
  /** What is in the working set, with payloads. */
  readonly active: readonly Artifact[];
  /** What this very step read. */
  readonly read: readonly Artifact[];
  readonly stop_candidate: StopCandidate | undefined;
  readonly token_budget_remaining: number;
}

/** `k` from 0, before the first step, to the number of steps. */
export function reconstruct(recorded: RecordedEpisode, k: number): Reconstruction {
  const past = pastOf(recorded, k);
  const budget = tokenBudgets[recorded.start.record.token_budget_class];
  const artifacts = new Map(recorded.artifacts.map(({ record }) => [record.artifact_id, record]));
  const lastRead = recorded.steps[k - 1]?.record.artifact_ids_read ?? [];
  return {
    step_index: k,
    working_set: {
      active_artifact_ids: past.activeIds,
      active_artifact_summaries: past.active.map(({ artifact, summary }) => ({
        artifact_id: artifact.artifact_id,
        summary,
      })),
      branch_history: past.branchHistory,
      context_pressure_class: pressureOf(past.activeTokens, budget),
      retrieval_history: past.retrievalHistory,
      step_budget_remaining: past.stepsLeft,
    },
    active: past.active.map(({ artifact }) => artifact),
    read: lastRead.flatMap((id) => artifacts.get(id) ?? []),
    stop_candidate: past.stopCandidate,
    token_budget_remaining: Math.max(0, budget - past.activeTokens),
  };
}

/** The state after step `k`, but for the registry, which is the pack's. */
export type Past = Omit<EpisodeState, "registry" | "terminal"> & {
  /** Everything that was read by then. */
  readonly held: readonly HeldArtifact[];
};

export function pastOf(recorded: RecordedEpisode, k: number): Past {
  const { start, steps, refusals } = recorded;
  requireStep(recorded, k);
  const before = steps.slice(0, k).map(({ record }) => record);
  const last = before.at(-1);
  const retrieved = [...new Set(before.flatMap(({ artifact_ids_read }) => artifact_ids_read))];
  const held = heldOf(recorded, retrieved);
  const activeIds = last?.working_set_after ?? [];
  const active = activeIds.flatMap((id) => held.get(id) ?? []);
  const refused = refusals.filter(({ record }) => record.step_index <= k);
  const ended = last?.terminal_action === undefined ? 0 : 1;
  return {
    active,
    activeIds,
    activeTokens: active.reduce((sum, { tokens }) => sum + tokens, 0),
    retrieved,
    retrievalHistory: before.flatMap(retrievalOf),
    branchHistory: branchesOf(recorded, k),
    stepCount: k,
    stepsLeft: start.record.step_budget - k + ended,
    refusalsInARow: 0,
    refusalCount: refused.length,
    refusalsDigest: digestOfRefusals(refused),
    lastStepId: last?.step_id ?? startStepId,
    headDigest: sha256Hex((k === 0 ? start : steps[k - 1])?.text ?? ""),
    stopCandidate: before.findLast(({ stop_candidate }) => stop_candidate !== undefined)?.stop_candidate,
    held: [...held.values()],
  };
}

function requireStep({ start, steps }: RecordedEpisode, k: number): void {
  if (Number.isInteger(k) && k >= 0 && k <= steps.length) return;
  throw new Failure("run_step_missing", {
    message: `${start.record.episode_id} has ${steps.length} steps, there is none with the number ${k}`,
    hint: `Name a step from 0, before the first, to ${steps.length}.`,
  });
}

function heldOf({ artifacts, loader }: RecordedEpisode, ids: readonly string[]): Map<string, HeldArtifact> {
  const wanted = new Set(ids);
  const found = artifacts.filter(({ record }) => wanted.has(record.artifact_id));
  return new Map(found.map(({ record }) => [record.artifact_id, holdArtifact(record, loader)]));
}

function retrievalOf({ action_name, artifact_ids_read, step_id, step_type }: StepRecord): RetrievalEntry[] {
  if (step_type !== "env_read") return [];
  return [
    { action_name: action_name as RetrievalEntry["action_name"], artifact_ids: artifact_ids_read, step_id },
  ];
}

/** What a branch read stands behind it; it was decided with the branch, so it counts from there on. */
function branchesOf({ steps }: RecordedEpisode, k: number): BranchEntry[] {
  return steps.slice(0, k).flatMap(({ record }) => {
    if (record.step_type !== "branch_subquery") return [];
    const reads = steps.filter(
      ({ record: read }) => read.step_type === "env_read" && read.branch_parent_step_id === record.step_id,
    );
    return [
      {
        artifact_ids: reads.flatMap(({ record: read }) => read.artifact_ids_read),
        branch_parent_step_id: record.branch_parent_step_id ?? startStepId,
        step_id: record.step_id,
        subquery_type: record.subquery_type as BranchEntry["subquery_type"],
      },
    ];
  });
}
