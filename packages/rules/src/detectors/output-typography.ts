/**
 * R-OUTPUT-TYPOGRAPHY: rows of hyphens, equals signs, tildes or asterisks that
 * only decorate the final answer.
 *
 * What a newcomer gets wrong: three make a thematic break, pipes make a table, what
 * stands in code is quoted, and signs that touch a letter or a digit belong to it (a
 * key, a masked secret, an address).
 */
import type { Detector } from "../types.js";

/** A longer line is no prose, and what it is would take long to find out. */
const lineCharsMax = 4_000;

export const outputTypography: Detector = {
  begin: () => ({
    answered(text) {
      const ornament = ornamentIn(text);
      if (ornament === undefined) return undefined;
      return {
        what: `The answer is decorated with "${ornament.slice(0, 40)}".`,
        remedy:
          "Leave the row of signs out; use a markdown heading, or a break of three hyphens, where one is needed.",
      };
    },
  }),
};

function ornamentIn(answer: string): string | undefined {
  let fence: string | undefined;
  for (const line of answer.normalize("NFKC").split(/\r?\n/)) {
    const mark = /^\s*(?:[>*+-]\s+)*(`{3,}|~{3})(?!~)/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (line.length <= lineCharsMax && !isQuoted(line)) {
      const found = ornamentOf(line.replace(/`[^`]*`/g, " "));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Indented code, a table, or a marker of a conflict. */
function isQuoted(line: string): boolean {
  return /^(?: {4}|\t)|\||^\s*\+[-=+:]+\+\s*$|^(?:<{7}|={7}|>{7})(?![<=>])/.test(line);
}

function ornamentOf(line: string): string | undefined {
  const only = line.replace(/^\s*(?:>\s?)+/, "").trim();
  if (/^[-=~*\s]+$/.test(only)) {
    const signs = only.replace(/\s/g, "");
    return signs.length > 3 || new Set(signs).size > 1 ? only : undefined;
  }
  return /-{4,}|={4,}|~{4,}|\*{4,}/.exec(withoutNames(line))?.[0];
}

/** Addresses, paths, markers of keys, hidden secrets and empty comments are what they are. */
function withoutNames(line: string): string {
  return line
    .replace(/-----(?:BEGIN|END) [A-Z0-9 ]+-----|<!--+>/g, " ")
    .replace(/https?:\/\/\S+|(?<!\S)#[\w-]+|\[[^\]]*\]\(#[^)]*\)/g, " ")
    .replace(/\w-{4,}\w|(?<=[\w@:="'-]\s?["']?)\*{4,}(?!\p{L})|\*{4,}(?=[\s-]?\d)/gu, " ");
}
