/**
 * The manual of this room: what is said to a model, what comes back, and the one
 * function type that everything here implements or wraps.
 *
 *     record(tape, retryingPi)   replay(tape)   scriptedModel(answers)
 *            └──────────────── ModelCall ────────────────┘
 *                                  │
 *                    runLoop, the agent, the search planner
 *
 * What a newcomer gets wrong: a call that failed is no exception. The stream ends
 * with `failed` and a refusal, because a provider that is down is part of life
 * and of the record. What is thrown is a bug, a broken disk, or a replay that
 * asks for something that is not on its tape.
 *
 * No type here has a time in it. Whoever needs one asks a clock and writes it down
 * elsewhere, so that a request made twice has one digest.
 */
import type { JsonObject, JsonValue, Refusal } from "@bridle/record";

// --- What is said ----------------------------------------------------------------------------------

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  /** The provider's own mark, opaque; handed back to the same model. */
  readonly signature?: string;
}

export interface ThinkingPart {
  readonly kind: "thinking";
  readonly text: string;
  readonly signature?: string;
  /** The provider hid the text; only the signature says something, to the provider. */
  readonly redacted?: true;
}

export interface ImagePart {
  readonly kind: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** A call as the model wrote it. Whether its text is whole is decided by `parseArguments`, and nowhere else. */
export interface ToolCallPart {
  readonly kind: "tool_call";
  readonly id: string;
  readonly name: string;
  /** The raw text of the arguments, byte for byte; cut off where the model was. */
  readonly argumentsText: string;
  readonly signature?: string;
}

export type AssistantPart = TextPart | ThinkingPart | ToolCallPart;

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
  /** Who said it, as `provider/id`. */
  readonly model: string;
  readonly stop: StopReason;
}

