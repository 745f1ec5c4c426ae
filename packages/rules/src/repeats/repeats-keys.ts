/**
 * What a call is after, for those who have only its name and arguments: transcripts
 * and the detectors that are scored on them. Live calls bring their own `Intent`.
 *
 * What a newcomer gets wrong: keys must be equal for two spellings of one wish, and
 * different for two wishes that look alike. Order and case of words and small words
 * are spelling in a search; in a command or a pattern they are not.
 */
import { canonicalJson, type JsonObject, type JsonValue } from "@bridle/record";
import { readLine } from "../effects/line.js";
import { effectsOf } from "../plan/commitments.js";
import { plainPath } from "../plan/paths.js";
import { sameSpacing } from "../shell/spacing.js";
import type { Intent } from "../types.js";

/** The part of an `Intent` that repetition is judged by. */
export type RepeatIntent = Pick<Intent, "key" | "repeat" | "reads" | "changes" | "waits">;

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

const changing: ReadonlySet<string> = new Set(["write_file", "edit_file", "remember", "forget", "run_shell"]);

/** What it changes, without the trouble of its key. */
export function usualChanges(tool: string, args: JsonObject): RepeatIntent["changes"] {
  return changing.has(tool) ? usualIntent(tool, args).changes : undefined;
}

const ofHistory: ReadonlySet<string> = new Set(["commit", "push", "force-push"]);

function shellIntent(args: JsonObject, key: (value: JsonValue) => string): RepeatIntent {
  const command = typeof args["command"] === "string" ? args["command"] : "";
  const { readsOnly, unknown, waits } = readLine(command);
  const effects = effectsOf({ tool: "run_shell", args });
  const paths = effects.flatMap(({ kind, path }) => path ?? (ofHistory.has(kind) ? [".git/HEAD"] : []));
  // What is installed is found by whatever runs next.
  const installs = effects.some(({ kind }) => kind === "install" || kind === "act");
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
