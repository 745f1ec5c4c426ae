/**
 * The manual of this room: what an episode is, what a policy may do in it, and
 * what is written down about it.
 *
 * Member names are those of the contracts (SEARCH, TRAJ) and stand in files as
 * they stand here; that is why they are not in camel case. Every object that is
 * digested is built with its members in code-point order, so that its plain JSON
 * text is its canonical text.
 *
 * What a newcomer gets wrong: a read does not keep. What a policy has read and
 * not kept is gone from its view at the next step, and only `keep_artifact` puts
 * something into the working set.
 */
import type { JsonObject, JsonValue } from "@bridle/record";

// --- What a pack holds -----------------------------------------------------------------------------

/** Which views an episode has; also the order in which they are listed. */
export const viewNames = [
  "market_state",
  "derived_metrics",
  "persistence",
  "peer_comparisons",
  "prior_episode_shortlists",
] as const;
export type ViewName = (typeof viewNames)[number];

/** One view of one market and window, as the pack holds it. */
export interface View {
  readonly anchor_market: string;
  readonly payload: JsonObject;
  /** Where it came from, each with a digest of what was read. */
  readonly source_refs: readonly string[];
  readonly window_id: string;
}

/** Markets that were compared in one window, best first; a comparison of some of them is made from it. */
export interface ComparisonPayload {
  /** The member of each row that it was ranked by. */
  readonly ranked_by: string;
  readonly rows: readonly ({ readonly market: string } & JsonObject)[];
}

/** Earlier episodes that showed one pattern, most alike first. Each of them ended before the window began. */
export interface ShortlistPayload {
  readonly episodes: readonly JsonObject[];
  readonly pattern_id: string;
  /** What the pattern is called in words, so that it is found by a query too. */
  readonly words: readonly string[];
}

export type EnvironmentViews = { readonly [Name in ViewName]: readonly View[] };

/** What can be known only afterwards; no action reaches it. */
export interface GroundTruth {
  /** `abstain` where the history that a decision needs is missing. */
  readonly truth: Truth;
  /** The artifacts that a good answer rests on, as view name and window. */
  readonly evidence: readonly { readonly view_name: ViewName; readonly window_id: string }[];
  readonly outcome: JsonObject;
}
export type Truth = DecisionClass | "abstain";

/** Where the truth of an episode is kept, and nothing of it: with three answers even a digest would tell. */
export interface TruthReference {
  readonly file: typeof truthsFile;
}
export const truthsFile = "truths.jsonl";

/** One line of a pack's `episodes.jsonl`. */
export interface EpisodeRecord {
  readonly anchor_market: string;
  readonly environment_views: EnvironmentViews;
  readonly episode_id: string;
  readonly ground_truth_reference: TruthReference;
  readonly query: string;
  readonly step_budget: number;
  readonly token_budget_class: TokenBudgetClass;
  readonly window_id: string;
}

/** An episode with its truth in hand: what a builder makes, and what no policy, loader or environment ever sees. */
export interface EpisodeWithTruth extends Omit<EpisodeRecord, "ground_truth_reference"> {
  readonly ground_truth_reference: GroundTruth;
}

/** One line of a pack's `truths.jsonl`. */
export interface TruthRecord extends GroundTruth {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly window_id: string;
}

/** What is known of an episode afterwards. Only the evaluation reads it. */
export interface EpisodeTruth {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly ground_truth_reference: GroundTruth;
  readonly window_id: string;
}

/** What a policy is told at the start: the episode without its views and without the truth. */
export interface Brief {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly markets: readonly string[];
  readonly pattern_ids: readonly string[];
  readonly query: string;
  readonly step_budget: number;
  readonly token_budget: number;
  readonly token_budget_class: TokenBudgetClass;
  readonly window_id: string;
  readonly window_ids: readonly string[];
}

