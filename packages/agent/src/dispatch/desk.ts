/** What the stages of dispatch share during one send. */
import type { Secrets } from "@bridle/model";
import type { Durability } from "@bridle/record";
import type { AgentConfig } from "../config/table.js";
import type { Finding, Repeats, RuleWatch } from "@bridle/rules";
import type { RowOf, SessionRow, StopPoint } from "../session/rows.js";
import type { Recorded } from "../session/recorded.js";
import type { SendState } from "../turn/state.js";
import type { Streams } from "../turn/streams.js";
import type { Toolbox } from "../turn/toolbox.js";
import type { AgentEvent } from "../types.js";
import type { ApprovalDesk } from "./approval.js";
import type { Artifacts } from "./cap.js";
import type { ResourceLocks } from "./resource-locks.js";
import type { Call } from "./types.js";

export interface Desk {
  readonly config: AgentConfig;
  readonly toolbox: Toolbox;
  readonly state: SendState;
  readonly rules: RuleWatch;
  readonly repeats: Repeats;
  readonly locks: ResourceLocks;
  readonly streams: Streams;
  readonly artifacts: Artifacts;
  readonly approvals: ApprovalDesk;
  readonly signal: AbortSignal;
  /** Hidden in whatever a tool says, before anybody writes it down. */
  readonly secrets: Secrets | undefined;
  /** What was recorded, where nothing is to be done. */
  readonly recorded: Recorded | undefined;
  readonly at: { readonly send: number; readonly round: number };
  /** Whether the turn is to stop, looked at for this call. */
  stopsAt(point: StopPoint, callId: string): boolean;
  /** Whether a call that was cut off will be gone on with. */
  continues(): boolean;
  /** Which bound of the plan the next call would break. */
  overBounds(): { readonly bound: string; readonly message: string; readonly remedy: string } | undefined;
  /** Why the call would break a commitment. */
  brokenCommitment(call: Call): string | undefined;
  /** A rule was broken, or would have been. */
  found(rule: string, finding: Finding, told: RowOf<"violation">["told"]): void;
  /** The result stands in the conversation now. */
  rendered(row: RowOf<"tool_result">): void;
  emit(row: SessionRow): void;
  flush(durability?: Durability): Promise<void>;
  tell(event: AgentEvent): void | Promise<void>;
}
