/**
 * Control structures: what stands between reserved words.
 *
 * What a newcomer gets wrong: a reserved word is one only where a command may
 * begin, in plain letters. `echo done` ends no loop, and neither does `"done"`.
 */
import { SimpleReader } from "./simple-reader.js";
import type { Arithmetic, Command, Redirect, Script, Word } from "./syntax.js";
import { textOf } from "./syntax.js";

const reservedWords = new Set([
  ...["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case", "esac"],
  ...["function", "select", "{", "}", "!", "[[", "]]", "time", "coproc"],
]);

export abstract class CompoundReader extends SimpleReader {
  /** Up to one of the words, a closing parenthesis, `;;`, or the end; none of them is consumed. */
  protected abstract script(ends: readonly string[]): Script;
  protected abstract command(): Command;

  /** The reserved word that stands here, in plain letters and as a word of its own. */
  protected reserved(): string | undefined {
    const word = this.match(/(?:[a-z]+|\[\[|\]\]|[{}!])(?=[ \t\n;&|<>()]|$)/y);
    return word !== undefined && reservedWords.has(word) ? word : undefined;
  }

  /** The command that begins with the word, which has been consumed. */
  protected compound(word: string): Command {
    switch (word) {
      case "{":
        return this.withRedirects({ kind: "group", body: this.until("}") });
      case "if":
        return this.withRedirects(this.conditional());
      case "while":
      case "until": {
        const test = this.until("do");
        return this.withRedirects({ kind: "loop", until: word === "until", test, body: this.until("done") });
      }
      case "for":
      case "select":
        return this.withRedirects(this.each());
      case "case":
        return this.withRedirects(this.choice());
      case "[[":
        return this.withRedirects(this.test());
      case "function":
        return this.namedFunction();
      default:
        this.doubt(`${word} stands where a command should`);
        return this.command();
    }
  }

  protected withRedirects(bare: Bare): Command {
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      const redirect = this.redirect();
      if (redirect === undefined) return { ...bare, redirects };
      redirects.push(redirect);
    }
  }

  protected filled(script: Script): Script {
    if (script.items.length === 0) this.doubt("a list of commands is empty");
    return script;
  }

  private keyword(word: string): void {
    this.newlines();
    if (this.reserved() === word) this.at += word.length;
    else this.doubt(`${word} is missing`);
  }

  private until(word: string): Script {
    const script = this.filled(this.script([word]));
    this.keyword(word);
    return script;
  }

  private conditional(): Bare {
    const branches: { test: Script; body: Script }[] = [];
    for (;;) {
      const test = this.until("then");
      branches.push({ test, body: this.filled(this.script(["elif", "else", "fi"])) });
      const word = this.reserved();
      if (word === "elif") this.at += 4;
      else if (word === "else") {
        this.at += 4;
        return { kind: "if", branches, otherwise: this.until("fi") };
      } else {
        this.keyword("fi");
        return { kind: "if", branches };
      }
    }
  }

  // --- Loops ---------------------------------------------------------------------------------------

  private each(): Bare {
    this.blanks();
    if (this.peek("((")) return this.count();
    const name = this.match(/[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n;])/y) ?? "";
    if (name === "") this.doubt("a loop has no variable");
    this.at += name.length;
    this.newlines();
    let words: Word[] | undefined;
    if (this.reserved() === "in") {
      this.at += 2;
      words = this.wordList();
    }
    this.blanks();
    if (this.peek(";")) this.at += 1;
    this.keyword("do");
    const body = this.until("done");
    return { kind: "for", name, ...(words === undefined ? {} : { words }), body };
  }

  private wordList(): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.blanks();
      const word = this.word();
      if (word === undefined) break;
      words.push(word);
    }
    if (!this.peek(";") && !this.peek("\n")) this.doubt("a list of words does not end");
    return words;
  }

  private count(): Bare {
    this.bashOnly = true;
    this.at += 2;
    const expressions: Arithmetic[] = [this.arithmetic(";"), this.arithmetic(";"), this.arithmetic("))")];
    this.blanks();
    if (this.peek(";")) this.at += 1;
    this.keyword("do");
    return { kind: "count", expressions, body: this.until("done") };
  }

  // --- Choices and tests ---------------------------------------------------------------------------

  private choice(): Bare {
    this.blanks();
    const subject = this.wordOr("case has no subject");
    this.keyword("in");
    const arms: { patterns: Word[]; body: Script }[] = [];
    for (;;) {
      this.newlines();
      if (this.reserved() === "esac") break;
      if (this.peek("(")) this.at += 1;
      const patterns = this.patterns();
      const body = this.script(["esac"]);
      arms.push({ patterns, body });
      const end = this.match(/;;&|;;|;&/y);
      if (end === undefined) break;
      this.bashOnly ||= end !== ";;";
      this.at += end.length;
    }
    this.keyword("esac");
    return { kind: "case", subject, arms };
  }

  private patterns(): Word[] {
    const patterns: Word[] = [];
    for (;;) {
      this.blanks();
      patterns.push(this.wordOr("case has an empty pattern"));
      this.blanks();
      if (this.peek(")")) {
        this.at += 1;
        return patterns;
      }
      if (!this.peek("|")) {
        this.doubt("a pattern of case is not closed");
        return patterns;
      }
      this.at += 1;
    }
  }

  /** Without `<` and `>`, which a plain sh would take for redirections, and without regular expressions that have parentheses. */
  private test(): Bare {
    this.bashOnly = true;
    const words: Word[] = [];
    for (;;) {
      this.blanks();
      if (this.reserved() === "]]") {
        this.at += 2;
        if (words.length === 0) this.doubt("a test is empty");
        return { kind: "test", words };
      }
      const operator = this.match(/&&|\|\||[()]/y);
      const word =
        operator === undefined ? this.word() : { parts: [{ kind: "text" as const, text: operator }] };
      this.at += operator?.length ?? 0;
      if (word !== undefined) {
        words.push(word);
        continue;
      }
      this.doubt("a test is not understood");
      if (this.at >= this.text.length) return { kind: "test", words };
      this.at += 1;
    }
  }

  // --- Functions -----------------------------------------------------------------------------------

  protected functionBody(name: string): Command {
    this.newlines();
    const body = this.command();
    if (body.kind === "simple" || body.kind === "function") this.doubt("a function has no body");
    return { kind: "function", name, body, redirects: [] };
  }

  private namedFunction(): Command {
    this.bashOnly = true;
    this.blanks();
    const name = textOf(this.wordOr("a function has no name"));
    if (name === undefined) this.doubt("a function has no plain name");
    this.blanks();
    if (this.match(/\([ \t]*\)/y) !== undefined) this.at = this.text.indexOf(")", this.at) + 1;
    return this.functionBody(name ?? "");
  }
}

type Without<T> = T extends { redirects: unknown } ? Omit<T, "redirects"> : never;
/** A command whose redirections are still to be read. */
export type Bare = Without<Exclude<Command, { kind: "simple" }>>;
