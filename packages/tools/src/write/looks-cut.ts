/**
 * Does a text look as if its end were missing?
 *
 * What a newcomer gets wrong: the evidence for a cut is how the provider's answer
 * ended. This only decides whether a call that arrived whole, in an answer that
 * was cut short or gave no reason for its end, is held back; and what is told
 * about a file that was written. A complete file must never be called cut, so only
 * what can be seen without knowing a language counts: tags, brackets, quotes and
 * comments that nothing closes, in markup, JSON, CSS and JavaScript. A scan that
 * meets something that it does not understand gives up and says nothing.
 */
import { leftOpen, markupState } from "@bridle/agent";

/** Says what is unfinished; undefined when nothing shows. */
type Scanner = (text: string) => string | undefined;

const scanners = new Map<string, Scanner>([
  ...each("js jsx tsx mjs cjs ts mts cts", (text) => openIn(text, { expressions: true })),
  ...each("json jsonc json5 webmanifest map", json),
  ...each("jsonl ndjson", (text) => json(text.trimEnd().split("\n").at(-1) ?? "")),
  ...each("css scss less", (text) => openIn(text)),
  ...each("html htm", html),
  ...each("xml svg xhtml", (text) => leftOpen(markupState(text, "xml"))),
]);

export function looksCut(text: string, path: string): string | undefined {
  if (text.trim() === "") return undefined;
  return (scanners.get(/[^./]*$/.exec(path.toLowerCase())?.[0] ?? "") ?? otherText)(text);
}

function each(extensions: string, scanner: Scanner): [string, Scanner][] {
  return extensions.split(" ").map((extension) => [extension, scanner]);
}

function json(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return openIn(text);
  }
}

function html(text: string): string | undefined {
  const state = markupState(text, "html");
  // A page with its end tag has its end; what is open in it was left open on purpose, or by mistake.
  return state.ended && state.inside === undefined ? undefined : leftOpen(state);
}

/** Of a language that is not known, only an end that no text has on purpose. */
function otherText(text: string): string | undefined {
  const end = text.trimEnd();
  if (/(?:^|[^:;=\s])\s*[{[(]$/.test(end)) return "it ends with an opening bracket";
  return end.endsWith("<!--") ? "it ends with the beginning of a comment" : undefined;
}

const opening: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const signs = /["'`()[\]{}/]/g;
/** Where a quoted text may end; behind a backslash it does not. */
const stops: Readonly<Record<string, RegExp>> = {
  '"': /["\\\n]/g,
  "'": /['\\\n]/g,
  "`": /[`\\]|\$\{/g,
};
const expression = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
/** Behind these a slash begins a regular expression and does not divide. */
const beforeExpression = /(?:^|[(,=:[!&|?{;\n]|=>|\b(?:return|case|typeof|of|in))[ \t]*$/;

/** What JavaScript, JSON and CSS leave open, by their common signs. */
function openIn(text: string, { expressions = false } = {}): string | undefined {
  const stack: number[] = [];
  const isOpen = (at: number, what = text[at]) => `${what} of line ${lineAt(text, at)} is open`;
  for (let at = indexFrom(text, signs, 0); at < text.length; at = indexFrom(text, signs, at)) {
    const char = text[at] as string;
    if (char === "/") {
      const end = slashEnd(text, at, expressions);
      if (end === undefined) return isOpen(at, "the comment");
      at = end;
    } else if (char === '"' || char === "'") {
      const end = stopOf(text, char, at + 1);
      // An apostrophe in the text between two tags, or a quote that its line does not close.
      if (/\w/.test(text[at - 1] ?? "") || text[end] === "\n") return undefined;
      if (end === text.length) return isOpen(at, "the string");
      at = end + 1;
    } else if (char === "`" || (char === "}" && text[stack.at(-1) ?? -1] === "$")) {
      // A template begins, or goes on behind what it holds.
      if (char === "}") stack.pop();
      const end = stopOf(text, "`", at + 1);
      if (end === text.length) return isOpen(at, "the template");
      if (text[end] === "$") stack.push(end);
      at = text[end] === "$" ? end + 2 : end + 1;
    } else {
      if (!(char in opening)) stack.push(at);
      else if (text[stack.pop() ?? -1] !== opening[char]) return undefined;
      at += 1;
    }
  }
  const left = stack.at(-1);
  return left === undefined ? undefined : isOpen(left);
}

/** Behind what a slash begins: a comment, a regular expression or nothing; undefined for a comment without an end. */
function slashEnd(text: string, at: number, expressions: boolean): number | undefined {
  if (text[at + 1] === "*") {
    const end = text.indexOf("*/", at + 2);
    return end < 0 ? undefined : end + 2;
  }
  // An address has two slashes as well.
  if (text[at + 1] === "/" && text[at - 1] !== ":") return indexFrom(text, /\n/g, at);
  if (!expressions || !beforeExpression.test(text.slice(Math.max(0, at - 20), at))) return at + 1;
  expression.lastIndex = at;
  return at + (expression.exec(text)?.[0].length ?? 1);
}

function stopOf(text: string, quote: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = indexFrom(text, stops[quote] as RegExp, at);
    if (text[at] !== "\\") return at;
  }
}

function indexFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
