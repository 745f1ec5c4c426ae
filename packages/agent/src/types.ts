/**
 * The manual of this room: a conversation whose harness keeps it honest.
 *
 *     user ─▶ send() ─▶ rounds on the loop of `model` ─▶ answer
 *                 │          │ calls
 *                 │          ▼
 *                 │   parse → validate → guard → dedup → contract → commitments
 *                 │         → lock → approval → run → cap → record
 *                 ▼
 *            session log: the only authority; everything else is reduced from it
 *
 * What a newcomer gets wrong:
 * - The history holds what was really said, and nothing else. Notes to the model
 *   (rules recalled, budgets, nudges) are reduced from the log when a request is
 *   built and stand at the end of that one request's system prompt.
 * - A tool call is a proposal. Until it has passed every stage nothing outside has
 *   changed; a refusal has a code, the id of a rule where there is one, and a
 *   remedy, and is what the model reads.
 * - Time enters once a round and is written down there, so a session replays.
 */
import type { JsonObject, JsonValue, Ports, Refusal } from "@bridle/record";
import type { ModelCall, Secrets, ThinkingLevel, Usage } from "@bridle/model";
import type { Bounds, Commitment, Needs, Plan } from "@bridle/rules";
import type { AgentConfig } from "./config/table.js";

export { needsTiers as needs } from "@bridle/rules";
export type { Bounds, Commitment, Needs, Plan, PlanStep, StepStatus } from "@bridle/rules";

// --- Tools -----------------------------------------------------------------------------------------

/** What a call can do at worst. `destructive` is never carried out without a yes. */
export const risks = ["safe", "cautious", "destructive"] as const;
export type Risk = (typeof risks)[number];

/**
 * What a call is after, worked out from its arguments alone.
 * Paths are relative to the workspace, with `/`, without `.` and `..`.
 */
export interface Intent {
  /** Equal for two calls that ask for the same thing, whatever their spelling. */
  readonly key: string;
  /**
   * What an equal call gets while nothing that it reads has changed: `answer`, the
   * earlier result by reference; `run`, its own. Calls that change something run.
   */
  readonly repeat: "answer" | "run";
  readonly risk: Risk;
  /** What is asked, in one line, for a person who must say yes or no. */
  readonly says: string;
  readonly reads?: readonly string[];
  /** `anything`: a command that may change whatever it likes. */
  readonly changes?: readonly string[] | "anything";
  /** It waits for something outside, so that its repeats are no loop. */
  readonly waits?: true;
  /** What a command says it needs; who runs it holds it to that. */
  readonly needs?: Needs;
  /** Why it is never allowed, whoever says yes. */
  readonly forbidden?: { readonly code: string; readonly because: string; readonly remedy: string };
}

/** What the model reads when a call did not do what it asked for. */
export interface CallRefusal {
  readonly code: string;
  /** The rule behind it. */
  readonly rule?: string;
  readonly message: string;
  /** What to do instead. */
  readonly remedy: string;
}

export interface ToolReport {
  readonly ok: boolean;
  /** What the model reads. Bounded by the cap stage; what is cut stands in an artifact. */
  readonly text: string;
  /** For events, records and detectors; the model does not see it. */
  readonly facts?: JsonObject;
  /** Where it is no success. */
  readonly refusal?: CallRefusal;
}

export interface ToolRun {
  readonly callId: string;
  readonly round: number;
  /** Aborted when the turn ends: nothing may happen after that. */
  readonly signal: AbortSignal;
  /** Paths and globs of the workspace that stay as they are. */
  readonly keep?: readonly string[];
  /** Progress for whoever watches. */
  update(details: JsonValue): void;
}

/** What is left of a write whose arguments were cut off; its continuation is joined to it. */
export interface CutWrite {
  readonly path: string;
  /** Of the content that arrived, decoded, in UTF-8. */
  readonly bytes: number;
  /** The last characters that arrived, to go on after. */
  readonly tail: string;
  /** Whether the content is kept; without it the call is made again. */
  readonly staged: boolean;
}

