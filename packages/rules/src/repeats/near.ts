/**
 * Whether two sets of arguments are the same attempt, written a little differently.
 *
 * Each argument is compared as what it is: paths and addresses by where they lead,
 * commands without the parts that only shape their output, long texts by the words
 * that they share, and settings such as a time limit by their size.
 *
 * What a newcomer gets wrong: similar is not near. `src/a.ts` and `src/b.ts` are one
 * letter apart and two different files; another number, name or option is another
 * attempt, however long the rest that is equal.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { plainPath } from "../plan/paths.js";
import { bareCommand } from "./bare-command.js";
import { canonicalUrl, words } from "./repeats-keys.js";

/** What plays no part, because the attempt failed for another reason. */
export interface NearOptions {
  /** What was to be written. */
  readonly payloadAside?: boolean;
  /** How long it may take, and how much it may bring. */
  readonly settingsAside?: boolean;
  /** Which part of the thing was asked for. */
  readonly rangeAside?: boolean;
}

export function near(left: JsonObject, right: JsonObject, options: NearOptions = {}): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (typeof left["command"] === "string" && typeof right["command"] === "string") {
    if (commandOf(left, options) !== commandOf(right, options)) return false;
    for (const name of ["command", "cwd"]) names.delete(name);
  }
  for (const name of names) {
    const [one, other] = [left[name] ?? usual[name] ?? null, right[name] ?? usual[name] ?? null];
    if (!nearValue(name, one, other, options)) return false;
  }
  return true;
}

/** `cwd` and `cd` say the same. */
function commandOf({ command, cwd }: JsonObject, { settingsAside = false }: NearOptions): string {
  return bareCommand(String(command), {
    timeAside: settingsAside,
    ...(typeof cwd === "string" ? { cwd } : {}),
  });
}

/** What stands there when nothing does. */
const usual: JsonObject = { mode: "create", offset: 1, cwd: ".", char_offset: 0 };
const remarks = /^(?:description|reason|explanation|note|comment|label|why|purpose)$/;
const settings =
  /^(?:timeout|timeout_ms|timeout_s|timeout_seconds|wait_ms|k|top_k|max_results|max_chars|max_bytes|max_lines|max_output\w*|retries|max_retries)$/;
const shapes = /^(?:line_numbers|verbose|quiet|color|format|pretty|stream|show_\w+)$/;
const ranges =
  /^(?:offset|limit|start_line|end_line|line|char_offset|encoding|context|before|after|ignore_case|recursive|depth)$/;
const pathNames = /^(?:path|paths|file|files|file_path|dir|folder|cwd|from|to)$/;
const payloads = /^(?:content|replace|replacement|new_text|new_string|new_str|patch|body|value)$/;
const prose = /^(?:system_prompt|user_prompt|prompt|goal|task|instructions|thought|message|summary|result)$/;
const queries = /^(?:query|q|topic)$/;
const settingsRatioMax = 1.25;

function nearValue(name: string, left: JsonValue, right: JsonValue, options: NearOptions): boolean {
  if (remarks.test(name) || shapes.test(name)) return true;
  if (settings.test(name)) return options.settingsAside === true || nearSetting(left, right);
  if (ranges.test(name) && options.rangeAside === true) return true;
  if (payloads.test(name) && options.payloadAside === true) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, i) => nearValue(name, item, right[i] ?? null, options))
    );
  }
  if (isJsonObject(left) && isJsonObject(right)) return near(left, right, options);
  if (typeof left === "string" && typeof right === "string") return nearText(name, left, right);
  return left === right || (isNothing(left) && isNothing(right)) || String(left) === String(right);
}

const isNothing = (value: JsonValue) => value === null || value === false || value === "";

function nearSetting(left: JsonValue, right: JsonValue): boolean {
  // Who sets a bound that was left to the tool before has changed it.
  if (typeof left !== "number" || typeof right !== "number") return left === right;
  return Math.max(left, right) <= Math.min(left, right) * settingsRatioMax;
}

function nearText(name: string, left: string, right: string): boolean {
  if (left === right) return true;
  if (pathNames.test(name)) return plainPath(left) === plainPath(right);
  if (name === "url") return plainUrl(left) === plainUrl(right);
  if (name === "command") return bareCommand(left) === bareCommand(right);
  if (queries.test(name)) return overlap(words(left), words(right)) >= 0.8 && sameNumbers(left, right);
  if (payloads.test(name)) return similarity(left, right) >= 0.8;
  if (prose.test(name) && similarity(left, right) >= 0.8)
    return sameNumbers(left, right) && places(left) === places(right);
  return (
    sameWriting(left, right) ||
    (longEnough(left) && similarity(left, right) >= 0.95 && sameNumbers(left, right))
  );
}

/** Without what only keeps a cache from answering, and the closing slash. */
function plainUrl(text: string): string {
  return canonicalUrl(text)
    .replaceAll(/(?<=[?&])(?:_|t|ts|cb|nocache|cachebust|retry|utm_\w+)=[^&]*&?/g, "")
    .replace(/[?&]$/, "")
    .replace(/\/$/, "");
}

/** Spaces, quotes, case and closing signs aside. */
function sameWriting(left: string, right: string): boolean {
  const plain = (text: string) =>
    text
      .slice(0, comparedMax)
      .toLowerCase()
      .replaceAll(/["'`“”’‘]/g, '"')
      .replaceAll(/\s+/g, "")
      .replace(/[;,.!?]+$/, "");
  return plain(left) === plain(right);
}

const comparedMax = 4_000;
const longEnough = (text: string) => text.length >= 200;
const sameNumbers = (left: string, right: string) => numbers(left) === numbers(right);
const places = (text: string) =>
  (text.slice(0, comparedMax).match(/[\w@-]*[/.][\w@/.-]*\w/g) ?? []).join(" ");
const numbers = (text: string) => (text.slice(0, comparedMax).match(/\d+/g) ?? []).join(" ");

/** Shared words, each as often as both have it, by the longer of the two. */
function similarity(left: string, right: string): number {
  const [a, b] = [left, right].map(
    (text) =>
      text
        .slice(0, comparedMax)
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [],
  );
  if (a === undefined || b === undefined || a.length + b.length === 0) return 1;
  const left2 = new Map<string, number>();
  for (const word of a) left2.set(word, (left2.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of b) {
    const count = left2.get(word) ?? 0;
    if (count === 0) continue;
    left2.set(word, count - 1);
    shared += 1;
  }
  return shared / Math.max(a.length, b.length);
}

/** Of two sets of words, the share that both have. */
export function overlap(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 && right.length === 0) return 1;
  const other = new Set(right);
  const shared = left.filter((word) => other.has(word)).length;
  return shared / (left.length + right.length - shared);
}
