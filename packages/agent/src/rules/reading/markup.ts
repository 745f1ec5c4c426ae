/**
 * Which tags of a page are open at its end.
 *
 * What a newcomer gets wrong: in HTML many elements need no end tag, and what
 * stands in a script is no markup; in XML every element needs its end, and case
 * counts. Text that no reader could judge (a template that opens one element in
 * either of two branches) leaves nothing open here.
 */

export type MarkupKind = "html" | "xml";

const voids = setOf(
  "area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen",
);
/** Their end tag may be left out. */
const optional = setOf(
  "html head body p li dt dd rt rp rb rtc option optgroup thead tbody tfoot tr td th colgroup caption",
);
/** What stands in them is text up to their end tag. */
const raw = setOf("script style textarea title xmp iframe noembed noframes");
const branches =
  /\{%-?\s*(?:else|elif|elsif)\b|\{\{\s*(?:else|\^)|<%-?\s*\}?\s*else\b|<\?(?:php)?\s*\}?\s*else\b/i;

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

/** The names of what is open, outermost first; `<!--` and the like for what is no element. */
export function openTags(text: string, kind: MarkupKind): string[] {
  if (kind === "html" && branches.test(text)) return [];
  const page = new Page(text, kind);
  page.read();
  return page.open();
}

/** Which reading a path calls for. */
export function markupKind(extension: string): MarkupKind | undefined {
  if (extension === "html" || extension === "htm") return "html";
  return extension === "xml" || extension === "svg" ? "xml" : undefined;
}

class Page {
  private at = 0;
  private readonly stack: string[] = [];
  /** Passed over by the end of an element around them; their own end may still come. */
  private readonly passed: string[] = [];
  /** How many of each name have no end yet, so that an end without a beginning costs nothing. */
  private readonly begun = new Map<string, number>();
  /** What the text broke off in. */
  private broken: string | undefined;
  private readonly selfClosing: boolean;

  constructor(
    private readonly text: string,
    private readonly kind: MarkupKind,
  ) {
    this.selfClosing = kind === "xml" || /^\s*<\?xml|<!doctype[^>]*xhtml/i.test(text);
  }

  open(): string[] {
    const needed = [...this.stack, ...this.passed].filter(
      (name) => this.kind === "xml" || !optional.has(name),
    );
    return this.broken === undefined ? needed : [...needed, this.broken];
  }

  read(): void {
    const { text } = this;
    while (this.broken === undefined) {
      const next = this.nextMark();
      if (next === -1) return;
      this.at = next;
      if (text.startsWith("{", next)) this.skip("{", text[next + 1] === "%" ? "%}" : "}}", 2);
      else if (text.startsWith("<!--", next)) this.comment();
      else if (text.startsWith("<![CDATA[", next)) this.cdata();
      else if (/^<!doctype/i.test(text.slice(next, next + 9))) this.doctype();
      else if (text.startsWith("<!", next)) this.skip("<!", ">", 2);
      else if (text.startsWith("<?", next))
        this.skip(
          "<?",
          this.kind === "xml" || /^<\?(?:php|=)/i.test(text.slice(next, next + 5)) ? "?>" : ">",
          2,
        );
      else if (text.startsWith("<%", next)) this.skip("<%", "%>", 2);
      else if (text.startsWith("</", next)) this.endTag();
      else this.startTag();
    }
  }

  /** The next place where something other than text begins. */
  private nextMark(): number {
    const marks =
      this.kind === "html" ? /<(?:[a-z]|\/[a-z]|!|\?|%)|\{[{%]/gi : /<(?:[\p{L}_:]|\/[\p{L}_:]|!|\?)/gu;
    marks.lastIndex = this.at;
    return marks.exec(this.text)?.index ?? -1;
  }

  private skip(mark: string, until: string, from: number): void {
    const end = this.text.indexOf(until, this.at + from);
    if (end !== -1) this.at = end + until.length;
    else if (mark === "{") this.at += from;
    else this.broken = mark;
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
    if (end === null) this.broken = "<!--";
    else this.at = end.index + end[0].length;
  }

  private cdata(): void {
    const end = this.text.indexOf("]]>", this.at);
    if (end !== -1) this.at = end + 3;
    else this.broken = "<![CDATA[";
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
    this.broken = "<!DOCTYPE";
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
      this.broken = `</${name}`;
      return;
    }
    this.at = end + 1;
    const left = this.begun.get(name) ?? 0;
    if (left === 0) return;
    this.begun.set(name, left - 1);
    const place = this.stack.lastIndexOf(name);
    if (place !== -1) {
      for (const inner of this.stack.splice(place).slice(1)) this.passed.push(inner);
      return;
    }
    const late = this.passed.lastIndexOf(name);
    if (late !== -1) this.passed.splice(late, 1);
  }

  private startTag(): void {
    const name = this.nameAt(this.at + 1);
    const tag = this.tagEnd(this.at + 1 + name.length);
    if (tag === undefined) {
      this.broken = `<${name}`;
      return;
    }
    this.at = tag.end;
    const rawText = this.kind === "html" ? raw.has(name) : /^(?:script|style)$/.test(name);
    if (this.kind === "html" && voids.has(name)) return;
    if (tag.closed && (this.selfClosing || !rawText)) return;
    if (rawText) this.rawText(name);
    else {
      this.stack.push(name);
      this.begun.set(name, (this.begun.get(name) ?? 0) + 1);
    }
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

  private rawText(name: string): void {
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
    this.broken = name;
  }
}