/** Hears the arguments of one call while they arrive. Nothing outside changes before the call was admitted. */
export interface ArgumentStream {
  /** Contract: cheap, in order, never throws; work on disk is queued. */
  delta(text: string): void;
  /** The answer ended within the call. */
  cut(): Promise<CutWrite | undefined>;
  /** The call arrived whole, or its attempt is void: what was staged for it is dropped. */
  drop(): Promise<void>;
}

/** What a call would make of a file, for a person who must say yes. */
export interface FilePreview {
  readonly path: string;
  /** Left out where there is no such file. */
  readonly before?: string;
  readonly after: string;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, closed. */
  readonly parameters: JsonObject;
  readonly family: string;
  /**
   * It is not ours: a server's, or a module of the project. Its definition stands in the log of the session, and while
   * paths are kept or needs are ruled out every call of it asks, for nothing holds it to that.
   */
  readonly foreign?: true;
  /** Longest text that the model is shown; the usual cap when left out. */
  readonly capChars?: number;
  /** Contract: pure. The arguments fit the schema. */
  intent(args: JsonObject): Intent;
  /**
   * Looks at the outside (git, the disk, the wall) and says in a sentence why a person must be
   * asked even where the tool is approved in advance; undefined when nobody must.
   * Contract: never throws. A replay does not call it: the log knows who was asked.
   */
  asks?(args: JsonObject): Promise<string | undefined>;
  /** Of a call that changes one text file. Contract: changes nothing, never throws; undefined where it cannot be said. */
  preview?(args: JsonObject): Promise<FilePreview | undefined>;
  /** Contract: a `Failure` thrown is told to the model; anything else thrown is a bug and ends the send by rejecting. */
  run(args: JsonObject, run: ToolRun): Promise<ToolReport>;
  /** Whether arguments that parse look as if they had been cut; asked when the answer ended without a good reason. */
  looksCut?(args: JsonObject): boolean;
  /** For tools whose arguments are worth keeping when they are cut off. */
  stream?(callId: string): ArgumentStream;
}

// --- Approval --------------------------------------------------------------------------------------

export interface ApprovalRequest {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly intent: Intent;
  /** Why it is asked beyond its intent, as its tool says; stands in `intent.says` too. */
  readonly because?: string;
  /** How long it waits; then it is a no. */
  readonly timeoutMs: number;
}

export type ApprovalDecision =
  /** `always`: from now on, in this folder, where an allow list is kept; `wide`, whatever follows its first two words. */
  | { readonly decision: "approve"; readonly always?: true | "wide" }
  /** These arguments instead; they pass every stage again. */
  | { readonly decision: "edit"; readonly args: JsonObject }
  | { readonly decision: "reject"; readonly reason: string };

/** Contract: resolves soon after `signal` is aborted; what it throws is a no. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;

// --- What happens ----------------------------------------------------------------------------------

/**
 * - `ok`: the model answered.
 * - `round_cap`, `timeout`, `contract_budget`, `cost_cap`: a bound was reached, and a tool-free answer ended the turn.
 * - `cancelled`: somebody stopped it.
 * - `error`: the model could not be reached or broke down.
 * - `no_progress`: it went round in circles, and a tool-free answer ended the turn.
 * - `incomplete`: the answer was still cut off after every continuation, or there was none.
 */
export const endReasons = [
  ...["ok", "round_cap", "timeout", "contract_budget", "cost_cap"],
  ...["cancelled", "error", "no_progress", "incomplete"],
] as const;
export type EndReason = (typeof endReasons)[number];

export interface SendResult {
  readonly reason: EndReason;
  /** Never empty: where the model said nothing, the harness says what was done and what is left. */
  readonly text: string;
  readonly rounds: number;
  readonly toolCalls: number;
  /** Of its own models, without its children. */
  readonly usage: Usage;
  /** Of everybody who worked on it: with its children, and theirs. */
  readonly costUsd: number;
  readonly refusal?: Refusal;
}

