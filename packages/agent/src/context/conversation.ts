/**
 * What was said so far, reduced from the rows of a session.
 *
 * `apply` is told every row, by the live send and by a resume alike. The messages
 * are what a provider is shown; a compaction replaces them, the rows stay.
 */
import type { Message, StopReason, ToolCallPart, ToolResultMessage } from "@bridle/model";
import { estimateTokens, tokensOf } from "./tokens.js";
import type { RowOf, SessionRow } from "../session/rows.js";

interface UnansweredCall extends ToolCallPart {
  readonly stop: StopReason;
  /** Whether the answer ended with it. */
  readonly last: boolean;
}

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
  unanswered(): readonly UnansweredCall[] {
    const at = this.said.findLastIndex(({ role }) => role !== "tool_result");
    const answer = this.said[at];
    if (answer?.role !== "assistant") return [];
    const results = this.said.slice(at + 1) as ToolResultMessage[];
    const answered = new Set(results.map(({ toolCallId }) => toolCallId));
    const calls = answer.content.filter((part) => part.kind === "tool_call");
    const left = calls.filter(({ id }) => !answered.has(id));
    return left.map((call) => ({ ...call, stop: answer.stop, last: call === left.at(-1) }));
  }

  /** The tool of a call of the last answer. */
  callNamed(callId: string): string | undefined {
    const answer = this.said.findLast((message) => message.role === "assistant");
    const calls = answer?.content.filter((part) => part.kind === "tool_call");
    return calls?.find(({ id }) => id === callId)?.name;
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
