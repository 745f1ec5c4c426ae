/** The state of an episode: a value, replaced and never changed, so that any of them can be gone back to. */
import { sha256Hex } from "@bridle/record";
import {
  type ArtifactSummary,
  type BranchEntry,
  type ContextPressureClass,
  type Observation,
  type RetrievalEntry,
  startStepId,
  type StopCandidate,
  type TerminalRecord,
  type ActionRefusal,
  type WorkingSet,
} from "../types.js";
import type { HeldArtifact } from "./artifact.js";
import type { EpisodeRegistry } from "./registry.js";

export interface EpisodeState {
  readonly registry: EpisodeRegistry;
  readonly active: readonly HeldArtifact[];
  /** Ids of `active`, in the order in which they were kept. */
  readonly activeIds: readonly string[];
  readonly activeTokens: number;
  /** Ids that were given out. */
  readonly retrieved: readonly string[];
  readonly retrievalHistory: readonly RetrievalEntry[];
  readonly branchHistory: readonly BranchEntry[];
  readonly stepCount: number;
  readonly stepsLeft: number;
  readonly refusalsInARow: number;
  readonly refusalCount: number;
  readonly refusalsDigest: string;
  readonly lastStepId: string;
  readonly headDigest: string;
  readonly stopCandidate: StopCandidate | undefined;
  readonly terminal: TerminalRecord | undefined;
}

const digestOfNone = sha256Hex("");

/** `startText` is the row that opens the episode; the chain of steps begins with its digest. */
export function beginEpisode(registry: EpisodeRegistry, startText: string): EpisodeState {
  return {
    registry,
    active: [],
    activeIds: [],
    activeTokens: 0,
    retrieved: [],
    retrievalHistory: [],
    branchHistory: [],
    stepCount: 0,
    stepsLeft: registry.stepBudget,
    refusalsInARow: 0,
    refusalCount: 0,
    refusalsDigest: digestOfNone,
    lastStepId: startStepId,
    headDigest: sha256Hex(startText),
    stopCandidate: undefined,
    terminal: undefined,
  };
}

export function pressureOf(tokens: number, budget: number): ContextPressureClass {
  const share = tokens / budget;
  return share < 0.5 ? "low" : share < 0.75 ? "medium" : share < 0.9 ? "high" : "critical";
}

export function workingSetOf(state: EpisodeState): WorkingSet {
  return {
    active_artifact_ids: state.activeIds,
    active_artifact_summaries: state.active.map(summaryOf),
    branch_history: state.branchHistory,
    context_pressure_class: pressureOf(state.activeTokens, state.registry.tokenBudget),
    retrieval_history: state.retrievalHistory,
    step_budget_remaining: state.stepsLeft,
  };
}

function summaryOf({ artifact, summary }: HeldArtifact): ArtifactSummary {
  return { artifact_id: artifact.artifact_id, summary };
}

/** What a policy is shown: what it has kept, what it just read, and nothing else that it read before. */
export function observe(
  state: EpisodeState,
  latest: { readonly artifacts?: readonly HeldArtifact[]; readonly refusal?: ActionRefusal } = {},
): Observation {
  const { artifacts = none, refusal } = latest;
  const seen: Observation = {
    active_artifacts: state.active.map(({ artifact }) => artifact),
    artifacts: artifacts.map(({ artifact }) => artifact),
    ended: state.terminal !== undefined,
    must_end: state.terminal === undefined && state.stepsLeft === 0,
    token_budget_remaining: Math.max(0, state.registry.tokenBudget - state.activeTokens),
    working_set: workingSetOf(state),
  };
  return refusal === undefined ? seen : { ...seen, refusal };
}

const none: readonly HeldArtifact[] = [];
