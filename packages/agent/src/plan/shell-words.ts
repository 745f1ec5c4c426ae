/**
 * A shell command line, taken apart into the simple commands that it would run.
 *
 * What a newcomer gets wrong: this is no gate. It reads what an honest model writes,
 * to tell what a command is for (loops, promises, repeated reads); whether a command
 * may run at all is decided by the policy of the shell tool, which refuses what it
 * cannot read. Here, what cannot be read is simply not known.
 */

export interface SimpleCommand {
  /** Without quotes and escapes. */
  readonly words: readonly string[];
  /** Files that its output is sent to. */
  readonly writesTo: readonly string[];
  /** It goes on while the next one begins. */
  readonly background: boolean;
  /** It reads the output of the one before. */
  readonly piped: boolean;
  /** What is written into it on the lines below. */
  readonly heredoc?: string;
}

const commandCharsMax = 20_000;
const depthMax = 4;

/** In the order in which they stand; those within `$( )` and backquotes come last. */
export function simpleCommands(commandLine: string, depth = 0): readonly SimpleCommand[] {
  const reader = new Reader(commandLine.slice(0, commandCharsMax));
  const own = reader.read();
  if (depth >= depthMax) return own;
  return [...own, ...reader.inner.flatMap((text) => simpleCommands(text, depth + 1))];
}

class Reader {
  readonly inner: string[] = [];
  readonly #text: string;
  #at = 0;
  #word: string | undefined;
  #words: string[] = [];
  #writesTo: string[] = [];
  #piped = false;
  /** What the next word is: a word of the command, the target of a redirect, or to be dropped. */
  #next: "word" | "target" | "drop" = "word";
  #heredocs: string[] = [];
  readonly #found: SimpleCommand[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly SimpleCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endCommand({});
    return this.#found;
  }

  #step(): void {
    const char = this.#text[this.#at] ?? "";
    const rest = this.#text.slice(this.#at, this.#at + 4);
    if (char === "\\")
      return this.#take(this.#text[this.#at + 1] === "\n" ? "" : (this.#text[this.#at + 1] ?? ""), 2);
    if (char === "'") return this.#quoted(this.#text.indexOf("'", this.#at + 1));
    if (char === '"') return this.#doubleQuoted();
    if (rest.startsWith("$(") && !rest.startsWith("$(("))
      return this.#substitution(closing(this.#text, this.#at + 1), 2);
    if (char === "`") return this.#substitution(this.#text.indexOf("`", this.#at + 1), 1);
    if (char === "#" && this.#word === undefined) return this.#comment();
    if (char === "\n") return this.#newline();
    if (char === " " || char === "\t" || char === "\r") return this.#endWord(1);
    if (/^(?:&>>?|\d?>>?|\d?<)/.test(rest)) {
      if (!/^\d/.test(rest) || this.#word === undefined) return this.#redirect();
    }
    if (rest.startsWith("&&") || rest.startsWith("||")) return this.#operator(2, {});
    if (char === "|") return this.#operator(rest.startsWith("|&") ? 2 : 1, { pipes: true });
    if (char === "&") return this.#operator(1, { background: true });
    if (char === ";" || char === "(" || char === ")") return this.#operator(1, {});
    return this.#take(char, 1);
  }

  #take(text: string, length: number): void {
    this.#word = (this.#word ?? "") + text;
    this.#at += length;
  }

  #quoted(end: number): void {
    const stop = end < 0 ? this.#text.length : end;
    this.#take(this.#text.slice(this.#at + 1, stop), stop + 1 - this.#at);
  }

  #doubleQuoted(): void {
    let text = "";
    let at = this.#at + 1;
    while (at < this.#text.length && this.#text[at] !== '"') {
      if (this.#text[at] === "\\") at += 1;
      else if (this.#text.startsWith("$(", at))
        this.inner.push(this.#text.slice(at + 2, closing(this.#text, at + 1)));
      text += this.#text[at] ?? "";
      at += 1;
    }
    this.#take(text, at + 1 - this.#at);
  }

  #substitution(end: number, opening: number): void {
    const stop = end < 0 ? this.#text.length : end;
    this.inner.push(this.#text.slice(this.#at + opening, stop));
    this.#take("$", stop + 1 - this.#at);
  }

  #comment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #redirect(): void {
    const [operator = ">"] =
      /^(?:&>>?|\d?>>?&?|\d?<<<|\d?<<-?|\d?<&?)/.exec(this.#text.slice(this.#at, this.#at + 5)) ?? [];
    this.#endWord(operator.length);
    if (/<<-?$/.test(operator)) {
      const [whole = "", mark = ""] =
        /^\s*["']?([\w.-]+)["']?/.exec(this.#text.slice(this.#at, this.#at + 80)) ?? [];
      this.#heredocs.push(mark);
      this.#at += whole.length;
      return;
    }
    this.#next = operator.includes("<") || operator.endsWith(">&") ? "drop" : "target";
  }

  #newline(): void {
    this.#operator(1, {});
    for (const mark of this.#heredocs) {
      const end = new RegExp(`^[\\t ]*${mark.replaceAll(/[.-]/g, "\\$&")}[\\t ]*$`, "m").exec(
        this.#text.slice(this.#at),
      );
      const body = this.#text.slice(this.#at, end === null ? undefined : this.#at + end.index);
      this.#at = end === null ? this.#text.length : this.#at + end.index + end[0].length;
      const last = this.#found.pop();
      if (last !== undefined) this.#found.push({ ...last, heredoc: body });
    }
    this.#heredocs = [];
  }

  #operator(length: number, how: { readonly pipes?: true; readonly background?: true }): void {
    this.#endWord(length);
    this.#endCommand(how);
  }

  #endWord(length: number): void {
    this.#at += length;
    if (this.#word === undefined) return;
    if (this.#next === "word") this.#words.push(this.#word);
    if (this.#next === "target") this.#writesTo.push(this.#word);
    this.#next = "word";
    this.#word = undefined;
  }

  #endCommand({
    pipes = false,
    background = false,
  }: {
    readonly pipes?: boolean;
    readonly background?: boolean;
  }): void {
    this.#endWord(0);
    if (this.#words.length > 0 || this.#writesTo.length > 0) {
      this.#found.push({ words: this.#words, writesTo: this.#writesTo, background, piped: this.#piped });
    }
    this.#words = [];
    this.#writesTo = [];
    this.#piped = pipes;
    this.#next = "word";
  }
}

/** Where the bracket that opens at `open` closes. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Spaces between words and the style of quotes aside; the rest as it stands. */
export function sameSpacing(commandLine: string): string {
  return commandLine
    .split(/("(?:[^"\\]|\\.)*"|'[^']*')/)
    .map((part, i) => (i % 2 === 1 ? part.replace(/^'([^'"$`\\]*)'$/, '"$1"') : part.replaceAll(/\s+/g, " ")))
    .join("")
    .trim();
}
