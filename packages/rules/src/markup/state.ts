/**
 * Is a page, a drawing or an XML document closed, and if not, what stays open?
 *
 * What a newcomer gets wrong: there are two questions. Whoever may refuse a text
 * for good (`leftOpen`) says nothing where the end tags do not fit the start tags;
 * whoever looks for sloppy work (`openTags`) also names an element that the end of
 * the one around it passed over.
 */
import { type MarkupKind, Page } from "./page.js";

export type { MarkupKind } from "./page.js";

export interface OpenElement {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

export interface MarkupState {
  /** Elements that still need an end tag, outermost first. */
  readonly open: readonly OpenElement[];
  /** Elements that an end tag around them passed over. */
  readonly passed: readonly OpenElement[];
  /** What the text ends within, in words and as it begins, where it does not end between tags. */
  readonly inside?: OpenElement & { readonly mark: string };
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

/** Undefined for files that are no markup. */
export function markupKindOf(path: string): MarkupKind | undefined {
  const extension = /\.(html?|xhtml|xml|svg)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : kinds[extension];
}

export function markupState(text: string, kind: MarkupKind): MarkupState {
  return new Page(text, kind).state();
}

/** What stays open, in words; undefined when nothing does, or when nothing can be said. */
export function leftOpen(state: MarkupState): string | undefined {
  if (state.confused) return undefined;
  const named = state.open.map(({ name, line }) => `<${name}> (line ${line})`);
  if (state.inside !== undefined) named.push(`${state.inside.name} (line ${state.inside.line})`);
  if (named.length === 0) return undefined;
  return named.length > 6 ? `${named.slice(-6).join(", ")} and ${named.length - 6} more` : named.join(", ");
}

/** The names of what is open, outermost first; `<!--` and the like for what is no element. */
export function openTags(text: string, kind: MarkupKind): string[] {
  const { open, passed, inside, confused } = markupState(text, kind);
  // Of XML that does not fit, what is open is the mistake; of a page it is a template with branches.
  if (confused && kind === "html") return [];
  const names = [...open, ...passed].map(({ name }) => name);
  return inside === undefined ? names : [...names, inside.mark];
}
