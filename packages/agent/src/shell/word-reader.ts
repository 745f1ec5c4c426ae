/**
 * Words of a command line: quotes, escapes, and the signs that bash makes several
 * words of.
 *
 * What a newcomer gets wrong: a letter that looks like another one is no letter.
 * A space that is none, or a slash from another alphabet, makes the word unknown.
 */
import { ExpansionReader, joinedParts, textPart } from "./expansion-reader.js";
import type { Part, Word } from "./syntax.js";

const wordEnd = /[ \t\n;&|<>()]/;

export abstract class WordReader extends ExpansionReader {
  /** Undefined where no word begins. */
  protected word(): Word | undefined {
    const parts: Part[] = [];
    const start = this.at;
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) break;
      if ((c === "<" || c === ">") && this.text[this.at + 1] === "(") parts.push(this.processPart());
      else if (wordEnd.test(c)) break;
      else parts.push(...this.unquoted(c, start));
    }
    return this.at === start ? undefined : { parts: joinedParts(parts) };
  }

  /** A word that has to stand here; an empty one is the likely reading. */
  protected wordOr(because: string): Word {
    const word = this.word();
    if (word === undefined) this.doubt(because);
    return word ?? { parts: [] };
  }

  private processPart(): Part {
    this.bashOnly = true;
    this.at += 2;
    return { kind: "process", script: this.substituted() };
  }

  private unquoted(c: string, start: number): Part[] {
    switch (c) {
      case "\\":
        return [textPart(this.escaped())];
      case "'":
        return [textPart(this.single())];
      case '"':
        this.at += 1;
        return this.double();
      case "$":
        return [this.dollar(false)];
      case "`":
        return [this.backtick(false)];
      case "*":
      case "?":
      case "[":
        this.at += 1;
        // The command `[`: a word of its own, which matches nothing but itself.
        if (c === "[" && this.at === start + 1 && wordEnd.test(this.text[this.at] ?? " "))
          return [textPart(c)];
        return [{ kind: "glob", text: c }];
      case "{":
        return [this.brace()];
      case "~":
        return [this.tilde(start)];
      default:
        return [textPart(this.plain())];
    }
  }

  private escaped(): string {
    const next = this.text[this.at + 1];
    this.at += 1;
    if (next === undefined) {
      this.doubt("it ends with a backslash");
      return "";
    }
    if (next !== "\n") return this.take();
    this.doubt("a word is continued on the next line");
    this.at += 1;
    return "";
  }

  private plain(): string {
    const run = this.match(/[A-Za-z0-9_./,=:@%+\]}^!#-]+/y);
    if (run !== undefined && run !== "") {
      // Stops before a tilde that follows `=` or `:`; the loop of the word sees it next.
      this.at += run.length;
      return run;
    }
    const whole = this.take();
    if (/[\p{C}\p{Z}]/u.test(whole)) {
      this.doubt("it has a control character or an unusual space");
      return whole === "\r" ? "" : whole;
    }
    if (whole.normalize("NFKC") !== whole && /[ -~]/.test(whole.normalize("NFKC"))) {
      this.doubt("it has a character that looks like another");
    }
    return whole;
  }

  private single(): string {
    const found = this.text.indexOf("'", this.at + 1);
    if (found < 0) this.doubt("a quote is not closed");
    const end = found < 0 ? this.text.length : found;
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return inner;
  }

  private brace(): Part {
    // Only when nothing behind it in the word could make it one arm of a larger brace.
    const literal = this.match(/\{[A-Za-z0-9_-]*\}(?=[A-Za-z0-9_./:@%+=-]*(?:[ \t\n;&|<>()]|$))/y);
    this.at += literal?.length ?? 1;
    if (literal !== undefined && /[<>]/.test(this.text[this.at] ?? "")) this.doubt("a handle has a name");
    return literal === undefined ? { kind: "brace", text: "{" } : textPart(literal);
  }

  private tilde(start: number): Part {
    const before = this.at === start ? "" : this.text[this.at - 1];
    if (before === "=" && this.at === start + 1 && wordEnd.test(this.text[this.at + 1] ?? " ")) {
      this.at += 1;
      return textPart("~");
    }
    if (before !== "" && before !== "=" && before !== ":") {
      this.at += 1;
      return textPart("~");
    }
    this.at += 1;
    const user = this.match(/[A-Za-z0-9_.+-]+/y) ?? "";
    this.at += user.length;
    return { kind: "tilde", user };
  }
}
