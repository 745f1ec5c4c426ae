/**
 * What a word comes to, as far as it can be known before bash runs it.
 *
 * What a newcomer gets wrong: `guesses` are for saying no. They are what a word
 * may come to (a variable that is empty, each arm of a brace), good enough to
 * see that it might be `/`, and never good enough to call a command harmless.
 */
import { braceArms, type ShellPart as Part, type ShellWord as Word } from "@bridle/agent";

export interface Value {
  /** Exactly this, and one word. */
  readonly text?: string;
  /** Names of files that match: the pattern, and what stands before its first sign. */
  readonly glob?: { readonly pattern: string; readonly head: string };
  readonly guesses: readonly string[];
  /** Whatever it comes to, it is one word. */
  readonly single?: true;
}

export interface Known {
  readonly home?: string;
  /** Where the command runs, when that is one folder. */
  readonly cwd?: string;
}

const guessesMax = 64;

export function valueOf(word: Word, known: Known): Value {
  const parts = word.parts.map((part, index) => resolved(part, index, known));
  const guesses = alternatives(parts);
  if (parts.every((part) => part.kind === "text")) {
    const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    return { text, guesses: [text] };
  }
  if (isNumber(word)) return { text: "0", guesses: ["0"] };
  const plain = parts.every((part) => part.kind === "text" || part.kind === "glob");
  if (!plain) return { guesses, ...(parts.every(isOneWord) ? { single: true as const } : {}) };
  const pattern = parts.map((part) => ("text" in part ? part.text : "")).join("");
  const first = parts[0];
  return { glob: { pattern, head: first?.kind === "text" ? first.text : "" }, guesses };
}

/** `guesses` of a text that is known. */
export function exactly(text: string): Value {
  return { text, guesses: [text] };
}

function resolved(part: Part, index: number, known: Known): Part {
  // Bash puts the path of a pipe there.
  if (part.kind === "process") return { kind: "text", text: "/dev/fd/63" };
  if (part.kind === "tilde") {
    const folder = part.user === "" ? known.home : part.user === "+" ? known.cwd : undefined;
    return index > 0 || folder === undefined ? part : { kind: "text", text: folder };
  }
  if (part.kind !== "variable" || part.operator !== undefined) return part;
  const folder = part.name === "HOME" ? known.home : part.name === "PWD" ? known.cwd : undefined;
  const splits = !part.quoted && /[\s*?[\\]/.test(folder ?? "");
  return folder === undefined || splits ? part : { kind: "text", text: folder };
}

function isOneWord(part: Part): boolean {
  if (part.kind === "variable") return part.quoted && part.name !== "@";
  return part.kind === "text" || part.kind === "number" || (part.kind === "command" && part.quoted);
}

function isNumber(word: Word): boolean {
  return word.parts.every((part) => {
    if (part.kind === "variable")
      return part.operator === "length" || (/^[#?$!]$/.test(part.name) && part.operator === undefined);
    return part.kind === "number" && !part.expression.named && part.expression.parts.length === 0;
  });
}

/** Each arm of each brace, with everything else that is not known left out. */
function alternatives(parts: readonly Part[]): string[] {
  const flat = parts.map(guessed).join("");
  if (!parts.some((part) => part.kind === "brace")) return [flat];
  return braceArms(flat, guessesMax);
}

function guessed(part: Part): string {
  switch (part.kind) {
    case "text":
    case "glob":
    case "brace":
      return part.text;
    case "tilde":
      return `~${part.user}`;
    case "variable":
      // An unset variable is empty, or what its default says; `$HOME` without a known home is still a home.
      if (part.name === "HOME") return "~";
      return part.operator !== undefined && /^:?[-=]$/.test(part.operator)
        ? (part.parts ?? []).map(guessed).join("")
        : "";
    default:
      return "";
  }
}
