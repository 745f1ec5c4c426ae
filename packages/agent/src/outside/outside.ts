/**
 * What a turn hears from outside: the clock, the people, the tools, what was learnt,
 * what others spent, the settings. Nothing else that enters a turn can differ from
 * one run to the next, so whoever has these answers can carry it out again.
 *
 * There are two of them. `LiveOutside` (live.ts) asks the machine, the people and the
 * tools. `RecordedOutside` (../replay/recorded.ts) reads in the session's log what
 * they said, and does nothing. A turn cannot tell which of the two it has: live run
 * and replay are one path.
 *
 * What a newcomer gets wrong: whatever a turn is told here must stand in a row that
 * is written because of it, or a replay cannot be told it.
 */
import type { Usage } from "@bridle/model";
import type { JsonValue } from "@bridle/record";
import type { SessionSettings } from "../session/settings.js";
import type { At, StopPoint, StopWhy } from "../session/rows.js";
import type { JudgedSend, Judgement } from "../judge/judge.js";
import type { AgentTool, ArgumentStream, Commitment, CutWrite, EndReason } from "../types.js";
import type { CallAnswer, CheckedCall } from "./calls.js";

/** What a request is measured by; read once a round. */
export interface Measures {
  /** Since the send began. */
  readonly elapsedMs: number;
  /** What its parent, siblings and children have cost in this send. */
  readonly othersUsd: number;
  /** Why the request offers no tools, where that is known; else it follows from the bounds. */
  readonly closing?: { readonly reason: EndReason | undefined };
}

/** What people decided about a call. */
export type Decision =
  | { readonly decision: "approve" }
  | { readonly decision: "edit"; readonly args: CheckedCall["args"] }
  | { readonly decision: "reject" | "timeout"; readonly reason: string };

/** A round in which every call failed. */
export interface FailedRound extends At {
  readonly ask: string;
  readonly failures: readonly { readonly tool: string; readonly error: string }[];
  /** Whether a model may be asked for the lesson, which takes time. */
  readonly mayAsk: boolean;
  /** Rules whose breaches in this send are counted already. */
  readonly countedRules: ReadonlySet<string>;
}

export interface Lesson {
  readonly text: string;
  /** Of the model that drew it; left out when none was asked. */
  readonly usage?: Usage;
}

/** How much of the context is used. */
export interface ContextUse {
  readonly percent: number;
  /** Whether room is to be made before the next request. */
  readonly isFull: boolean;
}

/** What a send broke, was kept from breaking, and was reminded of. */
export interface RuleUse {
  readonly violations: ReadonlyMap<string, number>;
  readonly preventions: ReadonlyMap<string, number>;
  readonly recalled: boolean;
}

/** How a tool is run: what ends it, and who hears of its progress. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Paths and globs that stay as they are. */
  readonly keep: readonly string[];
  update(details: JsonValue): void;
}

export interface Outside {
  // --- The session and its sends -------------------------------------------------------------------

  /** What the next row of a session, a send or a resume says of the settings: nothing where the rows before it say the same. */
  settings(now: SessionSettings): { readonly under?: SessionSettings };
  /** A send begins, or is resumed: then after so much time, and so much spent by others. */
  begin(before: { readonly elapsedMs: number; readonly othersUsd: number }): Promise<void>;
  /** A send has ended. */
  ended(use: RuleUse): Promise<void>;

  // --- Clock and cost ------------------------------------------------------------------------------

  /** For the request of that round. `othersUsd` is what was known of it before; it never becomes less. */
  measure(at: At & { readonly othersUsd: number }): Measures | Promise<Measures>;
  /** The send has cost so much itself: everybody who works on it is to know. */
  spent(costUsd: number): void;
  /** What the children of this send cost; `othersUsd` is what the last request said of all others. */
  childrenUsd(othersUsd: number): number;
  /** Resolves when that time is over. */
  timer(ms: number, signal: AbortSignal): Promise<void>;

  // --- People --------------------------------------------------------------------------------------

  /** Why the send is to stop at this point. `noticed` is what the signals of this process say. */
  stop(point: StopPoint, callId: string | undefined, noticed: () => StopWhy | undefined): StopWhy | undefined;
  /** What the model is told now of what the user said while it worked. `waiting` is what was said in this process. */
  steering(waiting: readonly string[]): readonly string[];
  /** What a person has ruled out. `said` is what the rows say that this process wrote or took up. */
  commitments(said: readonly Commitment[]): readonly Commitment[];
  /** What people say to the call; undefined, at once or later, where nobody is to be asked. `because`: why somebody must be. */
  approval(
    call: CheckedCall,
    signal: AbortSignal,
    because: string | undefined,
  ): undefined | Promise<Decision | undefined>;

  // --- Tools ---------------------------------------------------------------------------------------

  /** Hears the arguments of a call while they arrive, where its tool wants to. */
  stream(tool: AgentTool | undefined, callId: string): ArgumentStream | undefined;
  /** What is left of a call whose arguments were cut off. */
  kept(callId: string, stream: ArgumentStream | undefined): Promise<CutWrite | undefined>;
  /** The refusal of a call whose intent is never allowed; an intent may depend on what lies on the disk. */
  forbidden(call: CheckedCall): CallAnswer | undefined;
  /** What the call says it will change, to be written down before it begins; undefined when it changes nothing. */
  announced(call: CheckedCall): string | undefined;
  /** Contract: never throws for what the tool refuses; what it throws is a bug and ends the send. */
  run(call: CheckedCall, options: RunOptions): Promise<CallAnswer>;

  // --- What was learnt -----------------------------------------------------------------------------

  /** How full the context is before the request of that round; `measured` goes by the tools as they are described today. */
  context(at: At, measured: ContextUse): ContextUse;
  /** The reminder of the rules, ordered by how often they had been broken when the send began. */
  recall(at: At): string;
  /** Undefined when nothing was learnt. */
  lesson(failed: FailedRound, signal: AbortSignal): Promise<Lesson | undefined>;
  /** Which rules of prose the send broke; undefined when nobody is to judge it. */
  judgement(send: JudgedSend & At, signal: AbortSignal): Promise<Judgement | undefined>;
}
