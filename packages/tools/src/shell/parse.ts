/**
 * A bash command line, taken apart so that it can be judged.
 *
 * What a newcomer gets wrong: this is no shell. It accepts less than bash does,
 * and says `unknown` to the rest; it must never accept something with another
 * meaning than bash gives it. It never throws, and its time grows with the
 * length of the text, whatever the text is.
 */
import { shellLimits, Unparsed } from "./reader.js";
import { RedirectReader } from "./redirect-reader.js";
import type { Arithmetic, Assignment, Command, Item, Pipeline, Redirect, Script, Word } from "./syntax.js";
import { textOf } from "./syntax.js";

export type Parsed =
  /** `bashOnly`: a plain sh would read it differently. */
  | { readonly kind: "script"; readonly script: Script; readonly bashOnly: boolean }
  | { readonly kind: "unknown"; readonly because: string };

export function parse(command: string): Parsed {
  if (command.length > shellLimits.commandCharsMax) return { kind: "unknown", because: "it is too long" };
  if (command.includes("\0")) return { kind: "unknown", because: "it has a NUL" };
  if (!command.isWellFormed()) return { kind: "unknown", because: "it is no valid Unicode" };
  try {
    const parser = new Parser(command, 0);
    const script = parser.whole();
    return { kind: "script", script, bashOnly: parser.isBashOnly };
  } catch (error) {
    if (error instanceof Unparsed) return { kind: "unknown", because: error.message };
    throw error;
  }
}

const reservedWords = new Set([
  ...["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case", "esac"],
  ...["function", "select", "{", "}", "!", "[[", "]]", "time", "coproc"],
]);
const assignmentAt = /([A-Za-z_][A-Za-z0-9_]*)(\+?)=/y;

class Parser extends RedirectReader {
  get isBashOnly(): boolean {
    return this.bashOnly;
  }

  whole(): Script {
    const script = this.script([]);
    if (this.at < this.text.length)
      this.fail(`${JSON.stringify(this.text[this.at])} stands where nothing may`);
    if (this.pending.length > 0) this.fail("a here-document has no body");
    return script;
  }

  protected substituted(): Script {
    const inner = new Parser(this.text, this.depth + 1);
    const script = this.continued(inner, () => inner.enclosed());
    if (inner.pending.length > 0) this.fail("a here-document has no body");
    return script;
  }

  protected nested(text: string): Script {
    const inner = new Parser(text, this.depth + 1);
    const script = inner.whole();
    this.bashOnly ||= inner.bashOnly;
    return script;
  }

  protected expanded(body: string): Word {
    const inner = new Parser(body, this.depth + 1);
    const parts = inner.double(true);
    this.bashOnly ||= inner.bashOnly;
    return { parts };
  }

  /** The same text, read on by a parser that knows how deep it is; here-documents go on waiting. */
  private deeper<T>(read: (inner: Parser) => T): T {
    const inner = new Parser(this.text, this.depth + 1);
    inner.pending = this.pending;
    return this.continued(inner, () => read(inner));
  }

  private continued<T>(inner: Parser, read: () => T): T {
    inner.at = this.at;
    const value = read();
    this.at = inner.at;
    this.bashOnly ||= inner.bashOnly;
    return value;
  }

  private enclosed(): Script {
    const script = this.script([]);
    this.expect(")");
    return script;
  }

  private expect(token: string): void {
    this.blanks();
    if (!this.peek(token)) this.fail(`${token} is missing`);
    this.at += token.length;
  }

  // --- Lists ---------------------------------------------------------------------------------------

  /** Up to one of the words, a closing parenthesis, `;;`, or the end; none of them is consumed. */
  private script(ends: readonly string[]): Script {
    const items: Item[] = [];
    for (;;) {
      this.newlines();
      if (this.atEnd(ends)) return { items };
      items.push(this.item());
    }
  }

  private atEnd(ends: readonly string[]): boolean {
    if (this.at >= this.text.length || this.peek(")") || this.peek(";;") || this.peek(";&")) return true;
    return ends.includes(this.reserved() ?? "");
  }

  private newlines(): void {
    this.blanks();
    while (this.peek("\n")) {
      this.at += 1;
      this.bodies();
      this.blanks();
    }
  }

  private item(): Item {
    const pipelines: Pipeline[] = [this.pipeline()];
    for (;;) {
      this.blanks();
      const after = this.peek("&&") ? "&&" : this.peek("||") ? "||" : undefined;
      if (after === undefined) break;
      this.at += 2;
      this.newlines();
      pipelines.push({ after, ...this.pipeline() });
    }
    return { pipelines, background: this.separator() };
  }

