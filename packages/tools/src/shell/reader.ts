/**
 * Words of a command line: quotes, escapes, expansions.
 *
 * What a newcomer gets wrong: the reader may refuse, but may never guess. Where
 * bash has a reading that this file does not know, it gives up (`Unparsed`), and
 * the whole command counts as unknown. Taking an expansion for plain text would
 * let a command look harmless that is not.
 */
import type { Arithmetic, Part, Script, Word } from "./syntax.js";

/** Thrown within the parser only; `parse` turns it into a value. */
export class Unparsed extends Error {}

export const shellLimits = {
  /** Longer commands are unknown. */
  commandCharsMax: 65_536,
  /** Nesting of substitutions, groups and control structures. */
  depthMax: 32,
} as const;

const blank = /[ \t]/;
const wordEnd = /[ \t\n;&|<>()]/;
const nameStart = /[A-Za-z_]/;
const nameAt = /[A-Za-z_][A-Za-z0-9_]*/y;

export abstract class Reader {
  protected at = 0;
  /** Something that only bash reads so; a plain sh takes it for something else. */
  protected bashOnly = false;
  /** Expansions within expansions. */
  private level = 0;

  constructor(
    protected readonly text: string,
    protected readonly depth: number,
  ) {
    if (depth > shellLimits.depthMax) this.fail("it nests too deeply");
  }

  /** Commands up to the closing parenthesis, which is consumed. */
  protected abstract substituted(): Script;
  /** Commands of a text of their own. */
  protected abstract nested(text: string): Script;

  protected fail(because: string): never {
    throw new Unparsed(because);
  }

  protected match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  protected peek(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  protected blanks(): void {
    for (;;) {
      const c = this.text[this.at];
      if (c !== undefined && blank.test(c)) this.at += 1;
      else if (this.peek("\\\n") && this.mayContinue()) this.at += 2;
      else break;
    }
    if (this.text[this.at] === "#") {
      while (this.at < this.text.length && this.text[this.at] !== "\n") this.at += 1;
    }
  }

  /** A continued line within a word or an operator would join what stands around it. */
  private mayContinue(): boolean {
    const before = this.text[this.at - 1];
    return before === undefined || /[ \t\n]/.test(before);
  }

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
    return this.at === start ? undefined : { parts: joined(parts) };
  }

  private processPart(): Part {
    this.bashOnly = true;
    this.at += 2;
    return { kind: "process", script: this.substituted() };
  }

  private unquoted(c: string, start: number): Part[] {
    switch (c) {
      case "\\":
        return [text(this.escaped())];
      case "'":
        return [text(this.single())];
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
        if (c === "[" && this.at === start + 1 && wordEnd.test(this.text[this.at] ?? " ")) return [text(c)];
        return [{ kind: "glob", text: c }];
      case "{":
        return [this.brace()];
      case "~":
        return [this.tilde(start)];
      default:
        return [text(this.plain())];
    }
  }

  private escaped(): string {
    const next = this.text[this.at + 1];
    if (next === undefined) this.fail("it ends with a backslash");
    if (next === "\n") this.fail("a word is continued on the next line");
    this.at += 1;
    return this.take();
  }

  /** One whole character, even where it is two units long. */
  private take(): string {
    const c = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += c.length;
    return c;
  }

  private plain(): string {
    const run = this.match(/[A-Za-z0-9_./,=:@%+\]}^!#-]+/y);
    if (run !== undefined && run !== "") {
      // Stops before a tilde that follows `=` or `:`; the loop of the word sees it next.
      this.at += run.length;
      return run;
    }
    const whole = this.take();
    if (/[\p{C}\p{Z}]/u.test(whole)) this.fail("it has a control character or an unusual space");
    if (whole.normalize("NFKC") !== whole && /[ -~]/.test(whole.normalize("NFKC"))) {
      this.fail("it has a character that looks like another");
    }
    return whole;
  }

