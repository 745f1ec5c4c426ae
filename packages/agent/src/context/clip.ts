/** The beginning of a text, without half a character at its end. */
export function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = isHighSurrogate(text.charCodeAt(charsMax - 1)) ? charsMax - 1 : charsMax;
  return text.slice(0, end);
}

/** The same on one line, with a sign that something is missing. */
export function clipLine(text: string, charsMax: number): string {
  const line = text
    .slice(0, charsMax * 4)
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length <= charsMax && text.length <= charsMax * 4 ? line : `${clip(line, charsMax - 1)}…`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
