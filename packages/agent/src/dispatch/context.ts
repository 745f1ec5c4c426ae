/** What dispatch works with during one send: what the send knows, where it writes, and what stands outside. */
import type { Secrets } from "@bridle/model";
import type { Durability } from "@bridle/record";
import type { AgentConfig } from "../config/table.js";
import type { Artifacts } from "../context/artifacts.js";
import type { CheckedCall } from "../outside/calls.js";
import type { Outside } from "../outside/outside.js";
import type { Finding, Repeats, RuleWatch } from "@bridle/rules";
import type { At, RowOf, SessionRow, StopPoint } from "../session/rows.js";
import type { AgentEvent, AgentTool } from "../types.js";
import type { ResourceLocks } from "./resource-locks.js";
import type { Streams } from "./streams.js";

/** Writes what happens to a call into the log of the session, and tells whoever watches. */
export interface CallLog {
  readonly at: At;
  emit(row: SessionRow): void;
  /** A rule was broken, or would have been. */
  found(rule: string, finding: Finding, told: RowOf<"violation">["told"]): void;
  /** The result stands in the conversation now. */
  rendered(row: RowOf<"tool_result">): void;
  tell(event: AgentEvent): void | Promise<void>;
}

/** A bound of the plan that the next call would break. */
export interface BrokenBound {
  readonly bound: string;
  readonly message: string;
  readonly remedy: string;
}

export interface DispatchContext {
  readonly config: Pick<AgentConfig, "toolOutputMaxChars">;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly outside: Outside;
  readonly log: CallLog;
  readonly rules: Pick<RuleWatch, "proposed">;
  readonly repeats: Pick<Repeats, "judge">;
  readonly locks: ResourceLocks;
  readonly streams: Pick<Streams, "take">;
  readonly artifacts: Artifacts;
  /** Of the turn. */
  readonly signal: AbortSignal;
  /** Hidden in whatever a tool says, before anybody writes it down. */
  readonly secrets: Secrets | undefined;
  /** Whether no tool is offered any more. */
  isClosing(): boolean;
  /** Whether the turn is to stop, looked at for this call. */
  stopsAt(point: StopPoint, callId: string): boolean;
  /** Whether a call that was cut off will be gone on with. */
  continues(): boolean;
  overBounds(): BrokenBound | undefined;
  /** Why the call would break a commitment. */
  brokenCommitment(call: CheckedCall): string | undefined;
  /** Why people are asked about the call, whatever was approved in advance. */
  mustAsk(call: CheckedCall): string | undefined;
  /** Paths and globs that stay as they are. */
  keep(): readonly string[];
  flush(durability?: Durability): Promise<void>;
}
