/**
 * What a call of a transcript is after: nobody has more of it than its name and
 * arguments. Live calls bring their own intent.
 *
 * What a newcomer gets wrong: keys must be equal for two spellings of one wish, and
 * different for two wishes that look alike. Order, case and signs are spelling in a
 * search; in a command or a pattern they are not.
 */
import { canonicalJson, type JsonObject, type JsonValue } from "@bridle/record";
import { plainPath } from "../../../packages/rules/src/paths.js";
import {
  canonicalUrl,
  type RepeatIntent,
  spaced,
  tidyText,
  words,
} from "../../../packages/rules/src/repeats/keys.js";

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
