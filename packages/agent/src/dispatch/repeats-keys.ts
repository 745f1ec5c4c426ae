/**
 * What a call is after, for those who have only its name and arguments: transcripts
 * and the detectors that are scored on them. Live calls bring their own `Intent`.
 *
 * What a newcomer gets wrong: keys must be equal for two spellings of one wish, and
 * different for two wishes that look alike. Order and case of words and small words
 * are spelling in a search; in a command or a pattern they are not.
 */
import { canonicalJson, type JsonObject, type JsonValue } from "@bridle/record";
import { effectsOf } from "../plan/commitments.js";
import { plainPath } from "../plan/paths.js";
import { readShell } from "../plan/shell-effects.js";
import { sameSpacing, simpleCommands } from "../plan/shell-words.js";
import type { Intent } from "../types.js";

/** The part of an `Intent` that repetition is judged by. */
export type RepeatIntent = Pick<Intent, "key" | "repeat" | "reads" | "changes" | "waits">;

/** Stands among paths for what is remembered; no file can have that name. */
const memory = "memory:/";

export function usualIntent(tool: string, args: JsonObject): RepeatIntent {
  const key = (value: JsonValue) => `${tool} ${canonicalJson(value)}`;
  const path = typeof args["path"] === "string" ? plainPath(args["path"]) : undefined;
  switch (tool) {
    case "read_file":
      return { key: key([path ?? "", ...range(args)]), repeat: "answer", reads: [path ?? ""] };
    case "read_file_chunked":
    case "grep_file":
    case "list_dir":
      return { key: key({ ...tidy(args), path: path ?? "" }), repeat: "answer", reads: [path ?? ""] };
    case "write_file":
    case "edit_file":
      return { key: key({ ...args, path: path ?? "" }), repeat: "run", changes: [path ?? ""] };
    case "memory_query":
    case "recall_relevant":
      return { key: key(memoryWish(args)), repeat: "answer", reads: [memory] };
    case "remember":
    case "forget":
      return { key: key(tidy(args)), repeat: "run", changes: [memory] };
    case "web_search":
      return { key: key({ ...tidy(args), query: words(args["query"]) }), repeat: "answer" };
    case "web_fetch":
      return { key: key({ ...tidy(args), url: canonicalUrl(args["url"]) }), repeat: "answer" };
    case "wait_for_agents":
      return { key: key(tidy(args)), repeat: "run", waits: true };
    case "run_shell":
      return shellIntent(args, key);
    default:
      return { key: key(tidy(args)), repeat: "run" };
  }
}

const changing: ReadonlySet<string> = new Set(["write_file", "edit_file", "remember", "forget", "run_shell"]);

/** What it changes, without the trouble of its key. */
export function usualChanges(tool: string, args: JsonObject): RepeatIntent["changes"] {
  return changing.has(tool) ? usualIntent(tool, args).changes : undefined;
}

const ofHistory: ReadonlySet<string> = new Set(["commit", "push", "force-push"]);

function shellIntent(args: JsonObject, key: (value: JsonValue) => string): RepeatIntent {
  const command = typeof args["command"] === "string" ? args["command"] : "";
  const { readsOnly: looks, unknown: isUnknown, waits } = readShell(command);
  const acts = simpleCommands(command).some(({ words: said }) => actsUnseen(said));
  const [readsOnly, unknown] = [looks && !acts, isUnknown || acts];
  const effects = effectsOf({ tool: "run_shell", args });
  const paths = effects.flatMap(({ kind, path }) => path ?? (ofHistory.has(kind) ? [".git/HEAD"] : []));
  // What is installed is found by whatever runs next.
  const installs = effects.some(({ kind }) => kind === "install");
  const changes =
    unknown || installs || paths.some((path) => path === "" || /[*?]/.test(path))
      ? ("anything" as const)
      : paths;
  return {
    key: key([sameSpacing(command), args["cwd"] ?? ""]),
    repeat: "run",
    ...(readsOnly ? {} : { changes: changes === "anything" || changes.length > 0 ? changes : "anything" }),
    ...(waits ? { waits: true as const } : {}),
  };
}

