/** A round is one answer of the model with the results of its calls; what the user says stands between rounds. */
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
} from "@bridle/model";

export interface Round {
  /** Its place among the messages. */
  readonly at: number;
  readonly answer: AssistantMessage;
  readonly calls: readonly { readonly call: ToolCallPart; readonly result: ToolResultMessage | undefined }[];
}

export function roundsOf(messages: readonly Message[]): Round[] {
  const rounds: Round[] = [];
  for (const [at, answer] of messages.entries()) {
    if (answer.role !== "assistant") continue;
    const results = new Map<string, ToolResultMessage>();
    for (let next = at + 1; next < messages.length; next++) {
      const result = messages[next];
      if (result?.role !== "tool_result") break;
      results.set(result.toolCallId, result);
    }
    rounds.push({
      at,
      answer,
      calls: answer.content
        .filter((part) => part.kind === "tool_call")
        .map((call) => ({ call, result: results.get(call.id) })),
    });
  }
  return rounds;
}

/** The text of a message's content; of a picture only that there was one. */
export function textOf(content: readonly (TextPart | ImagePart | { readonly kind: string })[]): string {
  return content
    .flatMap((part) => {
      if (part.kind === "text") return [(part as TextPart).text];
      return part.kind === "image" ? [`[a picture, ${(part as ImagePart).mimeType}]`] : [];
    })
    .join("\n");
}

/** What an answer says, without its calls and its thinking. */
export function saidIn({ content }: Pick<AssistantMessage, "content">): string {
  let text = "";
  for (const part of content) if (part.kind === "text") text += part.text;
  return text;
}
