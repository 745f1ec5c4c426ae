/**
 * Long results in rounds that stay, but are not among the very last: their text
 * becomes a preview and a reference. What is elided is short, so it is never
 * elided again.
 */
import type { Message, ToolResultMessage } from "@bridle/model";
import { type Artifact, artifactId } from "./artifacts.js";
import { clip } from "./clip.js";
import { contextLimits } from "./limits.js";
import { roundsOf } from "./rounds.js";

export interface Elided {
  readonly messages: readonly Message[];
  readonly elided: number;
  readonly artifacts: readonly Artifact[];
  /** Calls whose results were elided. */
  readonly left: readonly string[];
}

export function elide(messages: readonly Message[]): Elided {
  const lastAt = roundsOf(messages).at(-contextLimits.elideAfterRounds)?.at ?? 0;
  const artifacts: Artifact[] = [];
  const left: string[] = [];
  const shorter = messages.map((message, at) => {
    if (at >= lastAt || message.role !== "tool_result") return message;
    const text = message.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
    if (text.length < contextLimits.elideCharsMin) return message;
    const id = artifactId(text);
    artifacts.push({ id, text });
    left.push(message.toolCallId);
    return withText(message, preview(message.toolName, text, id));
  });
  return { messages: shorter, elided: left.length, artifacts, left };
}

function preview(tool: string, text: string, id: string): string {
  const begins = clip(text, contextLimits.elidePreviewChars);
  return `[TOOL OUTPUT ELIDED: ${clip(tool, 80)}, ${text.length} characters; read_artifact ${id} has all of it. It begins:]\n${begins}`;
}

function withText(message: ToolResultMessage, text: string): ToolResultMessage {
  const others = message.content.filter((part) => part.kind !== "text");
  return { ...message, content: [{ kind: "text", text }, ...others] };
}