  private single(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) this.fail("a quote is not closed");
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return inner;
  }

  /** Up to the closing quote; with `whole` up to the end of the text, as in a here-document. */
  protected double(whole = false): Part[] {
    const parts: Part[] = [text("")];
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) {
        if (whole) return parts;
        this.fail("a quote is not closed");
      }
      if (c === '"' && !whole) {
        this.at += 1;
        return parts;
      }
      if (c === "\\") parts.push(text(this.escapedWithin(whole)));
      else if (c === "$") parts.push(this.dollar(true));
      else if (c === "`") parts.push(this.backtick(true));
      else {
        const run = this.match(/[^"\\$`]+/y) ?? c;
        this.at += run.length;
        parts.push(text(run));
      }
    }
  }

  private escapedWithin(whole: boolean): string {
    const next = this.text[this.at + 1];
    if (next === undefined) this.fail("it ends with a backslash");
    if (next === "\n") this.fail("a quoted text is continued on the next line");
    const special = next === "$" || next === "`" || next === "\\" || (next === '"' && !whole);
    this.at += special ? 2 : 1;
    return special ? next : "\\";
  }

  private brace(): Part {
    // Only when nothing behind it in the word could make it one arm of a larger brace.
    const literal = this.match(/\{[A-Za-z0-9_-]*\}(?=[A-Za-z0-9_./:@%+=-]*(?:[ \t\n;&|<>()]|$))/y);
    this.at += literal?.length ?? 1;
    if (literal !== undefined && /[<>]/.test(this.text[this.at] ?? "")) this.fail("a handle has a name");
    return literal === undefined ? { kind: "brace", text: "{" } : text(literal);
  }

  private tilde(start: number): Part {
    const before = this.at === start ? "" : this.text[this.at - 1];
    if (before === "=" && this.at === start + 1 && wordEnd.test(this.text[this.at + 1] ?? " ")) {
      this.at += 1;
      return text("~");
    }
    if (before !== "" && before !== "=" && before !== ":") {
      this.at += 1;
      return text("~");
    }
    this.at += 1;
    const user = this.match(/[A-Za-z0-9_.+-]+/y) ?? "";
    this.at += user.length;
    return { kind: "tilde", user };
  }

  // --- Expansions ----------------------------------------------------------------------------------

  private dollar(quoted: boolean): Part {
    this.level += 1;
    if (this.level > shellLimits.depthMax) this.fail("it nests too deeply");
    const part = this.expansion(quoted);
    this.level -= 1;
    return part;
  }

  private expansion(quoted: boolean): Part {
    const next = this.text[this.at + 1] ?? "";
    if (next === "(") return this.text[this.at + 2] === "(" ? this.number() : this.commandPart(quoted);
    if (next === "{") return this.parameter(quoted);
    if (next === "[") this.fail("it has arithmetic in the old form");
    if (next === "\\" && this.text[this.at + 2] === "\n")
      this.fail("an expansion is continued on the next line");
    if (!quoted && next === '"') this.fail("it has a text to translate");
    if (!quoted && next === "'") return text(this.ansi());
    this.at += 1;
    if (/[0-9@*#?$!-]/.test(next)) {
      this.at += 1;
      return { kind: "variable", name: next, quoted };
    }
    const name = nameStart.test(next) ? this.match(nameAt) : undefined;
    if (name === undefined) return text("$");
    this.at += name.length;
    if (this.peek("\\\n")) this.fail("an expansion is continued on the next line");
    return { kind: "variable", name, quoted };
  }

  private commandPart(quoted: boolean): Part {
    this.at += 2;
    return { kind: "command", script: this.substituted(), quoted };
  }

  private number(): Part {
    this.at += 3;
    return { kind: "number", expression: this.arithmetic("))") };
  }

  /** Up to `end`, which is consumed. */
  protected arithmetic(end: "))" | ";"): Arithmetic {
    const parts: Part[] = [];
    let named = false;
    let open = 0;
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) this.fail("arithmetic is not closed");
      if (open === 0 && this.peek(end)) {
        this.at += end.length;
        return { named, parts };
      }
      if (c === "$") parts.push(this.dollar(true));
      else if (c === "(" || c === ")") {
        open += c === "(" ? 1 : -1;
        if (open < 0) this.fail("parentheses do not match");
        this.at += 1;
      } else if (/[\s0-9+\-*/%<>=!&|^~?:,A-Za-z_#]/.test(c)) {
        named ||= /[A-Za-z_]/.test(c);
        this.at += 1;
      } else this.fail("it has arithmetic that is not understood");
    }
  }

  private parameter(quoted: boolean): Part {
    this.at += 2;
    const counted = this.match(/#(?=[A-Za-z_@*])/y);
    if (counted !== undefined) this.at += 1;
    const name = this.match(nameAt) ?? this.match(/[0-9]+|[@*#?$!-]/y);
    if (name === undefined) this.fail("it has an expansion that is not understood");
    this.at += name.length;
    if (this.peek("}")) {
      this.at += 1;
      return { kind: "variable", name, quoted, ...(counted === undefined ? {} : { operator: "length" }) };
    }
    if (counted !== undefined || !/^[A-Za-z_0-9]/.test(name))
      this.fail("it has an expansion that is not understood");
    const operator = this.match(/:?[-+?=]|##?|%%?|\/[/#%]?|\^\^?|,,?|:[0-9]+(?::[0-9]+)?(?=\})/y);
    if (operator === undefined) this.fail("it has an expansion that is not understood");
    this.at += operator.length;
    return { kind: "variable", name, quoted, operator, parts: this.operand(quoted) };
  }

  private operand(quoted: boolean): Part[] {
    const parts: Part[] = [];
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) this.fail("an expansion is not closed");
      if (c === "}") {
        this.at += 1;
        return joined(parts);
      }
      if (c === "$") parts.push(this.dollar(quoted));
      else if (c === '"' && !quoted) {
        this.at += 1;
        parts.push(...this.double());
      } else if (/["'`\\{\n]/.test(c)) this.fail("it has an expansion that is not understood");
      else parts.push(text(this.take()));
    }
  }

  private backtick(quoted: boolean): Part {
    let inner = "";
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      const c = this.text[at] ?? "";
      if (c === "`") {
        this.at = at + 1;
        return { kind: "command", script: this.nested(inner), quoted };
      }
      const next = this.text[at + 1] ?? "";
      if (c === "\\" && (/[$`\\]/.test(next) || (quoted && next === '"'))) {
        inner += next;
        at += 1;
      } else inner += c;
    }
    return this.fail("a backtick is not closed");
  }

  /** `$'…'`, with its escapes. */
  private ansi(): string {
    this.bashOnly = true;
    this.at += 2;
    let out = "";
    for (;;) {
      const plain = this.match(/[^'\\]+/y) ?? "";
      this.at += plain.length;
      out += plain;
      if (this.peek("'")) {
        this.at += 1;
        return out;
      }
      out += this.ansiEscape();
    }
  }

  private ansiEscape(): string {
    const simple = this.match(/\\[abeEfnrtv\\'"?]/y);
    if (simple !== undefined) {
      this.at += 2;
      return ansiEscapes[simple[1] ?? ""] ?? (simple[1] || "");
    }
    const coded = this.match(/\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{1,4})/y);
    if (coded === undefined) this.fail("it has a quote that is not closed or not understood");
    this.at += coded.length;
    const digits = coded.slice(1).replace(/^[xu]/, "");
    const code = Number.parseInt(digits, /^\\[0-7]/.test(coded) ? 8 : 16);
    if (code === 0 || code > 0x7e) this.fail("it has an escape that is not understood");
    return String.fromCharCode(code);
  }
}

const ansiEscapes: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

function text(value: string): Part {
  return { kind: "text", text: value };
}

/** Neighbouring texts become one, so that spelling does not matter. */
function joined(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind === "text" && last?.kind === "text") out[out.length - 1] = text(last.text + part.text);
    else out.push(part);
  }
  const only = out.filter((part) => part.kind !== "text" || part.text !== "");
  return only.length === 0 ? out.slice(0, 1) : only;
}
