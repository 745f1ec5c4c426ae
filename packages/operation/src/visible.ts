/**
 * What models, tools and files say, made fit for a terminal: every character that
 * could steer it, or hide what stands there, is shown by its number instead.
 *
 * What a newcomer gets wrong: colour codes are not let through either. Whoever
 * says yes to a command must see all of it, and the only colours on the screen
 * are our own.
 */

/**
 * Controls, marks that turn the direction of text, characters without width, and tags.
 * The joiner U+200D stays between two pictures, where it makes one of them.
 */
const steering =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** Lines and tabs stay. */
export function visible(text: string): string {
  return text.replace(steering, escaped);
}

/** On one line, cut to `charsMax`. */
export function visibleLine(text: string, charsMax = 200): string {
  const line = visible(text.replace(/\s*\n\s*/g, " ⏎ ").replaceAll("\t", " ")).trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`;
}

/** JSON for a person to read or edit; what would steer is written as an escape, so it is the same JSON. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(steering, jsonEscaped);
}

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

function jsonEscaped(found: string): string {
  return Array.from({ length: found.length }, (_, i) =>
    escaped(String.fromCharCode(found.charCodeAt(i))),
  ).join("");
}
