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

/** What a change may mean to a command: everything; its settings; what it works on; what it hardly ever looks at. */
export type Weight = "anything" | "settings" | "code" | "aside";

const aside =
  /(?:^|\/)(?:readme|changelog|license|licence|contributing|authors|notice)[^/]*$|\.(?:md|mdx|markdown|rst|adoc|txt)$|^\.git\/|^\w+:\//i;
const settings =
  /(?:^|\/)(?:\.[\w.-]+|Dockerfile\w*|Makefile|[\w.-]*config[\w.-]*)$|\.(?:json|ya?ml|toml|ini|conf|cfg|env|properties|lock)$/i;

export function weightOf(path: string): Weight {
  return aside.test(path) ? "aside" : settings.test(path) ? "settings" : "code";
}

/** The changes after which a command that failed like this is worth another try. */
export function weightsFor({ args }: Attempted, output: string): readonly Weight[] {
  const said = `${String(args["command"] ?? "")} ${output.slice(0, 2_000)}`;
  const asideToo: readonly Weight[] = aboutAside.test(said) ? ["aside"] : [];
  return ["anything", "settings", ...(outside.test(output) ? [] : (["code"] as const)), ...asideToo];
}

const aboutAside =
  /\b(?:md|mdx|rst|adoc|txt|readme|changelog|markdown\w*|docs|documentation|spell\w*|prose|links?|format\w*|prettier|lint\w*|git|release|publish|version)\b/i;

/** No edit of code mends it: names that do not resolve, connections that break, rights and space that are missing. */
const outside =
  /\b(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ENOSPC|ENETUNREACH|EHOSTUNREACH|could not resolve|network is unreachable|no space left|publickey|authentication failed|unauthorized|401|403)\b/i;
