/**
 * Parameters of a declaration, each in one spelling.
 *
 * What a newcomer gets wrong: pieces of code are cut anywhere, so a bracket may
 * never close. Then there is nothing to compare, which is not the same as no
 * parameters.
 */

/** From the first bracket after `from`, if nothing but type parameters stands before it. */
export function parametersAt(code: string, from: number): readonly string[] | undefined {
  const gap = /^\s*(?:<[^()]*>|\[[^\]()]*\])?\s*\(/.exec(code.slice(from, from + 400));
  if (gap === null) return undefined;
  const open = from + gap[0].length - 1;
  const close = closing(code, open);
  return close === undefined ? undefined : divided(code.slice(open + 1, close));
}

/** Index of the bracket that closes the one at `open`. */
export function closing(code: string, open: number): number | undefined {
  let depth = 0;
  let quote = "";
  for (let i = open; i < code.length && i < open + 2_000; i += 1) {
    const char = code[i] ?? "";
    if (quote !== "") {
      if (char === "\\") i += 1;
      else if (char === quote) quote = "";
    } else if (
      char === '"' ||
      char === "`" ||
      (char === "'" && /^'(?:[^'\\\n]|\\.)*'/.test(code.slice(i, i + 80)))
    )
      quote = char;
    else if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return undefined;
}

function divided(inner: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (let i = 0; i < inner.length; i += 1) {
    const char = inner[i] ?? "";
    if ("([{<".includes(char)) depth += 1;
    else if (")]}".includes(char) || (char === ">" && inner[i - 1] !== "=" && inner[i - 1] !== "-"))
      depth -= 1;
    if (char === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  return [...parts, part]
    .map((each) =>
      each
        .replace(/\s+/g, " ")
        .replace(/,\s*([}\])])/g, "$1")
        .replace(/\s*([{}()[\]:,;=<>|?])\s*/g, "$1")
        .replace(/;}/g, "}")
        .trim(),
    )
    .filter((each) => each !== "");
}
