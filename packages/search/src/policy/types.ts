/**
 * A policy decides what to propose next. It sees the brief and what is observed,
 * never the episode record: the truth is in there.
 */
import type { JsonObject } from "@bridle/record";
import type { Brief, Observation, Proposal } from "../types.js";

export interface Policy {
  /** Name and version, as in `heuristic.v1`; what it depends on beyond that is in `params`. */
  readonly policyId: string;
  readonly params: JsonObject;
  /** What about it is not a function of the pack: a live model is such a thing, a tape is not. */
  readonly nondeterministicComponents: readonly string[];
  /**
   * Asked only when what came before is written: somebody outside acts on what it
   * is told, so nothing may be told that a kill could undo.
   */
  readonly asksAfterWriting?: boolean;
  /**
   * Whether it gives reasons in words of its own (`notes`). A model's planner does;
   * what anybody else writes beside a proposal is not kept.
   */
  readonly reasons?: true;
  /** What its calls have cost so far, in US dollars; a policy that costs nothing does not have it. */
  costUsd?(): number;
  /**
   * Contract: a fresh one for each episode; nothing is carried over from one to
   * the next. After a resume or a fork its first observation is one of the
   * middle: what it goes on from is in there.
   */
  begin(brief: Brief, options: { readonly signal: AbortSignal }): EpisodePolicy;
  /** Contract: called once, by whoever made it, when the run is over; a policy that holds nothing does not have it. */
  close?(): Promise<void>;
}

export interface EpisodePolicy {
  /**
   * Contract: called with what came of the last proposal, and at first with the
   * start. What it throws ends the episode with an abstention by the harness: a
   * `Failure` of the class `model_unavailable` says so, anything else is
   * `policy_failed`.
   */
  propose(observation: Observation): Proposal | Promise<Proposal>;
}
