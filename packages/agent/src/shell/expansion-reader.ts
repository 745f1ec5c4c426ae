/**
 * What bash puts in place of something: `$…`, backquotes, arithmetic, and the
 * double quotes and here-documents in which it does so.
 *
 * What a newcomer gets wrong: the reader may refuse, but may never take an
 * expansion for plain text. That would let a command look harmless that is not.
 */
import { Cursor, shellLimits } from "./cursor.js";
import type { Arithmetic, Part, Script } from "./syntax.js";

const nameStart = /[A-Za-z_]/;
const nameAt = /[A-Za-z_][A-Za-z0-9_]*/y;
const notUnderstood = "it has an expansion that is not understood";

export abstract class ExpansionReader extends Cursor {
  /** Expansions within expansions. */
  private level = 0;

  /** Commands up to the closing parenthesis, which is consumed. */
  protected abstract substituted(): Script;
  /** Commands of a text of their own. */
  protected abstract nested(text: string): Script;

  /** Up to the closing quote; with `whole` up to the end of the text, as in a here-document. */
  protected double(whole = false): Part[] {
    const parts: Part[] = [textPart("")];
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) {
        if (!whole) this.doubt("a quote is not closed");
        return parts;
      }
      if (c === '"' && !whole) {
        this.at += 1;
        return parts;
      }
      if (c === "\\") parts.push(textPart(this.escapedWithin(whole)));
      else if (c === "$") parts.push(this.dollar(true));
      else if (c === "`") parts.push(this.backtick(true));
      else {
        const run = this.match(/[^"\\$`]+/y) ?? c;
        this.at += run.length;
        parts.push(textPart(run));
      }
    }
  }

  private escapedWithin(whole: boolean): string {
    const next = this.text[this.at + 1];
    if (next === undefined) this.doubt("it ends with a backslash");
    if (next === "\n") {
      this.doubt("a quoted text is continued on the next line");
      this.at += 2;
      return "";
    }
    const special = next === "$" || next === "`" || next === "\\" || (next === '"' && !whole);
    this.at += special ? 2 : 1;
    return special ? next : "\\";
  }

