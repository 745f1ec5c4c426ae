/**
 * A JSON object taken apart without changing a byte of its values.
 *
 * JSON.parse and JSON.stringify are not inverse: 64-bit integers lose digits,
 * `1.0` becomes `1`, escapes are rewritten and integer-like keys move to the
 * front. Members that this version does not know are carried as their source
 * text instead.
 */
import { Failure } from "./failures.js";

/** The members of an object in the order of the text; of a repeated key the last counts, as for JSON.parse. */
export function rawMembers(text: string): Map<string, string> {
  const value: unknown = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure("json_invalid", { message: "the text is not a JSON object" });
  }
  const members = new Map<string, string>();
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== "}") {
    const keyEnd = endOfString(text, at);
    const key = keyOf(text, at, keyEnd);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    members.delete(key);
    members.set(key, text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

function keyOf(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1);
  return plain.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : plain;
}

/** The items of a list, each as its source text. */
export function rawItems(text: string): string[] {
  if (!Array.isArray(parse(text))) {
    throw new Failure("json_invalid", { message: "the text is not a JSON list" });
  }
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== "]") {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return items;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure("json_invalid", { message: "the text is not JSON", cause: error });
  }
}

const [quote, comma, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  34, 44, 92, 91, 93, 123, 125,
];

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Searching for the quote itself is many times as quick as looking at every character. */
function endOfString(text: string, at: number): number {
  for (let end = at; ;) {
    end = text.indexOf('"', end + 1);
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === quote) return endOfString(text, at);
  if (first !== openBrace && first !== openBracket) {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === comma || code === closeBrace || code === closeBracket || isSpace(code)) break;
    }
    return at;
  }
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      continue;
    }
    if (code === openBrace || code === openBracket) depth++;
    if (code === closeBrace || code === closeBracket) depth--;
    at++;
  } while (depth > 0);
  return at;
}
