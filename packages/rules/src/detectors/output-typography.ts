/**
 * R-OUTPUT-TYPOGRAPHY: rows of hyphens, equals signs, tildes or asterisks that
 * only decorate the final answer.
 *
 * What a newcomer gets wrong: three make a thematic break, pipes make a table,
 * and asterisks that hide a secret are no ornament.
 */
import { linesOf, withoutInlineCode } from "../reading/markdown.js";
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
  const prose = linesOf(answer).map(({ text, kind }) =>
    kind === "code" || kind === "table" || kind === "front" ? "" : text,
  );
  let conflict = false;
  for (const line of withoutInlineCode(prose.join("\n").normalize("NFKC")).split("\n")) {
    if (/^<{7}(?!<)/.test(line)) conflict = true;
    const found = conflict ? undefined : ornamentOf(line);
    if (found !== undefined) return found;
    if (/^>{7}(?!>)/.test(line)) conflict = false;
  }
  return undefined;
}

function ornamentOf(line: string): string | undefined {
  if (line.length > lineCharsMax) return undefined;
  const only = line.replace(/^\s*(?:>\s?)+/, "").trim();
  if (/^[-=~*\s]+$/.test(only) && only !== "") {
    const signs = only.replace(/\s/g, "");
    const kinds = new Set(signs).size;
    return signs.length > 3 || (signs.length === 3 && kinds > 1) ? only : undefined;
  }
  return /-{4,}|={4,}|~{4,}|\*{4,}/.exec(withoutNames(line))?.[0];
}

/** Addresses, paths, markers of keys, hidden secrets and empty comments are what they are. */
function withoutNames(line: string): string {
  return line
    .replace(/-----(?:BEGIN|END) [A-Z0-9 ]+-----/g, " ")
    .replace(/<!--+>|<!---->/g, " ")
    .replace(/https?:\/\/\S+|(?<!\S)#[\w-]+|\[[^\]]*\]\(#[^)]*\)/g, " ")
    .replace(/(?<!\S)[^\s*=~]*\w-{4,}\w[^\s*=~]*[./][^\s*=~]*/g, " ")
    .replace(/(?<=[\w@-])\*{4,}(?=[\w@.]|\s|[,;:)]|$)|\*{4,}(?=\d)|(?<=(?:\*{4}[ -])+)\*{4}(?=[ -])/g, " ")
    .replace(
      /(?:pass\w*|kennwort|token|secret|key|pin|contraseña|mot de passe|clave)["'\s]{0,2}[:=]?\s{0,2}["']?\*{4,}/gi,
      " ",
    );
}
