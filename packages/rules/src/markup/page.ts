/**
 * A page read from its beginning to its end, for what is open there.
 *
 * What a newcomer gets wrong: in HTML many elements need no end tag, and what
 * stands in a script is no markup; in XML every element needs its end, and case
 * counts. What a template puts in between is passed over.
 */
import { optional, raw, voids } from "./elements.js";
import type { MarkupState, OpenElement } from "./state.js";

export type MarkupKind = "html" | "xml";

/** A template may open one element in either of two branches; no reader could judge that. */
const branches =
  /\{%-?\s*(?:else|elif|elsif)\b|\{\{\s*(?:else|\^)|<%-?\s*\}?\s*else\b|<\?(?:php)?\s*\}?\s*else\b/i;

export class Page {
  private at = 0;
  private readonly stack: OpenElement[] = [];
  /** Passed over by the end of an element around them; their own end may still come. */
  private readonly passed: OpenElement[] = [];
  /** How many of each name have no end yet, so that an end without a beginning costs nothing. */
  private readonly begun = new Map<string, number>();
  /** What the text broke off in. */
  private inside: MarkupState["inside"];
  private ended = false;
  private confused = false;
  private line = 1;
  private counted = 0;
  private readonly selfClosing: boolean;

  constructor(
    private readonly text: string,
    private readonly kind: MarkupKind,
  ) {
    this.selfClosing = kind === "xml" || /^\s*<\?xml|<!doctype[^>]*xhtml/i.test(text);
  }

  state(): MarkupState {
    this.read();
    const needed = ({ name }: OpenElement) => this.kind === "xml" || !optional.has(name);
    return {
      open: this.stack.filter(needed),
      passed: this.passed.filter(needed),
      ended: this.ended && !this.confused,
      confused: this.confused || (this.kind === "html" && branches.test(this.text)),
      ...(this.inside === undefined ? {} : { inside: this.inside }),
    };
  }

  private read(): void {
    const { text } = this;
    while (this.inside === undefined) {
      const next = this.nextMark();
      if (next === -1) {
        const [begun] = /<\/?$/.exec(text.slice(Math.max(this.at, text.length - 2))) ?? [];
        if (begun !== undefined) this.breakOff("a tag", begun, text.length - begun.length);
        return;
      }
      this.at = next;
      if (text.startsWith("{", next)) this.template();
      else if (text.startsWith("<!--", next)) this.comment();
      else if (text.startsWith("<![CDATA[", next)) this.skip("]]>", 9, "CDATA", "<![CDATA[");
      else if (/^<!doctype/i.test(text.slice(next, next + 9))) this.doctype();
      else if (text.startsWith("<!", next)) this.skip(">", 2, "a declaration", "<!");
      else if (text.startsWith("<?", next)) this.instruction();
      else if (text.startsWith("<%", next)) this.skip("%>", 2, "a template tag", "<%");
      else if (text.startsWith("</", next)) this.endTag();
      else this.startTag();
    }
  }

  private breakOff(name: string, mark: string, at = this.at): void {
    this.inside = { name, mark, line: this.lineOf(at) };
  }

  /** Asked for places in their order only. */
  private lineOf(at: number): number {
    for (;;) {
      const newline = this.text.indexOf("\n", this.counted);
      if (newline < 0 || newline >= at) return this.line;
      this.line += 1;
      this.counted = newline + 1;
    }
  }

  /** The next place where something other than text begins. */
  private nextMark(): number {
    const marks =
      this.kind === "html" ? /<(?:[a-z]|\/[a-z]|!|\?|%)|\{[{%]/gi : /<(?:[\p{L}_:]|\/[\p{L}_:]|!|\?|%)/gu;
    marks.lastIndex = this.at;
    return marks.exec(this.text)?.index ?? -1;
  }

  private skip(until: string, from: number, name: string, mark: string): void {
    const end = this.text.indexOf(until, this.at + from);
    if (end === -1) this.breakOff(name, mark);
    else this.at = end + until.length;
  }

  /** A brace that is not closed is text. */
  private template(): void {
    const until = this.text[this.at + 1] === "%" ? "%}" : "}}";
    const end = this.text.indexOf(until, this.at + 2);
    this.at = end === -1 ? this.at + 2 : end + 2;
  }

  private instruction(): void {
    const isWhole = this.kind === "xml" || this.text.includes("?>", this.at);
    this.skip(isWhole ? "?>" : ">", 2, "<?", "<?");
  }

  private comment(): void {
    const { text, at } = this;
    const short = this.kind === "html" ? /^<!---?>/.exec(text.slice(at, at + 6)) : null;
    if (short !== null) {
      this.at = at + short[0].length;
      return;
    }
    const ends = this.kind === "html" ? /--!?>/g : /-->/g;
    ends.lastIndex = at + 4;
    const end = ends.exec(text);
    if (end === null) this.breakOff("a comment", "<!--");
    else this.at = end.index + end[0].length;
  }

  /** With what it may hold in brackets, where `>` means nothing. */
  private doctype(): void {
    const { text } = this;
    let depth = 0;
    for (let at = this.at + 2; at < text.length; at++) {
      const char = text[at]!;
      if (char === '"' || char === "'") {
        const end = text.indexOf(char, at + 1);
        if (end === -1) break;
        at = end;
      } else if (depth > 0 && text.startsWith("<!--", at)) {
        const end = text.indexOf("-->", at + 4);
        if (end === -1) break;
        at = end + 2;
      } else if (depth > 0 && text.startsWith("<?", at)) {
        const end = text.indexOf("?>", at + 2);
        if (end === -1) break;
        at = end + 1;
      } else if (char === "[") depth++;
      else if (char === "]") depth--;
      else if (char === ">" && depth <= 0) {
        this.at = at + 1;
        return;
      }
    }
    this.breakOff("a declaration", "<!DOCTYPE");
  }

  private nameAt(from: number): string {
    const names = this.kind === "html" ? /[^\s/>]*/y : /[^\s/><="']*/y;
    names.lastIndex = from;
    const name = names.exec(this.text)?.[0] ?? "";
    return this.kind === "html" ? name.toLowerCase() : name;
  }

  private endTag(): void {
    const name = this.nameAt(this.at + 2);
    const end = this.text.indexOf(">", this.at);
    if (end === -1) {
      this.breakOff("a tag", `</${name}`);
      return;
    }
    this.at = end + 1;
    if (this.kind === "html" && name === "html") this.ended = true;
    if (this.kind === "xml" && this.stack.at(-1)?.name !== name) this.confused = true;
    const left = this.begun.get(name) ?? 0;
    if (left === 0) return;
    this.begun.set(name, left - 1);
    const place = this.stack.findLastIndex((element) => element.name === name);
    if (place !== -1) {
      for (const inner of this.stack.splice(place).slice(1)) this.passed.push(inner);
      if (this.kind === "xml" && this.stack.length === 0) this.ended = true;
      return;
    }
    const late = this.passed.findLastIndex((element) => element.name === name);
    if (late !== -1) this.passed.splice(late, 1);
  }

  private startTag(): void {
    const name = this.nameAt(this.at + 1);
    const tag = this.tagEnd(this.at + 1 + name.length);
    if (tag === undefined) {
      this.breakOff(`the tag <${name}`, `<${name}`);
      return;
    }
    const line = this.lineOf(this.at);
    this.at = tag.end;
    const rawText = this.kind === "html" ? raw.has(name) : /^(?:script|style)$/.test(name);
    if (this.kind === "html" && voids.has(name)) return;
    if (tag.closed && (this.selfClosing || !rawText || this.isInDrawing())) {
      if (this.kind === "xml" && this.stack.length === 0) this.ended = true;
      return;
    }
    if (rawText) this.rawText({ name, line });
    else {
      this.stack.push({ name, line });
      this.begun.set(name, (this.begun.get(name) ?? 0) + 1);
    }
  }

  /** There a slash closes a script as well. */
  private isInDrawing(): boolean {
    return (this.begun.get("svg") ?? 0) > 0 || (this.begun.get("math") ?? 0) > 0;
  }

  private tagEnd(from: number): { readonly end: number; readonly closed: boolean } | undefined {
    const { text } = this;
    let at = from;
    while (at < text.length) {
      const char = text[at]!;
      if (char === ">") return { end: at + 1, closed: text[at - 1] === "/" };
      if (char !== "=") {
        at++;
        continue;
      }
      at++;
      while (at < text.length && /\s/.test(text[at]!)) at++;
      const quote = text[at];
      if (quote === '"' || quote === "'") {
        const end = text.indexOf(quote, at + 1);
        if (end === -1) return undefined;
        at = end + 1;
        if (text[at] === ">") return { end: at + 1, closed: false };
      } else {
        while (at < text.length && !/[\s>]/.test(text[at]!)) at++;
        if (text[at] === ">") return { end: at + 1, closed: this.selfClosing && text[at - 1] === "/" };
      }
    }
    return undefined;
  }

  private rawText({ name, line }: OpenElement): void {
    const marks = new RegExp(`</${name}(?=[\\s/>])|<!\\[CDATA\\[`, this.kind === "html" ? "gi" : "g");
    marks.lastIndex = this.at;
    for (let mark = marks.exec(this.text); mark !== null; mark = marks.exec(this.text)) {
      if (mark[0] === "<![CDATA[") {
        const end = this.kind === "xml" ? this.text.indexOf("]]>", mark.index) : mark.index;
        if (end === -1) break;
        marks.lastIndex = Math.max(end, mark.index + 9);
        continue;
      }
      const end = this.text.indexOf(">", mark.index);
      if (end === -1) break;
      this.at = end + 1;
      return;
    }
    this.inside = { name: `<${name}>`, mark: name, line };
  }
}
