/**
 * Shell scripts: quotes, here-documents, `$(…)` and the words that close blocks.
 *
 * What a newcomer gets wrong: nearly any word may stand where no command begins
 * and then means nothing, so `done` without its `do` is no mistake of the script.
 * Then this scan is lost and says nothing.
 */
import { lineAt } from "./code.js";

type Kind = '"' | "`" | "$(" | "(" | "${" | "((" | "if" | "case" | "do" | "{";

const opens: Readonly<Record<string, Kind>> = { if: "if", case: "case", do: "do", "{": "{" };
const closes: Readonly<Record<string, Kind>> = { fi: "if", esac: "case", done: "do", "}": "{" };
const beforeCommand = new Set(["if", "then", "else", "elif", "do", "while", "until", "{", "!", "time"]);

export function cutShell(text: string): string | undefined {
  return new ShellScan(text).result();
}

class ShellScan {
  private at = 0;
  private readonly frames: { readonly kind: Kind; readonly at: number }[] = [];
  private readonly pending: { readonly word: string; readonly tabs: boolean }[] = [];
  /** The next word would be a command. */
  private command = true;
  private lost = false;
  private cut: string | undefined;

  constructor(private readonly text: string) {}

  result(): string | undefined {
    while (this.at < this.text.length && this.cut === undefined && !this.lost) this.step();
    if (this.lost) return undefined;
    if (this.cut !== undefined) return this.cut;
    const frame = this.frames.at(-1);
    if (frame !== undefined) return `${frame.kind} of line ${lineAt(this.text, frame.at)} is open`;
    if (this.pending.length > 0) return "the text of a here-document is missing";
    return /(?:\\|\||&&)$/.test(this.text.trimEnd()) &&
      !/^\s*#/.test(this.text.trimEnd().split("\n").at(-1) ?? "")
      ? "its last command goes on"
      : undefined;
  }

  private step(): void {
    const { text } = this;
    const char = text[this.at] as string;
    const top = this.frames.at(-1)?.kind;
    if (char === "\\") this.at += 2;
    else if (char === "$") this.dollar();
    else if (char === "`") this.toggle("`");
    else if (char === '"') this.toggle('"');
    else if (top === '"') this.at++;
    else if (top === "${") {
      if (char === "'") this.single();
      else this.closeIf(char === "}");
    } else if (char === "'") this.single();
    else if (char === "\n") this.newline();
    else if (char === "#" && /^$|[\s;&|()`]/.test(text[this.at - 1] ?? "")) this.at = lineEnd(text, this.at);
    else if (text.startsWith("<<", this.at)) this.heredoc();
    else if (char === "(") this.push(this.text[this.at + 1] === "(" && this.command ? "((" : "(", 1);
    else if (char === ")") this.closeRound();
    else if (/[;&|]/.test(char)) this.separator();
    else if (/\s/.test(char)) this.at++;
    else this.word();
  }

  private push(kind: Kind, length: number): void {
    this.frames.push({ kind, at: this.at });
    this.at += length;
    this.command = true;
  }

  private toggle(kind: '"' | "`"): void {
    if (this.frames.at(-1)?.kind === kind) {
      this.frames.pop();
      this.at++;
      this.command = false;
    } else if (kind === "`" && this.frames.some((frame) => frame.kind === "`")) this.lost = true;
    else this.push(kind, 1);
  }

  private closeIf(closed: boolean): void {
    if (closed) this.frames.pop();
    this.at++;
  }

  private dollar(): void {
    const next = this.text.slice(this.at + 1, this.at + 3);
    const inQuotes = this.frames.at(-1)?.kind === '"';
    if (next[0] === "(") this.push("$(", 2);
    else if (next[0] === "{") this.push("${", 2);
    else if (next[0] === "'" && !inQuotes) {
      const found = /\$'(?:\\[\s\S]|[^'\\])*'/y;
      found.lastIndex = this.at;
      const quoted = found.exec(this.text);
      if (quoted === null) this.cut = `the quote of line ${lineAt(this.text, this.at)} has no end`;
      else this.at += quoted[0].length;
    } else {
      this.at += next[0] === "#" || next[0] === "$" ? 2 : 1;
      if (!inQuotes) this.command = false;
    }
  }

  private single(): void {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) this.cut = `the quote of line ${lineAt(this.text, this.at)} has no end`;
    else this.at = end + 1;
    this.command = false;
  }

  private closeRound(): void {
    const top = this.frames.at(-1)?.kind;
    this.at++;
    // The end of a pattern of `case`.
    if (top === "case") {
      this.command = true;
      return;
    }
    if (top !== "(" && top !== "$(" && top !== "((") {
      this.lost = true;
      return;
    }
    this.frames.pop();
    this.command = top === "(";
  }

  private separator(): void {
    this.at++;
    this.command = true;
  }

  private newline(): void {
    this.at++;
    this.command = true;
    for (const { word, tabs } of this.pending.splice(0)) {
      let isFound = false;
      while (this.at < this.text.length && !isFound) {
        const end = lineEnd(this.text, this.at);
        const line = this.text.slice(this.at, end);
        isFound = (tabs ? line.replace(/^\t+/, "") : line) === word;
        this.at = Math.min(end + 1, this.text.length);
      }
      if (!isFound) this.cut = `the here-document ${word} has no end`;
    }
  }

  private heredoc(): void {
    const isNumber = this.frames.some(({ kind }) => kind === "((") || this.text[this.at + 2] === "<";
    const found = isNumber
      ? null
      : /^<<(-?)[ \t]*\\?(["']?)([A-Za-z_][\w.!-]*)\2/.exec(this.text.slice(this.at, this.at + 120));
    if (found === null) {
      this.at += this.text[this.at + 2] === "<" ? 3 : 2;
      return;
    }
    this.pending.push({ word: found[3] as string, tabs: found[1] === "-" });
    this.at += found[0].length;
  }

  private word(): void {
    const pattern = /[^\s;&|()<>"'`$\\#]+|./y;
    pattern.lastIndex = this.at;
    const word = pattern.exec(this.text)?.[0] ?? (this.text[this.at] as string);
    const next = this.text[this.at + word.length] ?? "\n";
    const isWhole = /[\s;&|()]/.test(next);
    const top = this.frames.at(-1)?.kind;
    if (isWhole && this.command && Object.hasOwn(opens, word))
      this.frames.push({ kind: opens[word] as Kind, at: this.at });
    else if (isWhole && this.command && Object.hasOwn(closes, word)) {
      if (top !== closes[word]) this.lost = true;
      this.frames.pop();
    }
    this.at += word.length;
    this.command = beforeCommand.has(word) && this.command;
    if (word === "then" || word === "do" || word === "else") this.command = true;
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