/** Everything that happens in a send, in order. The last is always one `turn_end`. */
export type AgentEvent =
  | { readonly type: "send_start"; readonly send: number; readonly text: string; readonly depth: number }
  | { readonly type: "round_start"; readonly round: number }
  | { readonly type: "text"; readonly delta: string; readonly channel: "user" | "thinking" }
  /** Forget the text and the calls of this round so far: the provider starts again. */
  | {
      readonly type: "provider_retry";
      readonly attempt: number;
      readonly backoffMs: number;
      readonly message: string;
    }
  | { readonly type: "tool_start"; readonly callId: string; readonly name: string }
  | { readonly type: "tool_delta"; readonly callId: string; readonly argsDelta: string }
  | { readonly type: "tool_update"; readonly callId: string; readonly details: JsonValue }
  | {
      readonly type: "tool_approval";
      readonly callId: string;
      readonly name: string;
      readonly says: string;
      readonly args: JsonObject;
      readonly timeoutMs: number;
    }
  | {
      readonly type: "approval_decision";
      readonly callId: string;
      readonly name: string;
      readonly decision: "approve" | "edit" | "reject" | "timeout";
      readonly reason?: string;
    }
  | {
      readonly type: "tool_result";
      readonly callId: string;
      readonly name: string;
      readonly report: ToolReport;
      readonly round: number;
    }
  | {
      readonly type: "rule_violation";
      readonly rule: string;
      readonly what: string;
      readonly prevented: boolean;
    }
  | { readonly type: "contract_violation"; readonly bound: string; readonly message: string }
  | { readonly type: "plan"; readonly plan: Plan }
  | { readonly type: "length_resume"; readonly resume: number; readonly of: number; readonly cut?: CutWrite }
  | {
      readonly type: "context_compressed";
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly rounds: number;
    }
  | {
      readonly type: "subtask_spawned";
      readonly taskId: string;
      readonly goal: string;
      readonly issue?: string;
    }
  | { readonly type: "subtask_event"; readonly taskId: string; readonly event: AgentEvent }
  | { readonly type: "subtask_complete"; readonly taskId: string; readonly status: ChildStatus }
  | {
      readonly type: "status";
      readonly round: number;
      readonly contextTokens: number;
      readonly contextMax: number;
      readonly costUsd: number;
      readonly toolCalls: number;
      readonly bounds: Bounds;
    }
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "turn_end"; readonly send: number; readonly result: SendResult };

export type ChildStatus = "ok" | "error" | "cancelled" | "timeout" | "cap";

// --- The agent -------------------------------------------------------------------------------------

export interface Speaking {
  readonly call: ModelCall;
  /** `provider/id`. */
  readonly model: string;
  /** Of its context window, in tokens. */
  readonly contextTokens: number;
  readonly thinking?: ThinkingLevel;
}

/** Who the user is on this machine and where; facts for the model, apart from persona and protocol. */
export interface World {
  readonly osUser: string;
  readonly workspace: string;
  readonly harness: { readonly name: string; readonly version: string };
  readonly os: string;
  /** Where `~` leads, absolute. The model is not told; what a command is after depends on it. */
  readonly home?: string;
}

export interface AgentOptions {
  readonly ports: Ports;
  readonly main: Speaking;
  /** For side work; the main one when left out. */
  readonly fast?: Speaking;
  /** Absolute. */
  readonly workspace: string;
  readonly tools: readonly AgentTool[];
  readonly config: AgentConfig;
  readonly world: World;
  readonly persona?: string;
  /** What the project says to agents (`AGENTS.md`), and what an issue says. Data, below the protocol. */
  readonly instructions?: readonly { readonly from: string; readonly text: string }[];
  readonly declaredPaths?: readonly string[];
  /** What whoever started it has ruled out; it holds in every send, and no plan can drop it. */
  readonly commitments?: readonly Commitment[];
  readonly approver?: Approver;
  readonly secrets?: Secrets;
  /** Contract: awaited, in order; what it throws ends the send by rejecting. */
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>;
  /** 0 for the root. */
  readonly depth?: number;
}
