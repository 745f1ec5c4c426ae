/** How many tokens a message is about: four characters each, and a little for its frame. Images count as much as a page. */
import type { Message } from "@bridle/model";

const charsPerToken = 4;
const frameTokens = 4;
const imageTokens = 1_500;

export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

export function estimateMessageTokens(message: Message): number {
  let tokens = frameTokens;
  for (const part of message.content) {
    if (part.kind === "image") tokens += imageTokens;
    else if (part.kind === "tool_call")
      tokens += estimateTextTokens(part.argumentsText) + estimateTextTokens(part.name);
    else tokens += estimateTextTokens(part.text);
  }
  return tokens;
}
