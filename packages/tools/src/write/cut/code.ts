/**
 * A scan of code by the little that most languages share: comments, strings and
 * brackets, and tokens that something must follow.
 *
 * What a newcomer gets wrong: a closing bracket without its opening one, or a
 * string that ends with its line, does not mean that the text is cut. It means
 * that this scan has lost its way, and then it says nothing.
 */

export interface StringKind {
  readonly open: string;
  readonly close: string;
  /** A backslash takes the next character with it. */
  readonly escapes: boolean;
  readonly multiline: boolean;
}

export interface Language {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly {
    readonly open: string;
    readonly close: string;
    readonly nested: boolean;
  }[];
  /** Longer openings first. */
  readonly strings: readonly StringKind[];
  /** Opening and closing brackets in turn. */
  readonly brackets: string;
  /** Jumps over what the rest would misread: where to go on; -1 when its end is missing; undefined when it is none. */
  readonly special?: (text: string, at: number) => number | undefined;
  /** Ends of code that something must follow. */
  readonly unfinished?: RegExp;
}

export function scanCode(text: string, language: Language): string | undefined {
  const stack: number[] = [];
  let last = 0;
  for (let at = 0; at < text.length;) {
    const jumped = language.special?.(text, at);
    if (jumped !== undefined) {
      if (jumped < 0) return `what begins in line ${lineAt(text, at)} has no end`;
      at = jumped;
      last = at;
      continue;
    }
    const comment = commentEnd(text, at, language);
    if (comment !== undefined) {
      if (comment < 0) return `the comment of line ${lineAt(text, at)} has no end`;
      at = comment;
      continue;
    }
    const string = language.strings.find(({ open }) => text.startsWith(open, at));
    if (string !== undefined) {
      const end = stringEnd(text, at, string);
      if (end === "lost") return undefined;
      if (end === "cut") return `the string of line ${lineAt(text, at)} has no end`;
      at = end;
      last = at;
      continue;
    }
    const char = text[at] as string;
    const bracket = language.brackets.indexOf(char);
    if (bracket >= 0 && bracket % 2 === 0) stack.push(at);
    else if (bracket >= 0) {
      const open = stack.pop();
      if (open === undefined || text[open] !== language.brackets[bracket - 1]) return undefined;
    }
    at++;
    if (char.trim() !== "") last = at;
  }
  const open = stack.at(-1);
  if (open !== undefined) return `${text[open]} of line ${lineAt(text, open)} is open`;
  const lastLine = text.slice(Math.max(text.lastIndexOf("\n", last - 1) + 1, last - 200), last);
  return language.unfinished?.test(lastLine) === true
    ? `it ends with ${JSON.stringify(lastLine.slice(-20))}`
    : undefined;
}

/** Behind the comment that begins here; -1 when it has no end. */
export function commentEnd(text: string, at: number, language: Language): number | undefined {
  for (const { open, close, nested } of language.blockComments) {
    if (text.startsWith(open, at))
      return nested ? nestedEnd(text, at, open, close) : behind(text, close, at + open.length);
  }
  if (!language.lineComments.some((mark) => text.startsWith(mark, at))) return undefined;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function nestedEnd(text: string, at: number, open: string, close: string): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text.startsWith(open, i)) {
      depth++;
      i += open.length - 1;
    } else if (text.startsWith(close, i)) {
      depth--;
      i += close.length - 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}

/** Behind the string that begins here; `lost` when its line ends first, which no cut does. */
export function stringEnd(text: string, at: number, kind: StringKind): number | "lost" | "cut" {
  for (let i = at + kind.open.length; i < text.length; i++) {
    if (kind.escapes && text[i] === "\\") i++;
    else if (text.startsWith(kind.close, i)) return i + kind.close.length;
    else if (text[i] === "\n" && !kind.multiline) return "lost";
  }
  return "cut";
}

export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