  /** What ends an item; whether it is `&`. */
  private separator(): boolean {
    if (this.peek("&")) {
      this.at += 1;
      return true;
    }
    if (this.peek(";") && !this.peek(";;") && !this.peek(";&")) this.at += 1;
    else if (this.at < this.text.length && !/[\n);]/.test(this.text[this.at] ?? "")) {
      this.fail(`${JSON.stringify(this.text[this.at])} stands where a command should end`);
    }
    return false;
  }

  private pipeline(): Pipeline {
    let negated = false;
    for (;;) {
      const word = this.reserved();
      if (word === "time" && !/^time[ \t]+-/.test(this.text.slice(this.at, this.at + 16))) this.at += 4;
      else if (word === "!") {
        this.at += 1;
        negated = !negated;
      } else break;
      this.blanks();
    }
    const commands = [this.command()];
    for (;;) {
      this.blanks();
      if (this.peek("||") || !this.peek("|")) return { negated, commands };
      if (this.peek("|&")) this.bashOnly = true;
      this.at += this.peek("|&") ? 2 : 1;
      this.newlines();
      commands.push(this.command());
    }
  }

  // --- Commands ------------------------------------------------------------------------------------

  /** The reserved word that stands here, in plain letters and as a word of its own. */
  private reserved(): string | undefined {
    const word = this.match(/(?:[a-z]+|\[\[|\]\]|[{}!])(?=[ \t\n;&|<>()]|$)/y);
    return word !== undefined && reservedWords.has(word) ? word : undefined;
  }

  private keyword(word: string): void {
    this.newlines();
    if (this.reserved() !== word) this.fail(`${word} is missing`);
    this.at += word.length;
  }

  private command(): Command {
    this.blanks();
    if (this.peek("((")) return this.withRedirects(this.arithmeticCommand());
    if (this.peek("(")) {
      this.at += 1;
      return this.withRedirects({
        kind: "subshell",
        body: this.filled(this.deeper((inner) => inner.enclosed())),
      });
    }
    const word = this.reserved();
    if (word === undefined) return this.functionOrSimple();
    this.at += word.length;
    return this.deeper((inner) => inner.compound(word));
  }

  private compound(word: string): Command {
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
      case "function": {
        this.bashOnly = true;
        this.blanks();
        const name = textOf(this.word() ?? this.fail("a function has no name"));
        this.blanks();
        if (this.match(/\([ \t]*\)/y) !== undefined) this.at = this.text.indexOf(")", this.at) + 1;
        return this.functionBody(name ?? this.fail("a function has no plain name"));
      }
      default:
        return this.fail(`${word} stands where a command should`);
    }
  }

  private filled(script: Script): Script {
    return script.items.length === 0 ? this.fail("a list of commands is empty") : script;
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

  private each(): Bare {
    this.blanks();
    if (this.peek("((")) return this.count();
    const name = this.match(/[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n;])/y) ?? this.fail("a loop has no variable");
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
    if (!this.peek(";") && !this.peek("\n")) this.fail("a list of words does not end");
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

  private choice(): Bare {
    this.blanks();
    const subject = this.word() ?? this.fail("case has no subject");
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
      patterns.push(this.word() ?? this.fail("case has an empty pattern"));
      this.blanks();
      if (this.peek(")")) {
        this.at += 1;
        return patterns;
      }
      if (!this.peek("|")) this.fail("a pattern of case is not closed");
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
        return words.length === 0 ? this.fail("a test is empty") : { kind: "test", words };
      }
      const operator = this.match(/&&|\|\||[()]/y);
      if (operator === undefined) words.push(this.word() ?? this.fail("a test is not understood"));
      else {
        this.at += operator.length;
        words.push({ parts: [{ kind: "text", text: operator }] });
      }
    }
  }

  private arithmeticCommand(): Bare {
    this.bashOnly = true;
    this.at += 2;
    return { kind: "arithmetic", expression: this.arithmetic("))") };
  }

  private functionBody(name: string): Command {
    this.newlines();
    const body = this.command();
    if (body.kind === "simple" || body.kind === "function") this.fail("a function has no body");
    return { kind: "function", name, body, redirects: [] };
  }

  private functionOrSimple(): Command {
    const head = this.match(/[^ \t\n;&|<>()$`'"\\=*?[{~]+[ \t]*\([ \t]*\)/y);
    if (head === undefined) return this.simple();
    this.at += head.length;
    const name = head.slice(0, head.indexOf("(")).trim();
    return this.deeper((inner) => inner.functionBody(name));
  }

  private simple(): Command {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      const redirect = this.redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const assignment = words.length === 0 ? this.assignment() : undefined;
      if (assignment !== undefined) {
        assignments.push(assignment);
        continue;
      }
      const word = this.word();
      if (word === undefined) break;
      words.push(word);
    }
    if (assignments.length + words.length + redirects.length === 0) this.fail("a command is missing");
    return { kind: "simple", assignments, words, redirects };
  }

  private assignment(): Assignment | undefined {
    assignmentAt.lastIndex = this.at;
    const found = assignmentAt.exec(this.text);
    if (found === null) {
      if (this.match(/[A-Za-z_][A-Za-z0-9_]*\[/y) !== undefined) this.fail("it has a subscript");
      return undefined;
    }
    this.at += found[0].length;
    const shape = { name: found[1] ?? "", append: found[2] === "+" };
    if (this.peek("(")) return { ...shape, values: this.array() };
    return { ...shape, values: [this.word() ?? { parts: [{ kind: "text", text: "" }] }] };
  }

  private array(): Word[] {
    this.bashOnly = true;
    this.at += 1;
    const values: Word[] = [];
    for (;;) {
      this.newlines();
      if (this.peek(")")) {
        this.at += 1;
        return values;
      }
      if (this.peek("[")) this.fail("it has a subscript");
      values.push(this.word() ?? this.fail("an array is not closed"));
    }
  }

  // --- Redirections --------------------------------------------------------------------------------

  private withRedirects(bare: Bare): Command {
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      const redirect = this.redirect();
      if (redirect === undefined) return { ...bare, redirects };
      redirects.push(redirect);
    }
  }
}

type Without<T> = T extends { redirects: unknown } ? Omit<T, "redirects"> : never;
type Bare = Without<Exclude<Command, { kind: "simple" }>>;
