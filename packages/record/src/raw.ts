/**
 * A JSON object taken apart without changing a byte of its values.
 *
 * JSON.parse and JSON.stringify are not inverse: 64-bit integers lose digits,
 * `1.0` becomes `1`, escapes are rewritten and integer-like keys move to the
 * front. Members that this version does not know are carried as their source
 * text instead.
 */
import { Failure } from "./failures.js";

/** A member as it stands in the text: its name with the quotes and escapes that it was written with. */
export interface RawMember {
  readonly name: string;
  readonly value: string;
}

/** The values of an object in the order of the text; of a repeated key the last counts, as for JSON.parse. */
export function rawMembers(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const { key, start, end } of memberSpans(text)) {
    values.delete(key);
    values.set(key, text.slice(start, end));
  }
  return values;
}

/** The same with the source of the names. */
export function rawEntries(text: string): Map<string, RawMember> {
  const members = new Map<string, RawMember>();
  for (const { key, keyStart, keyEnd, start, end } of memberSpans(text)) {
    members.delete(key);
    members.set(key, { name: text.slice(keyStart, keyEnd), value: text.slice(start, end) });
  }
  return members;
}

function keyOf(source: string): string {
  return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
}

/** The items of a list, each as its source text. */
export function rawItems(text: string): string[] {
  return itemSpans(text).map(({ start, end }) => text.slice(start, end));
}

/** Where a value stands in its text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface MemberSpan extends Span {
  readonly key: string;
  /** Where the key stands, with its quotes. */
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** Every member of an object, also one whose key is repeated. */
export function memberSpans(text: string): MemberSpan[] {
  const value: unknown = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure("json_invalid", { message: "the text is not a JSON object" });
  }
  const spans: MemberSpan[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== "}") {
    const keyStart = at;
    const keyEnd = endOfString(text, at);
    const key = keyOf(text.slice(keyStart, keyEnd));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    spans.push({ key, keyStart, keyEnd, start, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return spans;
}

export function itemSpans(text: string): Span[] {
  if (!Array.isArray(parse(text))) {
    throw new Failure("json_invalid", { message: "the text is not a JSON list" });
  }
  const spans: Span[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] !== "]") {
    const end = endOfValue(text, at);
    spans.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return spans;
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
