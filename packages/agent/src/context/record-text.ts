/** The record of rounds that were taken out, as a text that a model or a person can read. Thinking is not part of it. */
import type { Message } from "@bridle/model";
import { clip } from "./clip.js";
import { contextLimits } from "./limits.js";
import { textOf } from "./rounds.js";

export interface RecordOptions {
  /** The summary that stood there. */
  readonly before: string | undefined;
  /** Of texts that have an artifact of their own. */
  readonly idOf: (text: string) => string | undefined;
}

export function recordText(messages: readonly Message[], { before, idOf }: RecordOptions): string {
  const parts = messages.flatMap((message) => {
    switch (message.role) {
      case "user":
        return [`user:\n${textOf(message.content)}`];
      case "tool_result": {
        const text = textOf(message.content);
        const id = idOf(text);
        const says = id === undefined ? text : `${text.length} characters, in ${id}`;
        return [`result of ${message.toolCallId} (${message.isError ? "error" : "ok"}):\n${says}`];
      }
      case "assistant": {
        const text = textOf(message.content);
        const calls = message.content.flatMap((part) =>
          part.kind === "tool_call" ? [`call ${part.id}: ${part.name} ${shortened(part.argumentsText)}`] : [],
        );
        return [...(text === "" ? [] : [`assistant:\n${text}`]), ...calls];
      }
    }
  });
  const earlier = before === undefined ? [] : [`The summary before this:\n\n${before}`];
  return ["Rounds that were taken out of the conversation.", ...earlier, ...parts].join("\n\n");
}

function shortened(text: string): string {
  const { argumentsCharsMax } = contextLimits;
  if (text.length <= argumentsCharsMax) return text;
  const shown = clip(text, argumentsCharsMax);
  return `${shown} … (${text.length - shown.length} more characters were not kept)`;
}
