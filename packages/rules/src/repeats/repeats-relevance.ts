/**
 * What would have to change for a call that failed to be worth another try.
 *
 * What a newcomer gets wrong: not every change counts. An edit of one file mends no
 * failed edit of another, and a better README makes no port free.
 */
import type { JsonObject } from "@bridle/record";
import { plainPath } from "../plan/paths.js";
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
export type Weight = "anything" | "settings" | "code" | "looks" | "aside";

const aside =
  /(?:^|\/)(?:readme|changelog|license|licence|contributing|authors|notice)[^/]*$|\.(?:md|mdx|markdown|rst|adoc|txt)$|^\.git\/|^\w+:\//i;
/** How pages look; no matter to what compiles or tests something else. */
const looks = /\.(?:css|scss|sass|less|svg|png|jpe?g|gif|webp|ico|woff2?)$/i;
const settings =
  /(?:^|\/)(?:\.[\w.-]+|Dockerfile\w*|Makefile|[\w.-]*config[\w.-]*)$|\.(?:json|ya?ml|toml|ini|conf|cfg|env|properties|lock)$/i;

export function weightOf(path: string): Weight {
  if (aside.test(path)) return "aside";
  if (looks.test(path)) return "looks";
  return settings.test(path) ? "settings" : "code";
}

/** The changes after which a command that failed like this is worth another try. */
export function weightsFor({ args }: Attempted, output: string): readonly Weight[] {
  const said = `${String(args["command"] ?? "")} ${output.slice(0, 2_000)}`;
  const asideToo: readonly Weight[] = aboutAside.test(said) ? ["aside"] : [];
  const isOutside = outside.test(output);
  const looksToo: readonly Weight[] = isOutside || elsewise.test(said) ? [] : ["looks"];
  return ["anything", "settings", ...(isOutside ? [] : (["code"] as const)), ...looksToo, ...asideToo];
}

const aboutAside =
  /\b(?:md|mdx|rst|adoc|txt|readme|changelog|markdown\w*|docs|documentation|spell\w*|prose|links?|format\w*|prettier|lint\w*|git|release|publish|version)\b/i;

/** Programs that never look at a style sheet. */
const elsewise =
  /^\s*(?:cd \S+ && )?(?:pytest|python3?|cargo|go|mvn|\.\/mvnw|pip3?|psql|terraform|kubectl|git|docker|ssh|curl|bundle exec rspec|dotnet|swift)\b(?!.*\b(?:css|scss|svg|assets?|static)\b)/is;

/** No edit of code mends it: names that do not resolve, connections that break, rights, programs and space that are missing. */
const outside =
  /\b(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ENOSPC|ENETUNREACH|EHOSTUNREACH|EADDRINUSE|EDQUOT|could not resolve|network is unreachable|no space left|publickey|authentication failed|unauthorized|not authorized|not logged in|401|403|address already in use|port is already allocated|command not found|quota exceeded|rate limit\w*|connection reset|connection timed out|certificate (?:has expired|verify failed|is not)|non-fast-forward|\[rejected\]|cannot connect to the docker daemon|is the docker daemon running|could not read from remote|credentials|token (?:has )?expired|manifest unknown|pull access denied)(?:\b|(?<=\]))/i;

/** A tool was not there to be called. */
export function aboutTools(output: string): boolean {
  return /\b(?:activat\w*|inactive|famil(?:y|ies)|unknown[ _]tool|no such tool|tool[ _]not|not available)\b/i.test(
    output,
  );
}

const pathsMax = 20;

/** Files that the command or its failure names: a change of one of them matters whatever the failure. */
export function pathsNamed({ args }: Attempted, output: string): readonly string[] {
  const said = `${String(args["command"] ?? "")}\n${output.slice(0, 2_000)}`;
  const found =
    said.match(/(?<![\w:/.-])(?:\.{0,2}\/)?[\w@-][\w@.-]*(?:\/[\w@.-]+)*\.[a-z]\w{0,7}(?![\w/])/gi) ?? [];
  return [...new Set(found.slice(0, pathsMax).map((path) => plainPath(path)))];
}
