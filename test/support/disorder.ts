/**
 * Whether a conversation is one that providers take.
 *
 * Each call is answered exactly once, in the order of the calls, right behind the
 * message that makes them; ids are used once; the user begins; two answers of the
 * model never follow each other. Messages of the user may follow each other:
 * providers join them, and a send that was cancelled leaves such a pair.
 */
import type { AssistantMessage, Message } from "@bridle/model";

/** The first thing that is wrong, in a sentence; undefined when nothing is. */
export function findDisorder(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>();
  let open: { readonly id: string; readonly name: string }[] = [];
  for (const [at, message] of messages.entries()) {
    const [expected] = open;
    if (message.role === "tool_result") {
      if (expected === undefined) {
        return seen.has(message.toolCallId)
          ? `message ${at} answers call ${message.toolCallId}, which was answered before or elsewhere`
          : `message ${at} answers call ${message.toolCallId}, which nobody made`;
      }
      if (message.toolCallId !== expected.id) {
        return `message ${at} answers call ${message.toolCallId} where ${expected.id} is next`;
      }
      if (message.toolName !== expected.name) {
        return `message ${at} answers call ${expected.id} as ${message.toolName}, and ${expected.name} was called`;
      }
      open = open.slice(1);
      continue;
    }
    if (expected !== undefined) return `call ${expected.id} is not answered before message ${at}`;
    if (message.role === "user") continue;
    if (at === 0) return "the conversation does not begin with the user";
    if (messages[at - 1]?.role === "assistant") return `message ${at} is an answer right behind an answer`;
    const reused = reusedId(message, seen);
    if (reused !== undefined)
      return `message ${at} uses the call id ${JSON.stringify(reused)} again, or none`;
    open = callsOf(message);
  }
  return open[0] === undefined ? undefined : `call ${open[0].id} is never answered`;
}

function reusedId(message: AssistantMessage, seen: Set<string>): string | undefined {
  for (const { id } of callsOf(message)) {
    if (id === "" || seen.has(id)) return id;
    seen.add(id);
  }
  return undefined;
}

function callsOf(message: AssistantMessage) {
  return message.content.filter((part) => part.kind === "tool_call");
}
