/**
 * Answers: put together from events, read to their end, and their tool calls parsed.
 *
 * `parseArguments` is the only place that decides whether a tool call is whole.
 * A fragment is never repaired: half of a file's content in a call that was cut
 * off looks like a whole one once somebody has closed its quotes.
 */
import { Failure, failureFrom, isJsonObject, type JsonObject } from "@bridle/record";
import { modelLimits } from "./limits.js";
import type {
  AssistantMessage,
  AssistantPart,
  ModelEvent,
  ModelResponse,
  ToolCallPart,
  Usage,
} from "./types.js";

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    costUsd: left.costUsd + right.costUsd,
  };
}

/** Reads a stream to its end; a call that failed is thrown as a `Failure`. */
export async function answerOf(stream: AsyncIterable<ModelEvent>): Promise<ModelResponse> {
  for await (const event of stream) {
    if (event.type === "done") return event.response;
    if (event.type === "failed") throw failureFrom(event.refusal);
  }
  throw new Failure("internal_error", { message: "the stream of a model call ended without its last event" });
}

/** The events of an answer that is known whole: one delta a part. */
export function* eventsOf(response: ModelResponse): Generator<ModelEvent> {
  yield { type: "start" };
  for (const [part, content] of response.content.entries()) yield* partEvents(part, content);
  yield { type: "done", response };
}

function* partEvents(part: number, content: AssistantPart): Generator<ModelEvent> {
  yield partStart(part, content);
  const delta = textOf(content);
  if (delta !== "") yield deltaEvent(part, content.kind, delta);
  yield { type: "part_end", part };
}

export function partStart(part: number, content: AssistantPart): ModelEvent {
  const named = content.kind === "tool_call" ? { id: content.id, name: content.name } : {};
  return { type: "part_start", part, kind: content.kind, ...named };
}

export function deltaEvent(part: number, kind: AssistantPart["kind"], delta: string): ModelEvent {
  switch (kind) {
    case "text":
      return { type: "text_delta", part, delta };
    case "thinking":
      return { type: "thinking_delta", part, delta };
    case "tool_call":
      return { type: "arguments_delta", part, delta };
  }
}

export function textOf(part: AssistantPart): string {
  return part.kind === "tool_call" ? part.argumentsText : part.text;
}

export function withText(part: AssistantPart, text: string): AssistantPart {
  return part.kind === "tool_call" ? { ...part, argumentsText: text } : { ...part, text };
}

export type ParsedArguments =
  | { readonly whole: true; readonly arguments: JsonObject }
  | { readonly whole: false; readonly reason: string };

/** A tool without parameters is often called with no text at all; that is whole, unless the answer was cut off there. */
export function parseArguments(
  call: ToolCallPart,
  { stop, content }: Pick<AssistantMessage, "stop" | "content">,
): ParsedArguments {
  const text = call.argumentsText;
  const cutHere = (stop === "length" || stop === "none") && content.at(-1) === call;
  if (text.trim() === "" && !cutHere) return { whole: true, arguments: {} };
  if (nestsDeeperThan(modelLimits.argumentsDepthMax, text))
    return {
      whole: false,
      reason: `the arguments of ${call.name} nest deeper than ${modelLimits.argumentsDepthMax} levels; the call was not carried out`,
    };
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { whole: true, arguments: value };
    return { whole: false, reason: `the arguments of ${call.name} are JSON, but no object` };
  } catch {
    const what = cutHere ? "were cut off" : "are not JSON";
    return {
      whole: false,
      reason: `the arguments of ${call.name} ${what} (${text.length} characters arrived); the call was not carried out`,
    };
  }
}

/** By its brackets outside of texts, before anything is built that would have to be walked. */
function nestsDeeperThan(levels: number, text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText) {
      if (char === "\\") at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === "{" || char === "[") {
      if (++depth > levels) return true;
    } else if (char === "}" || char === "]") depth--;
  }
  return false;
}
