/**
 * The id in a line of `episodes.jsonl`, without parsing the line.
 *
 * A run names all of its episodes before the first, and parsing a pack for its
 * ids alone takes many times as long as looking for them. What a newcomer gets
 * wrong: this checks nothing. Whoever takes an id from here must compare it with
 * that of the episode once that is read, and where a line is unlike others the
 * answer is undefined and the line has to be parsed.
 */
const [quote, comma, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  34, 44, 92, 91, 93, 123, 125,
];
const name = Buffer.from('"episode_id":"');

export function lineId(bytes: Buffer, from: number, end: number): string | undefined {
  // Most lines have one member of this name, at whatever depth, and then it is the one.
  const first = bytes.indexOf(name, from);
  if (first === -1 || first >= end) return undefined;
  const second = bytes.indexOf(name, first + name.length);
  if ((second === -1 || second >= end) && isName(bytes, from, first))
    return plainText(bytes, first + name.length, end);
  let depth = 0;
  for (let at = from; at < end; at++) {
    const code = bytes[at];
    if (code === quote) {
      if (depth === 1 && isName(bytes, from, at)) return plainText(bytes, at + name.length, end);
      at = endOfText(bytes, at, end);
    } else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
  }
  return undefined;
}

/** A name stands behind an opening brace or a comma, a value behind a colon. */
function isName(bytes: Buffer, from: number, at: number): boolean {
  const before = at > from ? bytes[at - 1] : 0;
  if (before !== comma && before !== openBrace) return false;
  for (let i = 1; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}

function endOfText(bytes: Buffer, at: number, end: number): number {
  for (let i = at + 1; i < end; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return end;
}

function plainText(bytes: Buffer, from: number, end: number): string | undefined {
  const close = endOfText(bytes, from - 1, end);
  const text = close < end ? bytes.toString("utf8", from, close) : "\\";
  return text.includes("\\") ? undefined : text;
}
