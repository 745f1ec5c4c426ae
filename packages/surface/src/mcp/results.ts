/**
 * An envelope as a tool result.
 *
 * The envelope is the structured content, and the same JSON is the text for
 * clients that read only text. A refusal is a result with `isError`, not a
 * protocol error: the model should read it and do better. Its text begins with
 * the failure class, in the form that clients of the original server parse.
 */
import { type Envelope, type EnvelopeOutcome, type ManifestEntry, outcomeOf } from "@bridle/operation";
import type { CallToolResult } from "@modelcontextprotocol/server";

export function toolResult(envelope: Envelope, entry: ManifestEntry): CallToolResult {
  const outcome = outcomeOf(envelope);
  const structuredContent: Record<string, unknown> = { ...envelope };
  if (isAnswer(outcome, entry)) {
    return { content: [text(JSON.stringify(envelope))], structuredContent };
  }
  return { content: [text(failureText(envelope, outcome))], structuredContent, isError: true };
}

/** For what went wrong before there was an envelope. */
export function brokenResult(failure: { readonly message: string; readonly hint: string }): CallToolResult {
  return {
    content: [text(`[failureClass=internal_error] ${failure.message}\n${failure.hint}`)],
    isError: true,
  };
}

function isAnswer(outcome: EnvelopeOutcome, entry: ManifestEntry): boolean {
  return outcome.kind === "accepted" || (outcome.kind === "rejected" && entry.rejectionIsAnswer === true);
}

function failureText({ resultClass, action, payload }: Envelope, outcome: EnvelopeOutcome): string {
  const first = `[failureClass=${resultClass}]`;
  if (outcome.kind !== "refused") return `${first} ${action} answers no:\n${JSON.stringify(payload)}`;
  return `${first} ${outcome.message}${outcome.hint === undefined ? "" : `\n${outcome.hint}`}`;
}

function text(content: string): { type: "text"; text: string } {
  return { type: "text", text: content };
}
