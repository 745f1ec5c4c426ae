/** Our messages as pi's. pi wants a time on each; it gets 0, because no provider is told. */
import type {
  Context,
  Message as PiMessage,
  Model,
  Api,
  Tool as PiTool,
  Usage as PiUsage,
} from "@earendil-works/pi-ai";
import { parseArguments } from "../answer.js";
import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Message,
  ModelRequest,
  TextPart,
  Usage,
} from "../types.js";

export function piContext(request: ModelRequest, model: Model<Api>): Context {
  return {
    ...(request.system === undefined ? {} : { systemPrompt: request.system }),
    messages: request.messages.map((message) => piMessage(message, request, model)),
    ...(request.tools === undefined || request.tools.length === 0
      ? {}
      : { tools: request.tools as unknown as PiTool[] }),
  };
}

function piMessage(message: Message, request: ModelRequest, model: Model<Api>): PiMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.map(piContent), timestamp: 0 };
    case "tool_result":
      return {
        role: "toolResult",
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        content: message.content.map(piContent),
        isError: message.isError,
        timestamp: 0,
      };
    case "assistant":
      return {
        role: "assistant",
        content: message.content.map((part) => piPart(part, message)),
        ...speaker(message, request, model),
        usage: piNoUsage,
        stopReason: piStops[message.stop],
        timestamp: 0,
      };
  }
}

/** Signatures are handed back only to the model that made them, which pi tells by these three. */
function speaker(message: AssistantMessage, request: ModelRequest, model: Model<Api>) {
  if (message.model === request.model) return { api: model.api, provider: model.provider, model: model.id };
  const slash = message.model.indexOf("/");
  return {
    api: "other",
    provider: message.model.slice(0, Math.max(0, slash)),
    model: message.model.slice(slash + 1),
  };
}

export const piStops = { stop: "stop", length: "length", tool_use: "toolUse", none: "stop" } as const;

export const piNoUsage: PiUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function piContent(part: TextPart | ImagePart) {
  return part.kind === "text"
    ? { type: "text" as const, text: part.text }
    : { type: "image" as const, data: part.data, mimeType: part.mimeType };
}

function piPart(part: AssistantPart, message: AssistantMessage) {
  switch (part.kind) {
    case "text":
      return {
        type: "text" as const,
        text: part.text,
        ...(part.signature === undefined ? {} : { textSignature: part.signature }),
      };
    case "thinking":
      return {
        type: "thinking" as const,
        thinking: part.text,
        ...(part.signature === undefined ? {} : { thinkingSignature: part.signature }),
        ...(part.redacted === undefined ? {} : { redacted: true }),
      };
    case "tool_call": {
      const parsed = parseArguments(part, message);
      return {
        type: "toolCall" as const,
        id: part.id,
        name: part.name,
        // A call that is not whole was not carried out; providers take objects only.
        arguments: parsed.whole ? parsed.arguments : {},
        ...(part.signature === undefined ? {} : { thoughtSignature: part.signature }),
      };
    }
  }
}

export function usageOf(usage: PiUsage): Usage {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    costUsd: usage.cost.total,
  };
}
