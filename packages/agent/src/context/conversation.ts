/**
 * What was said so far, reduced from the rows of a session.
 *
 * `apply` is told every row, by the live send and by a resume alike. The messages
 * are what a provider is shown; a compaction replaces them, the rows stay.
 */
import type { Message, StopReason, ToolCallPart, ToolResultMessage } from "@bridle/model";
import { estimateTokens, tokensOf } from "./tokens.js";
import type { RowOf, SessionRow } from "../session/rows.js";

export class Conversation {
  private said: Message[] = [];
  private size = 0;
  private sends = 0;
  private asked = 0;
  private readonly callIds = new Set<string>();

  get messages(): readonly Message[] {
    return this.said;
  }

  /** Of all messages, by estimate. */
  get tokens(): number {
    return this.size;
  }

  get lastSend(): number {
    return this.sends;
  }

  /** How many requests there were; one that is asked again counts once. */
  get requests(): number {
    return this.asked;
  }

  /** Whether a call had this id, in what was compacted too. */
  hasCall(id: string): boolean {
    return this.callIds.has(id);
  }

  apply(row: SessionRow): void {
    switch (row.type) {
      case "send":
        this.sends = row.send;
        this.push(userMessage(row.text));
        break;
      case "request":
        this.asked++;
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
        this.size = tokensOf(this.said);
        break;
      default:
    }
  }

  /** Calls of the last answer that have no result, and how that answer ended: of a send that was interrupted. */
  unanswered(): { readonly stop?: StopReason; readonly calls: readonly ToolCallPart[] } {
    const answered = new Set<string>();
    for (let at = this.said.length - 1; at >= 0; at--) {
      const message = this.said[at] as Message;
      if (message.role === "tool_result") answered.add(message.toolCallId);
      else if (message.role === "assistant") {
        const calls = message.content.filter((part) => part.kind === "tool_call");
        return { stop: message.stop, calls: calls.filter(({ id }) => !answered.has(id)) };
      } else break;
    }
    return { calls: [] };
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
    this.size += estimateTokens(message);
  }
}

export function userMessage(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}

export function resultMessage({ callId, tool, ok, text }: RowOf<"tool_result">): ToolResultMessage {
  return {
    role: "tool_result",
    toolCallId: callId,
    toolName: tool,
    content: [{ kind: "text", text }],
    isError: !ok,
  };
}
