/**
 * Is a page, a drawing or an XML document closed, and if not, what stays open?
 *
 * What a newcomer gets wrong: this is no parser. In HTML many elements need no end
 * tag and what stands in a script is text; in XML every element needs its end. Where
 * the end tags do not fit the start tags, or a template has branches, it is `confused`
 * and nothing is said.
 */
export type MarkupKind = "html" | "xml";

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
  readonly confused: boolean;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));
/** They have no end tag. */
const voids = names("area base br col embed hr img input link meta param source track wbr");
/** Their end tag may be left out. */
const optional = names(
  "html head body p li dt dd rt rp option optgroup thead tbody tfoot tr td th colgroup caption",
);
/** What stands in them is text up to their end tag. */
const raw = names("script style textarea title iframe noframes");
/** A template may open one element in either of two branches. */
const branches =
  /\{%-?\s*(?:else|elif|elsif)\b|\{\{\s*(?:else|\^)|<%-?\s*\}?\s*else\b|<\?(?:php)?\s*\}?\s*else\b/i;
/** What is passed over as a whole: how it begins, how it ends, and what it is called when it does not. */
const whole: readonly (readonly [begin: string, end: string, name: string])[] = [
  ["<!--", "-->", "a comment"],
  ["<![CDATA[", "]]>", "CDATA"],
  ["<?", "?>", "<?"],
  ["<%", "%>", "a template tag"],
  ["{{", "}}", ""],
  ["{%", "%}", ""],
];

/** Undefined for files that are no markup. */
export function markupKindOf(path: string): MarkupKind | undefined {
  const [, extension] = /\.(?:(html?)|xhtml|xml|svg)$/i.exec(path) ?? [];
  if (extension !== undefined) return "html";
  return /\.(?:xhtml|xml|svg)$/i.test(path) ? "xml" : undefined;
}

export function markupState(text: string, kind: MarkupKind): MarkupState {
  const html = kind === "html";
  const marks = html ? /<(?:[a-z]|\/[a-z]|!|\?|%)|\{[{%]/gi : /<(?:[\p{L}_:]|\/[\p{L}_:]|!|\?)/gu;
  const stack: OpenElement[] = [];
  const passed: OpenElement[] = [];
  /** How many of each name have no end yet, so that an end without a beginning costs nothing. */
  const begun = new Map<string, number>();
  const lineOf = lines(text);
  let inside: MarkupState["inside"];
  let [ended, confused] = [false, false];
  const breakOff = (name: string, mark: string, at: number) => {
    inside ??= { name, mark, line: lineOf(at) };
    return text.length;
  };
  const close = (name: string) => {
    if (html ? name === "html" : stack.length === 1) ended = true;
    if (!html && stack.at(-1)?.name !== name) confused = true;
    const left = begun.get(name) ?? 0;
    if (left === 0) return;
    begun.set(name, left - 1);
    const at = stack.findLastIndex((element) => element.name === name);
    if (at >= 0) passed.push(...stack.splice(at).slice(1));
    else
      passed.splice(
        passed.findLastIndex((element) => element.name === name),
        1,
      );
  };
  const open = (name: string, at: number, end: number): number => {
    const isClosed = text[end - 2] === "/";
    if (html && voids.has(name)) return end;
    const isRaw = html ? raw.has(name) && !isClosed : /^(?:script|style)$/.test(name) && !isClosed;
    if (isRaw) {
      const close = new RegExp(`</${name}(?=[\\s/>])[^>]*>`, html ? "gi" : "g");
      close.lastIndex = end;
      return close.exec(text) === null ? breakOff(`<${name}>`, name, at) : close.lastIndex;
    }
    if (isClosed) {
      if (!html && stack.length === 0) ended = true;
      return end;
    }
    stack.push({ name, line: lineOf(at) });
    begun.set(name, (begun.get(name) ?? 0) + 1);
    return end;
  };
  for (let mark = marks.exec(text); mark !== null && inside === undefined; mark = marks.exec(text)) {
    const at = mark.index;
    const block = whole.find(([begin]) => text.startsWith(begin, at));
    if (block !== undefined) {
      const end = text.indexOf(block[1], at + block[0].length);
      // A brace that is not closed is text.
      const missing = () => (block[2] === "" ? at + 2 : breakOff(block[2], block[0], at));
      marks.lastIndex = end === -1 ? missing() : end + block[1].length;
      continue;
    }
    const [, slash = "", given = ""] = /^<(\/?!?)([^\s/>"'=]*)/.exec(text.slice(at, at + 200)) ?? [];
    const name = html ? given.toLowerCase() : given;
    const end = tagEnd(text, at + 1);
    if (end === undefined)
      marks.lastIndex = breakOff(slash === "" ? `the tag <${name}` : "a tag", `<${slash}${name}`, at);
    else if (slash === "/") {
      close(name);
      marks.lastIndex = end;
    } else marks.lastIndex = slash === "" ? open(name, at, end) : end;
  }
  const cut = inside === undefined ? /<\/?$/.exec(text.slice(-2)) : null;
  if (cut !== null) breakOff("a tag", cut[0], text.length - 1);
  const needed = ({ name }: OpenElement) => !html || !optional.has(name);
  return {
    open: stack.filter(needed),
    passed: passed.filter(needed),
    ended: ended && !confused,
    confused: confused || (html && branches.test(text)),
    ...(inside === undefined ? {} : { inside }),
  };
}

/** Behind the `>` that ends a tag or a declaration; quoted values and brackets may hold others. */
function tagEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if ((char === '"' || char === "'") && (/[=\s[]/.test(text[at - 1] ?? "") || depth > 0)) {
      const end = text.indexOf(char, at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (char === "[") depth += 1;
    else if (char === "]") depth -= 1;
    else if (char === ">" && (depth <= 0 || text[from] !== "!")) return at + 1;
  }
  return undefined;
}

/** Asked for places in their order only. */
function lines(text: string): (at: number) => number {
  let [line, counted] = [1, 0];
  return (at) => {
    for (
      let next = text.indexOf("\n", counted);
      next !== -1 && next < at;
      next = text.indexOf("\n", counted)
    ) {
      line += 1;
      counted = next + 1;
    }
    return line;
  };
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
  const named = [...open, ...passed].map(({ name }) => name);
  return inside === undefined ? named : [...named, inside.mark];
}
