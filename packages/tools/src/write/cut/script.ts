/**
 * JavaScript and TypeScript, with or without JSX.
 *
 * What a newcomer gets wrong: whether `/` begins a regular expression and `<` an
 * element depends on the token before it, so the scan carries along whether a
 * value may begin here. Where it meets what cannot be it has lost its way and
 * says nothing.
 */
import { lineAt } from "./code.js";

interface Frame {
  readonly kind: "(" | "[" | "{" | "`" | "${" | "tag" | "children";
  readonly at: number;
  /** A value may begin behind its end. */
  readonly valueAfter: boolean;
}

const beforeValue = new Set(
  "return typeof case do else in of new delete void throw instanceof yield await default extends".split(" "),
);
const beforeCondition = new Set(["if", "while", "for", "with"]);
const unfinishedWords = new Set(
  "const let var function class extends import export new typeof if else for while switch try catch throw case interface namespace enum abstract".split(
    " ",
  ),
);
const closes: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

export function cutScript(text: string, options: { readonly jsx: boolean }): string | undefined {
  return new ScriptScan(text, options.jsx).result();
}

type Stop = { readonly cut?: string };

class ScriptScan {
  private at = 0;
  private readonly frames: Frame[] = [];
  /** A value may begin here. */
  private value = true;
  /** The last word or sign. */
  private last = "";