  protected dollar(quoted: boolean): Part {
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
    if (next === "[") this.doubt("it has arithmetic in the old form");
    if (next === "\\" && this.text[this.at + 2] === "\n")
      this.doubt("an expansion is continued on the next line");
    if (!quoted && next === '"') {
      this.doubt("it has a text to translate");
      this.at += 1;
      return textPart("");
    }
    if (!quoted && next === "'") return textPart(this.ansi());
    this.at += 1;
    if (/[0-9@*#?$!-]/.test(next)) {
      this.at += 1;
      return { kind: "variable", name: next, quoted };
    }
    const name = nameStart.test(next) ? this.match(nameAt) : undefined;
    if (name === undefined) return textPart("$");
    this.at += name.length;
    if (this.peek("\\\n")) this.doubt("an expansion is continued on the next line");
    return { kind: "variable", name, quoted };
  }

  private commandPart(quoted: boolean): Part {
    this.at += 2;
    return { kind: "command", script: this.substituted(), quoted };
  }

  protected backtick(quoted: boolean): Part {
    let inner = "";
    let at = this.at + 1;
    for (; at < this.text.length && this.text[at] !== "`"; at += 1) {
      const c = this.text[at] ?? "";
      const next = this.text[at + 1] ?? "";
      if (c === "\\" && (/[$`\\]/.test(next) || (quoted && next === '"'))) {
        inner += next;
        at += 1;
      } else inner += c;
    }
    if (at >= this.text.length) this.doubt("a backtick is not closed");
    this.at = at + 1;
    return { kind: "command", script: this.nested(inner), quoted };
  }

  // --- Arithmetic ----------------------------------------------------------------------------------

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
      if (c === undefined) {
        this.doubt("arithmetic is not closed");
        return { named, parts };
      }
      if (open === 0 && this.peek(end)) {
        this.at += end.length;
        return { named, parts };
      }
      if (c === "$") parts.push(this.dollar(true));
      else if (c === "(" || c === ")") {
        open += c === "(" ? 1 : -1;
        this.at += 1;
        if (open >= 0) continue;
        this.doubt("parentheses do not match");
        return { named, parts };
      } else {
        if (!/[\s0-9+\-*/%<>=!&|^~?:,A-Za-z_#]/.test(c))
          this.doubt("it has arithmetic that is not understood");
        named ||= /[A-Za-z_]/.test(c);
        this.at += 1;
      }
    }
  }

  // --- `${…}` --------------------------------------------------------------------------------------

  private parameter(quoted: boolean): Part {
    this.at += 2;
    const counted = this.match(/#(?=[A-Za-z_@*])/y);
    if (counted !== undefined) this.at += 1;
    const name = this.match(nameAt) ?? this.match(/[0-9]+|[@*#?$!-]/y);
    if (name === undefined) return this.unclear("", quoted);
    this.at += name.length;
    if (this.peek("}")) {
      this.at += 1;
      return { kind: "variable", name, quoted, ...(counted === undefined ? {} : { operator: "length" }) };
    }
    if (counted !== undefined || !/^[A-Za-z_0-9]/.test(name)) return this.unclear(name, quoted);
    const operator = this.match(/:?[-+?=]|##?|%%?|\/[/#%]?|\^\^?|,,?|:[0-9]+(?::[0-9]+)?(?=\})/y);
    if (operator === undefined) return this.unclear(name, quoted);
    this.at += operator.length;
    return { kind: "variable", name, quoted, operator, parts: this.operand(quoted) };
  }

  /** Up to the brace that closes it; what stands there is its operator. */
  private unclear(name: string, quoted: boolean): Part {
    this.doubt(notUnderstood);
    const start = this.at;
    for (let open = 1; this.at < this.text.length; this.at += 1) {
      if (this.text[this.at] === "{") open += 1;
      else if (this.text[this.at] === "}" && --open === 0) break;
    }
    const operator = this.text.slice(start, this.at);
    this.at += 1;
    return { kind: "variable", name, quoted, operator };
  }

  private operand(quoted: boolean): Part[] {
    const parts: Part[] = [];
    for (;;) {
      const c = this.text[this.at];
      if (c === undefined) {
        this.doubt("an expansion is not closed");
        return joinedParts(parts);
      }
      if (c === "}") {
        this.at += 1;
        return joinedParts(parts);
      }
      if (c === "$") parts.push(this.dollar(quoted));
      else if (c === '"' && !quoted) {
        this.at += 1;
        parts.push(...this.double());
      } else {
        if (/["'`\\{\n]/.test(c)) this.doubt(notUnderstood);
        parts.push(textPart(this.take()));
      }
    }
  }

  // --- `$'…'` --------------------------------------------------------------------------------------

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
      if (this.at >= this.text.length) {
        this.doubt("it has a quote that is not closed or not understood");
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
    if (coded === undefined) {
      this.doubt("it has a quote that is not closed or not understood");
      return this.take();
    }
    this.at += coded.length;
    const digits = coded.slice(1).replace(/^[xu]/, "");
    const code = Number.parseInt(digits, /^\\[0-7]/.test(coded) ? 8 : 16);
    if (code === 0 || code > 0x7e) this.doubt("it has an escape that is not understood");
    return String.fromCharCode(code);
  }
}

const ansiEscapes: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

export function textPart(value: string): Part {
  return { kind: "text", text: value };
}

/** Neighbouring texts become one, so that spelling does not matter. */
export function joinedParts(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind === "text" && last?.kind === "text") out[out.length - 1] = textPart(last.text + part.text);
    else out.push(part);
  }
  const only = out.filter((part) => part.kind !== "text" || part.text !== "");
  return only.length === 0 ? out.slice(0, 1) : only;
}
