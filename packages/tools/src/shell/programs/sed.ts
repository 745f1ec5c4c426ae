/**
 * Whether a sed script only edits the text that flows through it.
 *
 * What a newcomer gets wrong: sed can write files (`w`, and the flag `w` of `s`)
 * and run commands (`e`, and the flag `e`). Only a small part of the language is
 * understood here, and everything else is not harmless.
 */

/** Commands that take nothing and touch nothing but the text. */
const plain = /[pPdDnNgGhHxqQ=lz]/;

export function isHarmlessSed(script: string): boolean {
  let rest = script;
  for (let steps = 0; steps < 200; steps += 1) {
    rest = rest.replace(/^[\s;]+/, "");
    if (rest === "") return true;
    const after = command(addresses(rest));
    if (after === undefined) return false;
    rest = after;
  }
  return false;
}

function addresses(text: string): string | undefined {
  const first = address(text);
  if (first === undefined) return undefined;
  const comma = /^\s*,\s*/.exec(first)?.[0];
  const second =
    comma === undefined || first === text ? first : address(first.slice(comma.length).replace(/^[+~]/, ""));
  return second?.replace(/^\s*!?\s*/, "");
}

/** The text behind an address; the text itself where there is none. */
function address(text: string): string | undefined {
  const number = /^(?:\d+(?:~\d+)?|\$)/.exec(text)?.[0];
  if (number !== undefined) return text.slice(number.length);
  if (!text.startsWith("/")) return text;
  const end = section(text, 1, "/");
  return end === undefined ? undefined : text.slice(end + 1).replace(/^[IM]+/, "");
}

function command(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const letter = text[0] ?? "";
  const behind = plain.test(letter) ? text.slice(1) : letter === "s" ? substitution(text) : undefined;
  return behind !== undefined && /^[ \t]*(?:[;\n]|$)/.test(behind) ? behind : undefined;
}

function substitution(text: string): string | undefined {
  const delimiter = text[1] ?? "";
  if (!/^[/|#,:@!%_]$/.test(delimiter)) return undefined;
  const middle = section(text, 2, delimiter);
  const end = middle === undefined ? undefined : section(text, middle + 1, delimiter);
  return end === undefined ? undefined : text.slice(end + 1).replace(/^[gpiI0-9]*/, "");
}

/** Where a part ends. Undefined where seds disagree: a delimiter within brackets, or a newline. */
function section(text: string, start: number, delimiter: string): number | undefined {
  let brackets = false;
  for (let at = start; at < text.length; at += 1) {
    const c = text[at];
    if (c === "\n") return undefined;
    if (c === "\\") at += 1;
    else if (c === delimiter) return brackets ? undefined : at;
    else if (c === "[") brackets = true;
    else if (c === "]") brackets = false;
  }
  return undefined;
}
