/**
 * What was said so far, reduced from the rows of a session.
 *
 * `apply` is told every row, by the live send and by a resume alike. The messages
 * are what a provider is shown; a compaction replaces them, the rows stay.
 */
import type { Message, ToolCallPart, ToolResultMessage } from "@bridle/model";
import type { RawCall } from "../outside/calls.js";
import { estimateTokens, tokensOf } from "./tokens.js";
import type { RowOf, SessionRow } from "../session/rows.js";

export class Conversation {
  /** Of all messages, by estimate. */
  tokens = 0;
  lastSend = 0;
  /** How many requests there were; one that is asked again counts once. */
  requests = 0;
  private said: Message[] = [];
  private readonly callIds = new Set<string>();

  get messages(): readonly Message[] {
    return this.said;
  }

  /** Whether a call had this id, in what was compacted too. */
  hasCall(id: string): boolean {
    return this.callIds.has(id);
  }

  apply(row: SessionRow): void {
    switch (row.type) {
      case "send":
        this.lastSend = row.send;
        this.push(userMessage(row.text));
        break;
      case "request":
        this.requests++;
        break;
      case "assistant":
        this.push(row.message);
        for (const part of row.message.content) if (part.kind === "tool_call") this.callIds.add(part.id);
        break;
      case "tool_result":
        this.push(resultMessage(row));
        break;
      case "user":
        this.push(userMessage(row.text));
        break;
      case "compacted":
        this.said = [...row.messages];
        this.tokens = tokensOf(this.said);
        break;
      default:
    }
  }

  /** Calls of the last answer that have no result, and how that answer ended: of a send that was interrupted. */
  unanswered(): readonly Omit<RawCall, "round">[] {
    const answered = new Set<string>();
    for (let at = this.said.length - 1; at >= 0; at--) {
      const message = this.said[at] as Message;
      if (message.role === "user") return [];
      if (message.role === "tool_result") answered.add(message.toolCallId);
      else {
        const { stop } = message;
        const calls = message.content.filter((part) => part.kind === "tool_call" && !answered.has(part.id));
        return (calls as ToolCallPart[]).map(({ id, name, argumentsText }, i) => ({
          ...{ id, name, argumentsText, stop, last: i === calls.length - 1 },
        }));
      }
    }
    return [];
  }

  /** The tool of a call of the last answer. */
  callNamed(callId: string): string | undefined {
    for (let at = this.said.length - 1; at >= 0; at--) {
      const message = this.said[at] as Message;
      if (message.role !== "assistant") continue;
      const call = message.content.find((part) => part.kind === "tool_call" && part.id === callId);
      return call?.kind === "tool_call" ? call.name : undefined;
    }
    return undefined;
  }

  private push(message: Message): void {
    this.said.push(message);
    this.tokens += estimateTokens(message);
  }
}

export function userMessage(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}

function resultMessage({ callId, tool, ok, text }: RowOf<"tool_result">): ToolResultMessage {
  return {
    role: "tool_result",
    toolCallId: callId,
    toolName: tool,
    content: [{ kind: "text", text }],
    isError: !ok,
  };
}
