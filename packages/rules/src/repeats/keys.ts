/**
 * What a call is after, for those who have only its name and arguments: transcripts
 * and the detectors that are scored on them. Live calls bring their own intent.
 *
 * What a newcomer gets wrong: keys must be equal for two spellings of one wish, and
 * different for two wishes that look alike. Order, case and signs are spelling in a
 * search; in a command or a pattern they are not.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { readCommandLine } from "../command-line.js";
import { plainPath } from "../paths.js";

/** The part of an intent that repetition is judged by. */
export interface RepeatIntent {
  /** Equal for two calls that ask for the same thing, whatever their spelling. */
  readonly key: string;
  /** What an equal call gets while nothing that it reads has changed: the earlier result, or its own. */
  readonly repeat: "answer" | "run";
  readonly reads?: readonly string[];
  readonly changes?: readonly string[] | "anything";
  /** It waits for something outside, so that its repeats are no loop. */
  readonly waits?: true;
}

export interface RepeatCall {
  readonly id: string;
  /** Of the send, from 1. */
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** Live, the tool's own; of a transcript, `usualIntent`. */
  readonly intent: RepeatIntent;
}

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

/** Of a command in a transcript nobody knows what it changed. */
function shellIntent(args: JsonObject, key: (value: JsonValue) => string): RepeatIntent {
  const command = typeof args["command"] === "string" ? args["command"] : "";
  const { needs = "read" } = args;
  return {
    key: key([spaced(command), args["cwd"] ?? "", needs]),
    repeat: "run",
    changes: "anything",
  };
}

/** It waits for something outside: it says so itself, or it is a command that sleeps. */
export function isWaiting({ tool, args: { command }, intent }: RepeatCall): boolean {
  if (intent.waits === true) return true;
  if (tool !== "run_shell" || typeof command !== "string") return false;
  return readCommandLine(command).commands.some(({ words: [program] }) => program === "sleep");
}

const spaced = (command: string) => command.trim().replaceAll(/[ \t]+/g, " ");

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

function canonicalUrl(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

/** The words of a query as a set: order, case and signs aside. */
function words(value: JsonValue | undefined): string[] {
  const text = typeof value === "string" ? value.normalize("NFKC").toLowerCase() : "";
  return [...new Set(text.match(/[\p{L}\p{N}]+/gu))].toSorted();
}

// --- Attempts --------------------------------------------------------------------------------------

/** How it is shown and why it is made: none of it makes another attempt. */
const aside = /^(?:description|reason|explanation|note|comment|purpose|line_numbers|verbose|quiet|color)$/;
/** What only shows what a command before it printed. */
const showing = /^(?:head|tail|cat|less|more|tee|grep|wc|nl)$/;

/** Equal for two calls that are the same attempt, written a little differently. */
export function attemptKey({ tool, args }: { readonly tool: string; readonly args: JsonObject }): string {
  return `${tool} ${canonicalJson(bare(args))}`;
}

function bare(args: JsonObject): JsonObject {
  const kept = Object.entries(args).filter(([name, value]) => !aside.test(name) && value !== null);
  return Object.fromEntries(kept.map(([name, value]) => [name, bareValue(name, value)]));
}

function bareValue(name: string, value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => bareValue(name, item));
  if (isJsonObject(value)) return bare(value);
  // Twice the time is another attempt, a second more is none.
  if (typeof value === "number" && name.startsWith("timeout"))
    return Math.round(Math.log2(Math.max(1, value)));
  if (typeof value !== "string") return value;
  if (name === "command") return bareCommand(value);
  if (name === "url") return canonicalUrl(value).replace(/\/$/, "");
  if (name === "query" || name === "q") return words(value);
  if (/^(?:path|file_path|file|cwd)$/.test(name)) return plainPath(value);
  return tidyText(name, value);
}

/** Without remarks, redirections and what only shows its output; as it stands where it cannot be read. */
function bareCommand(command: string): JsonValue {
  const { commands, unclear } = readCommandLine(command);
  if (unclear) return spaced(command);
  const kept = commands.filter(
    ({ words: [program = ""], piped }) =>
      !(piped && showing.test(program)) && !/^(?:echo|true|:)$/.test(program),
  );
  return kept.length === 0 ? spaced(command) : kept.map(({ written }) => [...written]);
}
