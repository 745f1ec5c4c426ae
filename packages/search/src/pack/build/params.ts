/**
 * What an episode of funding stress is, in numbers. All of it is in the
 * manifest, because the content of a pack depends on it.
 */
import type { TokenBudgetClass } from "../../types.js";

export interface BuildParams {
  /** Hours of funding that a score is measured against. */
  readonly baseline_hours: number;
  /** With fewer of them than this there is no score at all, */
  readonly baseline_hours_min: number;
  /** and with fewer than this the history is incomplete, so that the honest answer is an abstention. */
  readonly baseline_hours_needed: number;
  /** Scores of less than this are measured against a spread of this size: funding often stands still at its base rate. */
  readonly spread_floor: number;
  /** A stress begins when the score passes this, */
  readonly onset_score: number;
  /** and a day must have passed since the last one of this market. */
  readonly quiet_hours: number;
  /** It persists when the score stays beyond this, on the same side, */
  readonly persist_score: number;
  /** for so many hours. */
  readonly persist_hours: number;
  readonly window_hours: number;
  /** Markets beside the anchor, those with the most traded. */
  readonly peers: number;
  /** Earlier stresses that a view lists. */
  readonly earlier_listed: number;
  readonly shortlist_length: number;
  readonly step_budget: number;
  readonly token_budget_class: TokenBudgetClass;
}

export const defaultParams: BuildParams = {
  baseline_hours: 168,
  baseline_hours_min: 24,
  baseline_hours_needed: 160,
  spread_floor: 0.0000001,
  onset_score: 4,
  quiet_hours: 24,
  persist_score: 2,
  persist_hours: 3,
  window_hours: 24,
  peers: 8,
  earlier_listed: 8,
  shortlist_length: 8,
  step_budget: 12,
  token_budget_class: "medium",
};
