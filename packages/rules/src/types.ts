/**
 * What a rule is, and what a detector may look at.
 *
 * A detector watches one send. It is told of things in the order in which they
 * happen and keeps what it needs, so a round costs the same at the start and
 * after ten thousand of them: no detector ever walks the conversation. A finding
 * at `proposed` or `answered` of a rule that is `refused` refuses the call or sends
 * the answer back; every other finding is counted and told to the model.
 *
 * What a newcomer gets wrong: detectors hear what was done (calls, arguments,
 * results, paths, the order of rounds), not what was meant. When in doubt they are
 * silent, for a rule that cries wolf is switched off.
 */
import type { JsonObject } from "@bridle/record";

/**
 * How a rule is held:
 *
 * - `refused`: the call does not run, or the answer is sent back;
 * - `counted`: what was found is counted and told to the model;
 * - `judged`: its evidence is prose, so only a model can judge it, and one does where
 *   `AGENT_RULE_JUDGE` is set;
 * - `said`: the model is told, and nobody looks.
 */
export type Held = "refused" | "counted" | "judged" | "said";

/** `harness`: recalled by id at round 2. `protocol`: only in the system prompt. */
export type RuleLayer = "harness" | "protocol";

export interface Rule {
  readonly id: string;
  /** What the model is told, every turn. */
  readonly text: string;
  readonly layer: RuleLayer;
  readonly optional?: true;
  readonly held: Held;
  readonly detector?: Detector;
}

export interface Finding {
  /** What was done, in one sentence. */
  readonly what: string;
  /** What to do instead, in one sentence. */
  readonly remedy: string;
}

/** What is known when a send begins. */
export interface Ask {
  /** What the user said now. */
  readonly text: string;
  /** Paths that the issue at hand declares; nothing else is its business. */
  readonly declaredPaths?: readonly string[];
}

/** A tool call as it was proposed. */
export interface ProposedCall {
  /** Of the send, from 1. */
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
}

export interface CallOutcome {
  readonly ok: boolean;
  /** What the model saw of it. */
  readonly output: string;
  /** Of the whole output; that of `output` when left out. */
  readonly bytes?: number;
  /** It was answered from an earlier result, or refused: nothing ran. */
  readonly ran?: false;
  /** Paths that it changed. Left out where nobody knows, as of a command in an old log. */
  readonly changed?: readonly string[];
}

/** Contract: one `Watch` a send; each method costs the same however long the send is. */
export interface Detector {
  begin(ask: Ask): Watch;
}

export interface Watch {
  /** Before the call runs. */
  proposed?(call: ProposedCall): Finding | undefined;
  /** After it ran, or was answered without running. */
  ran?(call: ProposedCall, outcome: CallOutcome): Finding | undefined;
  /** The model said something beside its calls. */
  said?(text: string): Finding | undefined;
  /** The final answer, before the user has it. */
  answered?(text: string): Finding | undefined;
}