/** How much a working set may hold, in tokens as `estimateTokens` counts them. */
export const tokenBudgets = { small: 4_000, medium: 16_000, large: 64_000 } as const;
export type TokenBudgetClass = keyof typeof tokenBudgets;

/** Share of the token budget that the working set takes up: from 0, 0.5, 0.75 and 0.9. */
export const contextPressureClasses = ["low", "medium", "high", "critical"] as const;
export type ContextPressureClass = (typeof contextPressureClasses)[number];

// --- What a policy may do --------------------------------------------------------------------------

/** The eleven actions of v1. Frozen: never renamed, never more. */
export const actionNames = [
  "read_market_state",
  "read_derived_metrics",
  "read_persistence",
  "compare_markets",
  "retrieve_similar_prior_episodes",
  "keep_artifact",
  "drop_artifact",
  "prune_working_set",
  "branch_subquery",
  "finalize",
  "abstain",
] as const;
export type ActionName = (typeof actionNames)[number];

/** A proposal is an action, or a change of mind that is written down and is no action of the contract. */
export const proposalNames = [...actionNames, "decision_update"] as const;
export type ProposalName = (typeof proposalNames)[number];

/** Arguments are checked by the environment; whoever proposes may be a model. */
export interface Proposal {
  readonly action_args: JsonObject;
  readonly action_name: string;
  /** A remark for readers of the trajectory; cut to its limit. */
  readonly notes?: string;
}

export const decisionClasses = ["finalize_signal", "finalize_low_signal"] as const;
export type DecisionClass = (typeof decisionClasses)[number];

/** Why an episode stopped. A detail may follow after `: `. */
export const stopReasons = [
  "evidence_sufficient",
  "evidence_conflicting",
  "evidence_missing",
  "history_missing",
  "budget_exhausted",
  "refusals_exhausted",
  "policy_failed",
  "model_unavailable",
] as const;
export type StopReason = (typeof stopReasons)[number];

export const pruneReasons = [
  "context_pressure",
  "superseded",
  "irrelevant",
  "duplicate",
  "contradicted",
] as const;
export type PruneReason = (typeof pruneReasons)[number];

/** Kinds of branch. This list may grow; each has its own arguments (episode/branch.ts). */
export const subqueryTypes = [
  "derived_metrics",
  "persistence_check",
  "peer_comparison",
  "prior_episode_lookup",
] as const;
export type SubqueryType = (typeof subqueryTypes)[number];

export interface StopCandidate {
  /** From 0 to 1: how likely the leaning is right. */
  readonly confidence: number;
  readonly leaning: Truth;
}

// --- What comes back -------------------------------------------------------------------------------

export interface Artifact {
  readonly anchor_market: string;
  readonly artifact_id: string;
  readonly artifact_type: "view" | "comparison" | "shortlist";
  readonly payload: JsonObject;
  readonly source_refs: readonly string[];
  readonly view_name: ViewName;
  readonly window_id: string;
}

/** The working set, whose members the contract names. */
export interface WorkingSet {
  readonly active_artifact_ids: readonly string[];
  readonly active_artifact_summaries: readonly ArtifactSummary[];
  readonly branch_history: readonly BranchEntry[];
  readonly context_pressure_class: ContextPressureClass;
  readonly retrieval_history: readonly RetrievalEntry[];
  readonly step_budget_remaining: number;
}

export interface ArtifactSummary {
  readonly artifact_id: string;
  /** Made by the harness from the payload, bounded, the same in every run. */
  readonly summary: string;
}

/** What was read, by id only. */
export interface RetrievalEntry {
  readonly action_name: ActionName;
  readonly artifact_ids: readonly string[];
  readonly step_id: string;
}

export interface BranchEntry {
  readonly artifact_ids: readonly string[];
  readonly branch_parent_step_id: string;
  readonly step_id: string;
  readonly subquery_type: SubqueryType;
}

