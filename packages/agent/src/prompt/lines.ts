/**
 * Foreign text made safe to stand in a prompt: cut at a bound, with a sentence
 * that says so, and quoted line by line or as one line.
 *
 * What a newcomer gets wrong: a fence can be closed from inside. A mark on every
 * line cannot, so that no text of a project or a persona begins a block of ours.
 */
import { clip } from "../context/clip.js";

const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Every line marked as quoted. */
export function quoted(text: string): string {
  return text
    .split(lineEnds)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** One line, whatever the value holds. */
export function oneLine(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export interface Cut {
  readonly text: string;
  /** Characters that are not shown; 0 when it is whole. */
  readonly left: number;
}

/** At most `charsMax` characters, never half of a character, and where possible whole lines. */
export function cutTo(text: string, charsMax: number): Cut {
  if (text.length <= charsMax) return { text, left: 0 };
  const head = text.slice(0, charsMax);
  const line = head.lastIndexOf("\n");
  const kept = line > charsMax / 2 ? head.slice(0, line) : clip(text, charsMax);
  return { text: kept, left: text.length - kept.length };
}

const nameCharsMax = 60;

/** The name of a tool in a note: a model may have made it up, so what is no name is not shown. */
export function shownName(tool: string): string {
  return /^[\w.-]+$/.test(tool) && tool.length <= nameCharsMax ? tool : "a tool of no valid name";
}
