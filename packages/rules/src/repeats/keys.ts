/**
 * Which calls are one attempt, written a little differently.
 *
 * What a newcomer gets wrong: order, case and signs are spelling in a search; in a
 * command or a pattern they are not.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { plainPath } from "../paths.js";
import { wordSet } from "../reading/words.js";
import type { ProposedCall } from "../types.js";

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

export interface RepeatCall extends ProposedCall {
  readonly id: string;
  /** The tool's own. */
  readonly intent: RepeatIntent;
}

/** It waits for something outside: it says so itself, or it is a command that sleeps. */
export function isWaiting({ tool, args: { command }, intent }: RepeatCall): boolean {
  if (intent.waits === true) return true;
  if (tool !== "run_shell" || typeof command !== "string") return false;
  return /(?:^|[\s;&|(])sleep\s+[\d.$]/.test(command);
}

export const spaced = (command: string) => command.trim().replaceAll(/[ \t]+/g, " ");

export function tidyText(name: string, value: string): string {
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

/** The words of a query as a set: order, case and signs aside. */
export function words(value: JsonValue | undefined): string[] {
  return [...wordSet(typeof value === "string" ? value : "")].toSorted();
}

// --- Attempts --------------------------------------------------------------------------------------

/** How it is shown and why it is made: none of it makes another attempt. */
const aside = /^(?:description|reason|explanation|note|comment|purpose|line_numbers|verbose|quiet|color)$/;
/** At the end of a command: a remark, a redirection, what only shows the output, and what hides that it failed. */
const trimmings =
  /(?:(?<=\s)#[^"'\n]*|(?:\d?|&)>{1,2}\s*(?:&\d|[\w./-]+)|\|\s*(?:head|tail|cat|less|more|tee|grep|wc|nl)\b(?:"[^"]*"|'[^']*'|[^|;&"'])*|(?:\|\||&&|;)\s*(?:true|:|echo\b(?:"[^"]*"|'[^']*'|[^|;&"'])*))\s*$/;

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

function bareCommand(command: string): string {
  for (let rest = spaced(command); ;) {
    const less = rest.replace(trimmings, "").trimEnd();
    if (less === rest || less === "") return rest;
    rest = less;
  }
}