/** What a policy sees after each proposal: what is active and what was just read, and no other payload. */
export interface Observation {
  /** Working memory, in the order in which it was kept. */
  readonly active_artifacts: readonly Artifact[];
  readonly artifacts: readonly Artifact[];
  readonly ended: boolean;
  /** Only a terminal is accepted any more. */
  readonly must_end: boolean;
  readonly refusal?: ActionRefusal;
  readonly token_budget_remaining: number;
  readonly working_set: WorkingSet;
}

/** Why a proposal was not carried out. Nothing but the count of refusals changed. */
export const refusalClasses = [
  "action_unknown",
  "args_invalid",
  "artifact_unknown",
  "artifact_already_kept",
  "artifact_not_kept",
  "market_unknown",
  "window_unknown",
  "peer_unknown",
  "subquery_type_unknown",
  "branch_nested",
  "step_budget_spent",
  "step_budget_short",
  "token_budget_exceeded",
  "retained_not_active",
  "episode_ended",
] as const;
export type RefusalClass = (typeof refusalClasses)[number];

export interface ActionRefusal {
  readonly class: RefusalClass;
  readonly message: string;
}

// --- What is written down --------------------------------------------------------------------------

/** The eight step types of v1. Frozen. */
export const stepTypes = [
  "env_read",
  "branch_subquery",
  "keep_artifact",
  "drop_artifact",
  "prune_working_set",
  "decision_update",
  "finalize",
  "abstain",
] as const;
export type StepType = (typeof stepTypes)[number];

/** Before the first step of an episode; a branch as the first step names it as its parent. */
export const startStepId = "s-0000";

/** A row of `steps.jsonl`. Members that do not apply are left out. */
export interface StepRecord {
  readonly action_args: JsonObject;
  readonly action_name: ProposalName;
  /** Of the rows in `artifacts.jsonl`, so that a changed payload is noticed. */
  readonly artifact_digests?: readonly string[];
  readonly artifact_ids_read: readonly string[];
  readonly branch_parent_step_id?: string;
  readonly context_pressure_class: ContextPressureClass;
  readonly dropped_artifact_ids?: readonly string[];
  readonly episode_id: string;
  readonly notes?: string;
  /** Digest of the row before it in this episode; of the start for the first. */
  readonly previous_digest: string;
  readonly selected_artifact_ids?: readonly string[];
  readonly step_id: string;
  readonly step_index: number;
  readonly step_type: StepType;
  readonly stop_candidate?: StopCandidate;
  readonly subquery_type?: SubqueryType;
  readonly terminal_action?: TerminalAction;
  /** Ids of what is active. */
  readonly working_set_after: readonly string[];
  readonly working_set_before: readonly string[];
}

export type TerminalAction = "finalize" | "abstain";

/** The one row of an episode in `terminals.jsonl`. */
export interface TerminalRecord {
  readonly decision_class: DecisionClass | null;
  readonly episode_id: string;
  /** Digest of the last step: a log that lost its tail does not have it. */
  readonly head_digest: string;
  readonly open_risks: readonly string[];
  readonly refusal_count: number;
  /** Digest of all refusals of the episode, each with the one before. */
  readonly refusals_digest: string;
  readonly retained_artifact_ids: readonly string[];
  readonly retained_evidence: readonly RetainedEvidence[];
  readonly step_count: number;
  readonly stop_reason: string;
  readonly terminal_action: TerminalAction;
}

export interface RetainedEvidence {
  readonly anchor_market: string;
  readonly artifact_id: string;
  readonly artifact_type: Artifact["artifact_type"];
  readonly payload_digest: string;
  readonly summary: string;
  readonly view_name: ViewName;
  readonly window_id: string;
}

/** A row of `refusals.jsonl`, which is ours: a refusal is none of the eight step types. */
export interface RefusalRecord {
  readonly action_args: JsonValue;
  readonly action_name: string;
  readonly class: RefusalClass;
  readonly episode_id: string;
  readonly message: string;
  /** Of the step that the proposal would have become. */
  readonly step_index: number;
}