/** It changes no file of the workspace, and yet what others will find: the state of git, something far away. */
function actsUnseen(said: readonly string[]): boolean {
  const words = said.filter((word) => !/^(?:sudo|time|command|env|\w+=.*)$/.test(word));
  const [program = "", ...rest] = words;
  const named = rest.filter((word) => !word.startsWith("-"));
  const [verb = "", second = ""] = named;
  if (program === "git") {
    if (/^(?:stash|worktree)$/.test(verb)) return !/^(?:list|show)$/.test(second);
    if (verb === "remote") return /^(?:add|remove|rename|set-url|prune|update)$/.test(second);
    if (verb === "config") return named.length > 2 || rest.some((word) => /^--(?:add|unset)/.test(word));
    if (verb === "branch" || verb === "tag") return named.length > 1 && !rest.includes("--list");
    return /^(?:add|switch|checkout|init|reset|rm|update-index|lfs|submodule)$/.test(verb);
  }
  if (/^(?:gh|gcloud|aws|az)$/.test(program))
    return !named.some((word) =>
      /^(?:list|ls|view|status|diff|checks|get-\S+|describe\S*|list-\S+|show)$/.test(word),
    );
  if (program === "ssh")
    return (
      named.length > 1 &&
      !/^(?:ls|cat|ps|df|uptime|systemctl status|tail|head|grep)\b/.test(named.slice(1).join(" "))
    );
  if (program !== "curl") return false;
  const method = rest[rest.findIndex((word) => /^(?:-X|--request)$/.test(word)) + 1] ?? "";
  return (
    /^(?:POST|PUT|PATCH|DELETE)$/i.test(method) ||
    rest.some((word) => /^(?:-d|--data\S*|--json|-F|--form|-T)$/.test(word))
  );
}

/** `offset` 1 is the beginning, and no limit is all; how lines are shown is no part of it. */
function range(args: JsonObject): JsonValue[] {
  const first = args["offset"] ?? args["start_line"] ?? args["line"] ?? 1;
  return [first === 0 ? 1 : first, args["limit"] ?? args["end_line"] ?? null, args["encoding"] ?? null];
}

const countsOf = /^(?:k|top_k|limit|max_results|n)$/;

function memoryWish(args: JsonObject): JsonValue {
  const rest = Object.fromEntries(Object.entries(tidy(args)).filter(([name]) => !countsOf.test(name)));
  return args["query"] === undefined ? rest : { ...rest, query: words(args["query"]) };
}

/** Without what is null, with spaces and, in short texts, case set aside. */
function tidy(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args)
      .filter(([name, value]) => value !== null && value !== undefined && name !== "timeout_ms")
      .map(([name, value]) => [name, typeof value === "string" ? tidyText(name, value) : value]),
  );
}

function tidyText(name: string, value: string): string {
  const text = value.trim().replaceAll(/\s+/g, " ");
  return /^(?:family|mode|scope|type|memory_type)$/.test(name) ? text.toLowerCase() : text;
}

export function canonicalUrl(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

const smallWords: ReadonlySet<string> = new Set(
  `a an the of in on at to for from by with about into and or is are was were be been do does did what which who whom
  whose how when where why that this these those it its as my our your their me us you i we they there any some please
  der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur im am mit für über auf aus bei
  ist sind war was wer wie wo wann warum le la les un une des du de et ou en dans sur pour par avec el los las una y del
  con il lo gli di e per het een van`.split(/\s+/),
);

/** The words of a query as a set: small ones, order, case and signs aside. */
export function words(value: JsonValue | undefined): string[] {
  const text = typeof value === "string" ? value.normalize("NFKC").toLowerCase() : "";
  const found = text.match(/[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_.+#'’/-]*[\p{L}\p{N}\p{M}+#])?/gu) ?? [];
  const large = found.filter((word) => !smallWords.has(word));
  return [...new Set(large.length === 0 ? found : large)].toSorted();
}