export interface ToolResultMessage {
  readonly role: "tool_result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** What a model is told about a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

export interface ModelRequest {
  /** `provider/id`. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  /** Episode or conversation: the key of tapes and of prompt caches. Not part of the request's digest. */
  readonly session?: string;
  /**
   * Which request of the session it is, where somebody counts. One that is asked again because a crash
   * took its answer has the same place, and on a tape it takes the place of what was asked before from
   * there on. Not part of the request's digest.
   */
  readonly place?: number;
}

// --- What comes back -------------------------------------------------------------------------------

/** `length`: cut off, so the last part may be a fragment. `none`: the stream was closed properly without a reason; it may be either. */
export const stopReasons = ["stop", "length", "tool_use", "none"] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Usage {
  /** Without what was read from a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** By the price list that pi carries; 0 where there is none. */
  readonly costUsd: number;
}

export interface ModelResponse {
  readonly content: readonly AssistantPart[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The provider's name for this answer. */
  readonly responseId?: string;
}

/**
 * One thing that happens while an answer arrives. First comes `start`, last one
 * `done` or one `failed`. Deltas are the raw text as it came; those of a tool call
 * are its arguments before anybody tried to parse them. `part` counts from 0 and
 * is the place in the response's content.
 *
 * `retry` says that the attempt so far is void: forget its parts.
 */
export type ModelEvent =
  | { readonly type: "start" }
  | {
      readonly type: "part_start";
      readonly part: number;
      readonly kind: AssistantPart["kind"];
      /** Of a tool call, where they are known already; the response has them for certain. */
      readonly id?: string;
      readonly name?: string;
    }
  | { readonly type: "text_delta"; readonly part: number; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly part: number; readonly delta: string }
  | { readonly type: "arguments_delta"; readonly part: number; readonly delta: string }
  | { readonly type: "part_end"; readonly part: number }
  | {
      readonly type: "retry";
      /** Of the attempt that follows; the first had 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly because: Refusal;
    }
  | { readonly type: "done"; readonly response: ModelResponse }
  | { readonly type: "failed"; readonly refusal: Refusal };

export interface CallOptions {
  /** Aborted, the stream ends soon with `failed` and the class `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Contract: returns at once and starts when the stream is first read; a stream is
 * read once. Stopping to read it ends the call. Throws only what is no answer of
 * a model: a bug, a broken disk, a script without answers, a tape that differs.
 */
export type ModelCall = (request: ModelRequest, options?: CallOptions) => AsyncIterable<ModelEvent>;

// --- The loop --------------------------------------------------------------------------------------

/** A call that is about to be carried out: whole, an object, and fitting the tool's schema. */
export interface ToolInvocation {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** As the model wrote it. */
  readonly argumentsText: string;
  /** Why the answer with this call ended; a call that comes unchecked may be a fragment. */
  readonly stop: StopReason;
  /** Whether the answer ended with this call: what was cut off is always the last. */
  readonly last: boolean;
}

export interface ToolOutcome {
  readonly content: string | readonly (TextPart | ImagePart)[];
  readonly isError?: boolean;
  /** For events and records; the model does not see it. */
  readonly details?: JsonValue;
  /** The loop ends after this turn, if every outcome of the turn says so. */
  readonly terminate?: boolean;
}

export interface Tool extends ToolSpec {
  /** It takes calls as they come, with `{}` for arguments: parsing, checking and refusing is its own business, also after an abort. */
  readonly unchecked?: true;
  /**
   * Contract: one at a time, in the order in which the model wrote the calls. A
   * `Failure` that it throws is told to the model as an error; anything else
   * thrown is a bug and ends the loop by rejecting.
   */
  execute(
    invocation: ToolInvocation,
    run: { readonly signal: AbortSignal; update(details: JsonValue): void },
  ): Promise<ToolOutcome>;
}

/** What stands before the model at its next turn. */
export interface TurnContext {
  /** From 1. */
  readonly turn: number;
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
  /** Everything so far, including what was there before the loop. */
  messages(): readonly Message[];
  /** Of this turn. */
  readonly usage: Usage;
}

/** What is left out stays as it is. */
export interface TurnChange {
  readonly model?: string;
  readonly system?: string;
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly thinking?: ThinkingLevel;
}

/** Contract of all hooks: awaited, in the order in which they stand here; what one throws ends the loop by rejecting. */
/** Each may answer at once; a promise is awaited. */
export interface LoopHooks {
  /** Messages to add before the next call of the model: at the start and after every turn. */
  steer?(): Soon<readonly Message[]>;
  /** What the model sees instead of everything; the conversation itself is not changed. */
  transformContext?(messages: readonly Message[]): Soon<readonly Message[]>;
  /** A reason blocks the call: the model is told it as an error, and the tool does not run. */
  beforeToolCall?(invocation: ToolInvocation): Soon<{ readonly block: string } | undefined>;
  afterToolCall?(invocation: ToolInvocation, outcome: ToolOutcome): Soon<Partial<ToolOutcome> | undefined>;
  prepareNextTurn?(context: TurnContext): Soon<TurnChange | undefined>;
  shouldStopAfterTurn?(context: TurnContext): Soon<boolean>;
  /** Messages to go on with when the model has nothing more to do. */
  followUp?(): Soon<readonly Message[]>;
}

export type Soon<Value> = Value | Promise<Value>;

/**
 * What happens in a loop, in order. Each is awaited before anything else happens,
 * so a listener may write it down: an assistant's `message` comes before the
 * first of its tools runs.
 */
export type LoopEvent =
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "model"; readonly event: ModelEvent }
  | { readonly type: "message"; readonly message: Message }
  | {
      readonly type: "tool_start";
      readonly id: string;
      readonly name: string;
      readonly argumentsText: string;
    }
  | { readonly type: "tool_update"; readonly id: string; readonly details: JsonValue }
  | {
      readonly type: "tool_end";
      readonly id: string;
      readonly name: string;
      readonly isError: boolean;
      readonly details?: JsonValue;
    }
  | { readonly type: "turn_end"; readonly turn: number; readonly usage: Usage }
  | { readonly type: "loop_end"; readonly ending: LoopEnding };

/**
 * - `finished`: the model had nothing more to do.
 * - `cut_off`: its last answer hit the length limit and called no tool.
 * - `terminated`: every tool of the last turn said so.
 * - `stopped`: `shouldStopAfterTurn` said so.
 * - `turns_exhausted`: the limit on turns.
 * - `failed`: the model call failed; see `refusal`.
 */
export type LoopEnding = "finished" | "cut_off" | "terminated" | "stopped" | "turns_exhausted" | "failed";

export interface LoopResult {
  readonly ending: LoopEnding;
  /** What was added: prompts, answers, results, steering. */
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** Why it failed. */
  readonly refusal?: Refusal;
}
