/**
 * Our messages inside of pi's loop.
 *
 * pi's loop looks at a message's role, its stop reason and its tool calls, and
 * hands everything on as it is. So it gets stand-ins that carry just that, and
 * each remembers the message that it stands for. The results of tools are the
 * only messages that the loop makes itself; it puts the time on them, and that
 * is dropped here.
 */
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type {
  AssistantMessage as PiAssistant,
  ToolResultMessage as PiToolResult,
} from "@earendil-works/pi-ai";
import { piNoUsage, piStops } from "../pi/convert.js";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
} from "../types.js";

/** On a stand-in: what it stands for. A map beside them would cost the collector more than the loop itself. */
const ours = Symbol("ours");
const called = Symbol("called");

interface StandIn {
  [ours]?: Message;
  [called]?: ToolCallPart;
}

export class StandIns {
  of(message: Message): AgentMessage {
    const standIn = this.make(message);
    (standIn as StandIn)[ours] = message;
    return standIn;
  }

  /** An answer that never came; it ends pi's loop and stands for nothing. */
  failed(reason: "error" | "aborted"): PiAssistant {
    return { content: [], stopReason: reason, ...bare };
  }

  /** Undefined for an answer that never came. */
  message(standIn: AgentMessage): Message | undefined {
    const known = (standIn as StandIn)[ours];
    if (known !== undefined || standIn.role !== "toolResult") return known;
    const result = resultOf(standIn);
    (standIn as StandIn)[ours] = result;
    return result;
  }

  /** Of a call's stand-in, or of its arguments. */
  call(standIn: object): ToolCallPart {
    const call = (standIn as StandIn)[called];
    if (call === undefined) throw new Error("the loop has a tool call that no model made");
    return call;
  }

  private make(message: Message): AgentMessage {
    switch (message.role) {
      case "user":
        return { role: "user", content: "", timestamp: 0 };
      case "tool_result": {
        const { toolCallId, toolName, isError } = message;
        return { role: "toolResult", toolCallId, toolName, isError, content: [], timestamp: 0 };
      }
      case "assistant":
        return this.assistant(message);
    }
  }

  private assistant(message: AssistantMessage): PiAssistant {
    const content = message.content
      .filter((part) => part.kind === "tool_call")
      .map((part) => {
        // Some events of the loop carry the arguments without their call.
        const args = { [called]: part };
        return { type: "toolCall" as const, id: part.id, name: part.name, arguments: args, [called]: part };
      });
    return { content, stopReason: piStops[message.stop], ...bare };
  }
}

const bare = {
  role: "assistant",
  api: "bridle",
  provider: "bridle",
  model: "bridle",
  usage: piNoUsage,
  timestamp: 0,
} as const;

function resultOf({ toolCallId, toolName, content, isError }: PiToolResult): ToolResultMessage {
  return { role: "tool_result", toolCallId, toolName, isError, content: content.map(partOf) };
}

function partOf(part: PiToolResult["content"][number]): TextPart | ImagePart {
  return part.type === "text"
    ? { kind: "text", text: part.text.toWellFormed() }
    : { kind: "image", data: part.data, mimeType: part.mimeType };
}