  constructor(
    private readonly text: string,
    private readonly jsx: boolean,
  ) {
    if (text.startsWith("#!")) this.at = lineEnd(text, 0);
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  result(): string | undefined {
    while (this.at < this.text.length) {
      const stop = this.step();
      if (stop !== undefined) return stop.cut;
    }
    const frame = this.frames.at(-1);
    if (frame !== undefined) return `${shown[frame.kind]} of line ${lineAt(this.text, frame.at)} is open`;
    const ends = unfinishedWords.has(this.last) || /^(?:[=+*/%&|^?:,.<-]|=>)$/.test(this.last);
    return ends ? `it ends with ${JSON.stringify(this.last)}` : undefined;
  }

  private step(): Stop | undefined {
    const kind = this.frames.at(-1)?.kind;
    if (kind === "`") return this.template();
    if (kind === "children") return this.children();
    if (kind === "tag") return this.tag();
    return this.code();
  }

  // --- Code ----------------------------------------------------------------------------------------

  private code(): Stop | undefined {
    const { text, at } = this;
    const char = text[at] as string;
    if (/\s/.test(char)) {
      this.at++;
      return undefined;
    }
    if (char === "/") return this.slash();
    if (char === '"' || char === "'") return this.quoted(char);
    if (char === "`") return this.open("`", 1);
    if (/[\p{L}\p{N}_$#@\\]/u.test(char) || char > "\u007f") return this.word();
    if (char === "<" && this.jsx && this.value && this.beginsElement()) return this.element();
    if (char === "(") return this.open("(", 1, beforeCondition.has(this.last));
    if (char === "[") return this.open("[", 1);
    if (char === "{")
      return this.open("{", 1, !(this.value && /^(?:[=(,:[?&|!]|return|default)$/.test(this.last)));
    if (char === ")" || char === "]") return this.close(closes[char] as string);
    if (char === "}") return this.closeBrace();
    return this.sign(char);
  }

  private sign(char: string): undefined {
    const two = this.text.slice(this.at, this.at + 2);
    const isStep = two === "++" || two === "--";
    this.at += isStep || two === "=>" ? 2 : 1;
    this.last = isStep || two === "=>" ? two : char;
    // Behind `x++` no value begins, in front of one it does; a sign at the end of a type closes it.
    if (!isStep) this.value = !(char === "." && /\d/.test(this.text[this.at] ?? ""));
    return undefined;
  }

  private word(): undefined {
    const pattern = /(?:[\p{L}\p{N}_$#@\\]|[\u0080-\u{10ffff}])+/uy;
    pattern.lastIndex = this.at;
    const word = pattern.exec(this.text)?.[0] ?? (this.text[this.at] as string);
    const isMember = this.last === ".";
    this.at += word.length;
    this.last = isMember ? "name" : word;
    this.value = !isMember && beforeValue.has(word);
    return undefined;
  }

  private slash(): Stop | undefined {
    const { text, at } = this;
    if (text[at + 1] === "/") {
      this.at = lineEnd(text, at);
      return undefined;
    }
    if (text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      if (end < 0) return { cut: `the comment of line ${lineAt(text, at)} has no end` };
      this.at = end + 2;
      return undefined;
    }
    const end = this.value ? regexEnd(text, at) : undefined;
    if (end === undefined) return this.sign("/");
    this.at = end;
    this.ended("regex");
    return undefined;
  }

  private quoted(quote: string): Stop | undefined {
    const { text, at } = this;
    for (let i = at + 1; i < text.length; i++) {
      const char = text[i];
      if (char === "\\") i += text[i + 1] === "\r" && text[i + 2] === "\n" ? 2 : 1;
      else if (char === quote) {
        this.at = i + 1;
        this.ended("string");
        return undefined;
      } else if (char === "\n") return {};
    }
    return { cut: `the string of line ${lineAt(text, at)} has no end` };
  }

  private ended(what: string): void {
    this.value = false;
    this.last = what;
  }

  private open(kind: Frame["kind"], length: number, valueAfter = false): undefined {
    this.frames.push({ kind, at: this.at, valueAfter });
    this.at += length;
    this.value = true;
    this.last = kind;
    return undefined;
  }

  private close(kind: string): Stop | undefined {
    const frame = this.frames.pop();
    if (frame?.kind !== kind) return {};
    this.at++;
    this.value = frame.valueAfter;
    this.last = "closed";
    return undefined;
  }

  private closeBrace(): Stop | undefined {
    if (this.frames.at(-1)?.kind !== "${") return this.close("{");
    this.frames.pop();
    this.at++;
    return undefined;
  }

  private template(): Stop | undefined {
    const { text } = this;
    for (let i = this.at; i < text.length; i++) {
      if (text[i] === "\\") i++;
      else if (text[i] === "`") {
        this.frames.pop();
        this.at = i + 1;
        this.ended("string");
        return undefined;
      } else if (text[i] === "$" && text[i + 1] === "{") {
        this.at = i;
        return this.open("${", 2);
      }
    }
    this.at = text.length;
    return undefined;
  }

  // --- JSX -----------------------------------------------------------------------------------------

  private beginsElement(): boolean {
    const ahead = this.text.slice(this.at, this.at + 80);
    // `<T,>` and `<T extends X>` are type parameters of an arrow function.
    return /^<(?:[A-Za-z_$]|>)/.test(ahead) && !/^<(?:const\s+)?[\w$]+\s*(?:,|extends\b|=[^"'{])/.test(ahead);
  }

  private element(): undefined {
    if (this.text[this.at + 1] === ">") return this.open("children", 2);
    this.open("tag", 1);
    const name = /[\w$.:-]*/y;
    name.lastIndex = this.at;
    this.at += name.exec(this.text)?.[0].length ?? 0;
    return undefined;
  }

  private tag(): Stop | undefined {
    const { text } = this;
    const char = text[this.at] as string;
    if (char === '"' || char === "'") {
      const end = text.indexOf(char, this.at + 1);
      if (end < 0) return { cut: `the string of line ${lineAt(text, this.at)} has no end` };
      this.at = end + 1;
    } else if (char === "{") return this.open("{", 1);
    else if (char === "/" && (text[this.at + 1] === "/" || text[this.at + 1] === "*")) return this.slash();
    else if (char === "/" && text[this.at + 1] === ">") return this.endElement(2);
    else if (char === ">") {
      const frame = this.frames.pop() as Frame;
      this.frames.push({ ...frame, kind: "children" });
      this.at++;
    } else if (/[\w$.:=\s-]/.test(char) || char > "\u007f") this.at++;
    else if (char !== "/" || this.at + 1 < text.length) return {};
    else this.at++;
    return undefined;
  }

  private children(): Stop | undefined {
    const { text } = this;
    const next = /[<{]/g;
    next.lastIndex = this.at;
    const found = next.exec(text);
    if (found === null) {
      this.at = text.length;
      return undefined;
    }
    this.at = found.index;
    if (found[0] === "{") return this.open("{", 1);
    if (text[this.at + 1] !== "/") return this.element();
    const end = text.indexOf(">", this.at);
    if (end < 0) return { cut: `the end tag of line ${lineAt(text, this.at)} has no end` };
    return this.endElement(end + 1 - this.at);
  }

  private endElement(length: number): undefined {
    this.frames.pop();
    this.at += length;
    this.ended("element");
    return undefined;
  }
}

const shown: Readonly<Record<Frame["kind"], string>> = {
  "(": "(",
  "[": "[",
  "{": "{",
  "`": "the template",
  "${": "${",
  tag: "the tag",
  children: "the element",
};

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Behind the regular expression that begins here; undefined when its line ends first, so that it is none. */
function regexEnd(text: string, at: number): number | undefined {
  let inClass = false;
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i] as string;
    if (char === "\n") return undefined;
    if (char === "\\") i++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) {
      const flags = /[a-z]*/y;
      flags.lastIndex = i + 1;
      return i + 1 + (flags.exec(text)?.[0].length ?? 0);
    }
  }
  return undefined;
}
