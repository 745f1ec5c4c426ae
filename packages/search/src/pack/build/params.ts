/**
 * What an episode of funding stress is, in numbers. All of it is in the
 * manifest, because the content of a pack depends on it, and the question can be
 * changed by changing it.
 */
import type { TokenBudgetClass } from "../../types.js";

export interface BuildParams {
  /** Hours of funding that a score is measured against. */
  readonly baseline_hours: number;
  /** With fewer of them than this there is no stress to begin with, */
  readonly baseline_hours_min: number;
  /** and with fewer than this the baseline is incomplete: views give no score, and the honest answer is an abstention. */
  readonly baseline_hours_needed: number;
  /** A spread that is smaller counts as this much: funding often stands still at its base rate, of which this is a tenth. */
  readonly spread_floor: number;
  /** A stress begins when the score reaches this, */
  readonly onset_score: number;
  /** and so many hours have passed since the last one of this market. */
  readonly quiet_hours: number;
  /** It persists when the score stays beyond this, on the same side, */
  readonly persist_score: number;
  /** for so many hours. */
  readonly persist_hours: number;
  readonly window_hours: number;
  /** An asset context that is older than this when it is asked for is missing. */
  readonly context_age_minutes_max: number;
  /** Markets beside the anchor, those with the most traded. */
  readonly peers: number;
  /** Earlier stresses that a view lists. */
  readonly earlier_listed: number;
  readonly shortlist_length: number;
  /** Of the earlier stresses of a pattern, so many of the latest are candidates for a shortlist. */
  readonly shortlist_candidates: number;
  readonly step_budget: number;
  readonly token_budget_class: TokenBudgetClass;
}

/** What the exchange pays in an hour when nothing leans either way: 0.01 % in eight hours. */
const baseRate = 0.0000125;

export const defaultParams: BuildParams = {
  baseline_hours: 168,
  baseline_hours_min: 24,
  baseline_hours_needed: 160,
  spread_floor: baseRate / 10,
  onset_score: 4,
  quiet_hours: 24,
  persist_score: 2,
  persist_hours: 3,
  window_hours: 24,
  context_age_minutes_max: 90,
  peers: 8,
  earlier_listed: 8,
  shortlist_length: 8,
  shortlist_candidates: 512,
  step_budget: 12,
  token_budget_class: "medium",
};
