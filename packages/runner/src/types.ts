/**
 * The manual of this room: how a step goes, what is written down of it, and who decides what comes next.
 *
 *     claim → open → branch → set_up → base_checks → work → turn → propose → commit
 *           → merge → checks → move → close → stop
 *     a failure anywhere: → give_back → stop
 *
 * Before each effect its intent is appended to the journal, and after it its outcome. What comes next is a pure
 * function (`step/next.ts`) of the step's rows in the journal and of what issue memory and git say now; a live run,
 * a recovery after `kill -9`, a replay and the simulator all ask that one function.
 *
 * What a newcomer gets wrong: an effect whose intent stands without an outcome has happened, or has not. Nothing is
 * repeated on a guess. Each effect has one of three answers (`inDoubt`): it may be repeated, because doing it twice
 * is doing it once; git or issue memory say what became of it; or it is never repeated, and the step fails.
 */
import type { JsonObject } from "@bridle/record";

/** In the order in which a step that goes well has them; those after `merge` may come more than once, or not at all. */
export const effectNames = [
  "claim",
  "open",
  "branch",
  "set_up",
  "base_checks",
  "work",
  "turn",
  "propose",
  "commit",
  "merge",
  "checks",
  "branch_checks",
  "move",
  "park",
  "close",
  "renew",
  "give_back",
  "stop",
] as const;
export type EffectName = (typeof effectNames)[number];

/** What is known of an effect whose intent has no outcome. */
export type InDoubt = "repeat" | "look" | "never_repeat";

/**
 * - `claim` is asked again with the same request id, which is answered the same;
 * - `branch`, `set_up` and the checks begin from a commit, so they give the same again;
 * - `commit`, `move`, `close` and `give_back` leave something to look at;
 * - `work` is somebody else's program: what it did is not known.
 */
export const inDoubt: Readonly<Record<EffectName, InDoubt>> = {
  claim: "repeat",
  open: "repeat",
  branch: "repeat",
  set_up: "repeat",
  base_checks: "repeat",
  work: "never_repeat",
  turn: "repeat",
  propose: "repeat",
  commit: "look",
  merge: "repeat",
  checks: "repeat",
  branch_checks: "repeat",
  move: "look",
  park: "look",
  close: "look",
  renew: "repeat",
  give_back: "look",
  stop: "repeat",
};

/** One line of `.premath/runs/<run>/events.jsonl`. */
export interface JournalRow {
  readonly schema: "bridle.run.event.v1";
  readonly at: string;
  readonly worker: string;
  readonly kind: "intent" | "outcome" | "note";
  /** Of a note: what it is about, e.g. `worker_started`. */
  readonly effect: string;
  /** Absent in notes that are about no step. */
  readonly step?: string;
  readonly data: JsonObject;
}

/** Why a step does not go on; the class is one of the retry policy's, the sentence is for people. */
export interface StepFailure {
  readonly class: string;
  readonly message: string;
  readonly detail?: JsonObject;
}

/** What an effect came to. `failed` ends the step; everything else is what later effects build on. */
export type Outcome = (JsonObject & { readonly failed?: never }) | { readonly failed: JsonObject };

/** All that the journal says of one step. */
export interface StepState {
  readonly id: string;
  readonly worker: string;
  readonly claimed?: Claimed;
  /** The last outcome of each effect, in the order in which they came. */
  readonly done: ReadonlyMap<EffectName, JsonObject>;
  /** An intent without its outcome. */
  readonly doubt?: { readonly effect: EffectName; readonly plan: JsonObject };
  readonly failure?: StepFailure & { readonly during: EffectName };
  /** How often its last rows could not be written. */
  readonly stopsFailed?: number;
  /** How it ended, once it has. */
  readonly over?: StepEnd;
}

/** A step that has its issue. */
export type Begun = StepState & { readonly claimed: Claimed };

export interface Claimed {
  readonly issueId: string;
  readonly fence: number;
  readonly leaseId: string;
  /** From 1; across runs. */
  readonly attempt: number;
}

/**
 * - `completed`: merged and closed with its witness; `parked`: verified, and waits for a person;
 * - `failed`: given back, blocked, or waiting for something; `idle`: there was nothing to claim;
 * - `lost`: somebody else has the issue by now, so nothing more is written.
 */
export type StepEnd = "completed" | "parked" | "failed" | "idle" | "lost";

/** What issue memory and git say now about what a step is about. */
export interface Facts {
  readonly nowMs: number;
  /** Absent before the claim, and when the issue is gone. */
  readonly issue?: IssueFacts;
  /** The step's branch; absent when there is none. */
  readonly branch?: {
    readonly head: string;
    /** The step named in the head's commit. */ readonly step?: string;
  };
  readonly target?: {
    readonly head: string;
    /** Whether the candidate of this step's last merge is part of the target. */
    readonly holdsCandidate: boolean;
  };
  /** A step before this one whose change of the same issue is part of the target, although nobody closed it. */
  readonly earlier?: { readonly step: string; readonly candidate: string; readonly onto: string };
}

export interface IssueFacts {
  readonly status: string;
  readonly fence: number;
  readonly owner?: string;
  readonly leaseEndsMs?: number;
  /** The commit that it was closed on, where the harness closed it. */
  readonly closedOn?: string;
  /** The step that gave it back last, or parked it. */
  readonly leftBy?: string;
  /** What was done about its last failure, where that used its attempts up. */
  readonly escalation?: string;
}

/** How the step goes on. */
export type Next =
  | { readonly kind: "effect"; readonly effect: EffectName; readonly plan: JsonObject }
  /** The world answers for an effect in doubt: its outcome is written without doing it again. */
  | { readonly kind: "settled"; readonly effect: EffectName; readonly outcome: JsonObject }
  | { readonly kind: "over"; readonly how: StepEnd };

/** What a run was told about its steps. */
export interface StepRules {
  /** `review`: a verified change waits for a person. */
  readonly merge: "auto" | "review";
  /** A lease that ends within so long is renewed before anything is done in its name. */
  readonly renewBeforeMs: number;
}

/** What carries effects out: live on this machine, or in the simulator. */
export interface World {
  /** What memory and git say now. */
  look(step: StepState): Promise<Facts>;
  /** Contract: carries the effect out once. Throws `Failure` where the outside world broke. */
  perform(effect: EffectName, plan: JsonObject, step: StepState): Promise<Outcome>;
  /**
   * Only one change is merged and checked at a time: held from the merge until the target was moved, or the step
   * does something else. False when it is not our turn after a while, or the run was stopped: the step looks again at
   * how things stand, which renews its lease, and asks again.
   */
  takeTurnToMerge(): Promise<boolean>;
  leaveTurnToMerge(): Promise<void>;
}
