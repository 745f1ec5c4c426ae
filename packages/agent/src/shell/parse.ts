/**
 * A bash command line, taken apart.
 *
 * What a newcomer gets wrong: this is no shell. `parse` is for judging: it accepts
 * less than bash does, says `unknown` to the rest, and never accepts something with
 * another meaning than bash gives it. `likelyScript` is for understanding what an
 * honest command is for: it always gives a tree, the same one where `parse` gives
 * one, and must never decide whether something may run. Neither throws, and the
 * time of both grows with the length of the text, whatever the text is.
 */
import { type Bare, CompoundReader } from "./compound-reader.js";
import { shellLimits, Unparsed } from "./cursor.js";
import type { Command, Item, Pipeline, Script, Word } from "./syntax.js";

export type Parsed =
  /** `bashOnly`: a plain sh would read it differently. */
  | { readonly kind: "script"; readonly script: Script; readonly bashOnly: boolean }
  | { readonly kind: "unknown"; readonly because: string };

export function parse(command: string): Parsed {
  if (command.length > shellLimits.commandCharsMax) return { kind: "unknown", because: "it is too long" };
  if (command.includes("\0")) return { kind: "unknown", because: "it has a NUL" };
  if (!command.isWellFormed()) return { kind: "unknown", because: "it is no valid Unicode" };
  try {
    const parser = new Parser(command, { depth: 0, tolerant: false });
    const script = parser.whole();
    return { kind: "script", script, bashOnly: parser.isBashOnly };
  } catch (error) {
    if (error instanceof Unparsed) return { kind: "unknown", because: error.message };
    throw error;
  }
}

/** What the text most likely means; of one that is too long its beginning, and nothing of one that nests too deeply. */
export function likelyScript(command: string): Script {
  try {
    return new Parser(command.slice(0, shellLimits.commandCharsMax), { depth: 0, tolerant: true }).whole();
  } catch (error) {
    if (error instanceof Unparsed) return { items: [] };
    throw error;
  }
}

class Parser extends CompoundReader {
  get isBashOnly(): boolean {
    return this.bashOnly;
  }

  whole(): Script {
    const script = this.script([]);
    while (this.at < this.text.length) {
      this.doubt(`${JSON.stringify(this.text[this.at])} stands where nothing may`);
      this.at += 1;
      script.items.push(...this.script([]).items);
    }
    if (this.pending.length > 0) this.doubt("a here-document has no body");
    return script;
  }

  protected substituted(): Script {
    const inner = new Parser(this.text, this.deeperOptions);
    const script = this.continued(inner, () => inner.enclosed());
    if (inner.pending.length > 0) this.doubt("a here-document has no body");
    return script;
  }

  protected nested(text: string): Script {
    const inner = new Parser(text, this.deeperOptions);
    const script = inner.whole();
    this.bashOnly ||= inner.bashOnly;
    return script;
  }

  protected expanded(body: string): Word {
    const inner = new Parser(body, this.deeperOptions);
    const parts = inner.double(true);
    this.bashOnly ||= inner.bashOnly;
    return { parts };
  }

  /** The same text, read on by a parser that knows how deep it is; here-documents go on waiting. */
  private deeper<T>(read: (inner: Parser) => T): T {
    const inner = new Parser(this.text, this.deeperOptions);
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
    this.blanks();
    if (this.peek(")")) this.at += 1;
    else this.doubt(") is missing");
    return script;
  }

  // --- Lists ---------------------------------------------------------------------------------------

  protected script(ends: readonly string[]): { readonly items: Item[] } {
    const items: Item[] = [];
    for (;;) {
      this.newlines();
      if (this.atEnd(ends)) return { items };
      const start = this.at;
      items.push(this.item());
      // Only where a doubt was passed over: whatever stands here begins nothing.
      if (this.at === start) this.at += 1;
    }
  }

  private atEnd(ends: readonly string[]): boolean {
    if (this.at >= this.text.length || this.peek(")") || this.peek(";;") || this.peek(";&")) return true;
    return ends.includes(this.reserved() ?? "");
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
      this.doubt(`${JSON.stringify(this.text[this.at])} stands where a command should end`);
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

  protected command(): Command {
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

  private arithmeticCommand(): Bare {
    this.bashOnly = true;
    this.at += 2;
    return { kind: "arithmetic", expression: this.arithmetic("))") };
  }

  private functionOrSimple(): Command {
    const head = this.match(/[^ \t\n;&|<>()$`'"\\=*?[{~]+[ \t]*\([ \t]*\)/y);
    if (head === undefined) return this.simple();
    this.at += head.length;
    const name = head.slice(0, head.indexOf("(")).trim();
    return this.deeper((inner) => inner.functionBody(name));
  }
}
