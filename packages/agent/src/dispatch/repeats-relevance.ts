/**
 * What would have to change for a call that failed to be worth another try.
 *
 * What a newcomer gets wrong: not every change counts. An edit of one file mends no
 * failed edit of another, and a better README makes no port free.
 */
import type { JsonObject } from "@bridle/record";
import type { RepeatIntent } from "./repeats-keys.js";

interface Attempted {
  readonly tool: string;
  readonly args: JsonObject;
  readonly intent: RepeatIntent;
}

/** Tools whose failures no change of a file can mend. */
const elsewhere =
  /^(?:web_|browser_|memory_|recall_|remember|spawn_agent|wait_for_agents|activate_|list_tool|think|plan|check_context|compress_context)/;

/** What would have to change for a failed call to be worth another try. */
export function mattersTo({ tool, intent }: Attempted): readonly string[] | "anything" {
  if (tool === "run_shell") return "anything";
  const changes = intent.changes ?? [];
  if (changes === "anything") return "anything";
  const paths = [...(intent.reads ?? []), ...changes];
  return paths.length > 0 || elsewhere.test(tool) ? paths : "anything";
}

/** No command fails because of it, but for those that are about it. */
export const isProse = (path: string) =>
  /(?:^|\/)(?:readme|changelog|license|licence|contributing|authors|notice)[^/]*$|\.(?:md|mdx|markdown|rst|adoc|txt)$/i.test(
    path,
  );

export function speaksOfProse({ args }: Attempted, output: string): boolean {
  return /\b(?:md|mdx|rst|adoc|txt|readme|changelog|markdown\w*|docs?|documentation|spell\w*|prose|links?|format\w*|prettier|lint\w*)\b/i.test(
    `${String(args["command"] ?? "")} ${output.slice(0, 2_000)}`,
  );
}
