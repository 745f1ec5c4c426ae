/**
 * A model that says what its script says: for our tests, our users' and the demo.
 *
 * It streams in chunks of a fixed size, so two runs see the same deltas. Delays
 * go through a clock, so a test with a virtual one decides when they are over. A
 * script that has run out throws: a test that asks more often than it meant to
 * should not be taken for a provider that is down.
 */
import { type Clock, Failure, type JsonObject, refuse, type Refusal } from "@bridle/record";
import { deltaEvent, noUsage, partStart, textOf, withText } from "./answer.js";
import type {
  AssistantPart,
  ModelCall,
  ModelEvent,
  ModelRequest,
  StopReason,
  ToolCallPart,
  Usage,
} from "./types.js";

export interface ScriptedToolCall {
  readonly name: string;
  /** An object, or the raw text where it matters. */
  readonly arguments?: JsonObject | string;
  /** `call-<answer>-<place>` when left out. */
  readonly id?: string;
}

export interface ScriptedAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** `tool_use` where a tool is called, otherwise `stop`. */
  readonly stop?: StopReason;
  /** Everything after so many characters is missing, and the stop reason is `length`. */
  readonly cutAfterChars?: number;
  /** The call fails with this, after `failAfterChars` characters. */
  readonly fail?: Refusal;
  readonly failAfterChars?: number;
  /** Before the first event. */
  readonly delayMs?: number;
  /** Before each delta. */
  readonly chunkDelayMs?: number;
  /** Characters in a delta. */
  readonly chunkChars?: number;
  /** Counted from the characters, four a token, when left out. */
  readonly usage?: Partial<Usage>;
}

/** An answer, or what makes one of the request. */
export type ScriptedStep = ScriptedAnswer | ((request: ModelRequest, index: number) => ScriptedAnswer);

export interface ScriptedModel {
  readonly call: ModelCall;
  /** What was asked so far. */
  readonly requests: readonly ModelRequest[];
  /** Answers that were not asked for. */
  remaining(): number;
}

export interface ScriptOptions {
  /** Needed where an answer has a delay. */
  readonly clock?: Clock;
  readonly chunkChars?: number;
  /** Requests are not kept, so a long conversation is not kept once for each of its rounds. */
  readonly forgetful?: boolean;
}

const chunkCharsUsual = 8;
const charsPerToken = 4;

export function scriptedModel(script: readonly ScriptedStep[], options: ScriptOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  let asked = 0;
  const next = (request: ModelRequest): { answer: ScriptedAnswer; index: number } => {
    const index = asked;
    const step = script[index];
    if (step === undefined) {
      throw new Failure("script_exhausted", {
        message: `the scripted model has ${script.length} answers and was asked once more`,
        hint: "Add an answer to the script, or find out why there was another call.",
      });
    }
    asked++;
    if (options.forgetful !== true) requests.push(request);
    return { answer: typeof step === "function" ? step(request, index) : step, index };
  };
  return {
    requests,
    remaining: () => script.length - asked,
    async *call(request, { signal } = {}) {
      const { answer, index } = next(request);
      yield* play(answer, { request, index, signal, options });
    },
  };
}

interface Performance {
  readonly request: ModelRequest;
  readonly index: number;
  readonly signal: AbortSignal | undefined;
  readonly options: ScriptOptions;
}

async function* play(answer: ScriptedAnswer, performance: Performance): AsyncGenerator<ModelEvent> {
  const { request, index, signal, options } = performance;
  const chunkChars = answer.chunkChars ?? options.chunkChars ?? chunkCharsUsual;
  /** Whether the caller has given up meanwhile. */
  const pause = async (ms: number = 0): Promise<boolean> => {
    if (ms > 0 && options.clock === undefined) throw new Error("a scripted model with delays needs a clock");
    if (ms > 0) await options.clock?.sleep(ms, signal);
    return signal?.aborted === true;
  };
  const failsAt = answer.fail === undefined ? Infinity : (answer.failAfterChars ?? 0);
  const endsAt = Math.min(answer.cutAfterChars ?? Infinity, failsAt);
  const said: AssistantPart[] = [];
  let chars = 0;

  if (await pause(answer.delayMs)) return yield aborted;
  yield { type: "start" };
  for (const [part, whole] of partsOf(answer, index).entries()) {
    if (part > 0 && chars >= endsAt) break;
    yield partStart(part, whole);
    let sent = "";
    for (const delta of chunksOf(textOf(whole), chunkChars, endsAt - chars)) {
      if (await pause(answer.chunkDelayMs)) return yield aborted;
      sent += delta;
      chars += delta.length;
      yield deltaEvent(part, whole.kind, delta);
    }
    said.push(withText(whole, sent));
    if (sent !== textOf(whole)) break;
    yield { type: "part_end", part };
  }
  if (answer.fail !== undefined) return yield { type: "failed", refusal: answer.fail };
  const calls = said.some(({ kind }) => kind === "tool_call");
  const stop = answer.cutAfterChars === undefined ? (answer.stop ?? (calls ? "tool_use" : "stop")) : "length";
  const usage = {
    ...noUsage,
    // Counting costs as much as the conversation is long, so it is left out where the script says it.
    inputTokens: answer.usage?.inputTokens ?? tokensIn(JSON.stringify(request.messages).length),
    outputTokens: tokensIn(chars),
    ...answer.usage,
  };
  yield { type: "done", response: { content: said, stop, usage } };
}

const aborted: ModelEvent = {
  type: "failed",
  refusal: refuse("aborted", { message: "the call was given up before its answer was whole" }),
};

function partsOf({ thinking, text, toolCalls = [] }: ScriptedAnswer, index: number): AssistantPart[] {
  const parts: AssistantPart[] = [];
  if (thinking !== undefined) parts.push({ kind: "thinking", text: thinking });
  if (text !== undefined) parts.push({ kind: "text", text });
  return [...parts, ...toolCalls.map((call, place) => toolCallPart(call, `call-${index}-${place}`))];
}

function toolCallPart({ name, id, arguments: given = {} }: ScriptedToolCall, usualId: string): ToolCallPart {
  const argumentsText = typeof given === "string" ? given : JSON.stringify(given);
  return { kind: "tool_call", id: id ?? usualId, name, argumentsText };
}

/** Never within a character that takes two units. */
function* chunksOf(text: string, chunkChars: number, charsMax: number): Generator<string> {
  const end = boundary(text, Math.min(text.length, Math.max(0, charsMax)));
  for (let start = 0; start < end;) {
    let stop = boundary(text, Math.min(end, start + Math.max(1, chunkChars)));
    if (stop <= start) stop = Math.min(end, start + 2);
    yield text.slice(start, stop);
    start = stop;
  }
}

function boundary(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

function tokensIn(chars: number): number {
  return Math.ceil(chars / charsPerToken);
}
