/**
 * Is a page, a drawing or an XML document closed, and if not, what stays open?
 *
 * What a newcomer gets wrong: in HTML most missing end tags are no mistake. Void
 * elements have none, those of lists, paragraphs, tables and of the document
 * itself may be left out, and whatever stands in a script, a comment or CDATA is
 * no tag. Only what a browser would have to repair counts as open.
 */
import { extensionOf } from "./extension.js";

export type MarkupKind = "html" | "xml";

export interface OpenElement {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

export interface MarkupState {
  /** Elements that still need an end tag, outermost first. */
  readonly open: readonly OpenElement[];
  /** What the text ends within, where it does not end between tags. */
  readonly inside?: OpenElement;
  /** The document has its end: `</html>`, or the end tag of the root. */
  readonly ended: boolean;
  /** The end tags do not fit the start tags, so nothing can be said. */
  readonly confused: boolean;
}

const kinds: Readonly<Record<string, MarkupKind>> = {
  html: "html",
  htm: "html",
  xhtml: "xml",
  xml: "xml",
  svg: "xml",
};

const words = (text: string) => new Set(text.split(" "));
const voids = words(
  "area base br col embed hr img input link meta param source track wbr command keygen frame",
);
const optional = words(
  "html head body li dt dd p rt rp rb rtc optgroup option colgroup caption thead tbody tfoot tr td th",
);
const rawTexts = words("script style textarea title xmp iframe noembed noframes plaintext");

/** Undefined for files that are no markup. */
export function markupKindOf(path: string): MarkupKind | undefined {
  return kinds[extensionOf(path)];
}

export function markupState(text: string, kind: MarkupKind): MarkupState {
  return new MarkupScan(text, kind).state();
}

/** What stays open, in words; undefined when nothing does, or when nothing can be said. */
export function leftOpen(state: MarkupState): string | undefined {
  if (state.confused) return undefined;
  const named = state.open.map(({ name, line }) => `<${name}> (line ${line})`);
  if (state.inside !== undefined) named.push(`${state.inside.name} (line ${state.inside.line})`);
  if (named.length === 0) return undefined;
  return named.length > 6 ? `${named.slice(-6).join(", ")} and ${named.length - 6} more` : named.join(", ");
}

class MarkupScan {
  private readonly stack: { readonly name: string; readonly at: number }[] = [];
  private inside: { readonly name: string; readonly at: number } | undefined;
  private ended = false;
  private confused = false;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly kind: MarkupKind,
  ) {}

  state(): MarkupState {
    while (this.inside === undefined && !this.confused) {
      const next = this.text.indexOf("<", this.at);
      if (next < 0) break;
      this.at = next;
      this.markup();
    }
    const place = ({ name, at }: { readonly name: string; readonly at: number }): OpenElement => ({
      name,
      line: this.text.slice(0, at).split("\n").length,
    });
    const open = this.stack.filter(({ name }) => this.kind === "xml" || !optional.has(name)).map(place);
    return {
      open,
      ended: this.ended,
      confused: this.confused,
      ...(this.inside === undefined ? {} : { inside: place(this.inside) }),
    };
  }

  private markup(): void {
    const { text, at } = this;
    if (text.startsWith("<!--", at)) this.skipTo("-->", "a comment", 4);
    else if (text.startsWith("<![CDATA[", at)) this.skipTo("]]>", "CDATA", 9);
    else if (text.startsWith("<%", at)) this.skipTo("%>", "a template tag", 2);
    else if (text.startsWith("<?", at))
      this.skipTo(this.kind === "xml" || text.includes("?>", at) ? "?>" : ">", "<?", 2);
    else if (text.startsWith("<!", at)) this.declaration();
    else if (/^<\/[A-Za-z_:]/.test(text.slice(at, at + 3))) this.endTag();
    else if (/^<[\p{L}_:]/u.test(text.slice(at, at + 2))) this.startTag();
    else if (at + 1 === text.length || text.slice(at) === "</") this.inside = { name: "a tag", at };
    else this.at++;
  }

  private skipTo(end: string, name: string, from: number): void {
    const found = this.text.indexOf(end, this.at + from);
    if (found < 0) this.inside = { name, at: this.at };
    else this.at = found + end.length;
  }

  /** `<!DOCTYPE …>`, in XML with declarations of its own in brackets. */
  private declaration(): void {
    const close = this.text.indexOf(">", this.at);
    const bracket = this.text.indexOf("[", this.at);
    if (bracket >= 0 && bracket < close && this.kind === "xml") {
      const end = /\]\s*>/g;
      end.lastIndex = bracket;
      const found = end.exec(this.text);
      if (found === null) this.inside = { name: "a declaration", at: this.at };
      else this.at = end.lastIndex;
    } else this.skipTo(">", "a declaration", 2);
  }

  private endTag(): void {
    const close = this.text.indexOf(">", this.at);
    if (close < 0) {
      this.inside = { name: "a tag", at: this.at };
      return;
    }
    const name = this.named(this.text.slice(this.at + 2, close).trim());
    this.at = close + 1;
    if (this.kind === "html" && name === "html") this.ended = true;
    const index = this.stack.findLastIndex((element) => element.name === name);
    if (this.kind === "html") {
      if (index >= 0) this.stack.length = index;
      return;
    }
    if (index < 0 || index !== this.stack.length - 1) this.confused = true;
    else this.stack.length = index;
    if (this.stack.length === 0) this.ended = true;
  }

  private startTag(): void {
    const start = this.at;
    const name = this.named(/^[^\s/>]+/.exec(this.text.slice(start + 1, start + 200))?.[0] ?? "");
    const close = this.tagClose(start + 1 + name.length);
    if (close < 0) {
      this.inside = { name: `the tag <${name}`, at: start };
      return;
    }
    this.at = close + 1;
    if (this.text[close - 1] === "/") {
      if (this.kind === "xml" && this.stack.length === 0) this.ended = true;
      return;
    }
    if (this.kind === "html" && voids.has(name)) return;
    if (this.kind === "html" && rawTexts.has(name)) this.rawText(name, start);
    else this.stack.push({ name, at: start });
  }

  /** Up to its own end tag nothing in it is markup. */
  private rawText(name: string, start: number): void {
    const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
    end.lastIndex = this.at;
    const found = end.exec(this.text);
    const close = found === null ? -1 : this.text.indexOf(">", found.index);
    if (close < 0) this.inside = { name: `<${name}>`, at: start };
    else this.at = close + 1;
  }

  /** Where the tag ends; a `>` in a quoted value is none. */
  private tagClose(from: number): number {
    for (let i = from; i < this.text.length; i++) {
      const char = this.text[i];
      if (char === ">") return i;
      if (char !== "=") continue;
      while (/\s/.test(this.text[i + 1] ?? "")) i++;
      const quote = this.text[i + 1];
      if (quote !== '"' && quote !== "'") continue;
      i = this.text.indexOf(quote, i + 2);
      if (i < 0) return -1;
    }
    return -1;
  }

  private named(name: string): string {
    return this.kind === "html" ? name.toLowerCase() : name;
  }
}
