/** What the general scan has to know about each language that it can read. */
import { type Language, type StringKind, scanCode } from "./code.js";

const string = (quote: string, options: Partial<StringKind> = {}): StringKind => ({
  ...{ open: quote, close: quote, escapes: true, multiline: false },
  ...options,
});
const slashStar = { open: "/*", close: "*/", nested: false };

const cssLike: Language = {
  lineComments: [],
  blockComments: [slashStar],
  strings: [string('"'), string("'")],
  brackets: "()[]{}",
  special(text, at) {
    // An address without quotes may hold anything but its closing bracket.
    const address = /^url\(\s*(?!["'\s])/i.exec(text.slice(at, at + 12));
    if (address === null) return undefined;
    const end = text.indexOf(")", at);
    return end < 0 ? -1 : end + 1;
  },
  // A file ends behind a block or a statement.
  unfinished: /[:,>+~]$/,
};

/** Behind `'x'`, `'\n'` or `'\u{1F600}'`; undefined for a lifetime or a lone quote. */
function charLiteral(text: string, at: number): number | undefined {
  const found =
    /^'(?:\\(?:u\{[0-9a-fA-F_]*\}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|[0-7]{3}|.)|[^\\'\n])'/u.exec(
      text.slice(at, at + 16),
    );
  return found === null ? undefined : at + found[0].length;
}

function rustSpecial(text: string, at: number): number | undefined {
  const char = text[at];
  // A lifetime, or a quote of a macro: neither opens anything.
  if (char === "'") return charLiteral(text, at) ?? at + 1;
  if (char !== "r" || (/[\w]/.test(text[at - 1] ?? "") && !/[bc]/.test(text[at - 1] ?? ""))) return undefined;
  const raw = /^r(#*)"/.exec(text.slice(at, at + 40));
  if (raw === null) return undefined;
  const close = `"${raw[1]}`;
  const end = text.indexOf(close, at + raw[0].length);
  return end < 0 ? -1 : end + close.length;
}

const lispLike = (special: NonNullable<Language["special"]>): Language => ({
  lineComments: [";"],
  blockComments: [{ open: "#|", close: "|#", nested: true }],
  strings: [string('"', { multiline: true })],
  brackets: "()[]{}",
  special,
});

/** A character by itself, such as `#\(`, that opens and closes nothing. */
const afterMark = (mark: RegExp): NonNullable<Language["special"]> => {
  return (text, at) => {
    const found = mark.exec(text.slice(at, at + 4));
    return found === null ? undefined : at + found[0].length;
  };
};

export const languages = {
  json: {
    lineComments: ["//"],
    blockComments: [slashStar],
    strings: [string('"'), string("'")],
    brackets: "[]{}",
    unfinished: /[:,]$/,
  },
  css: cssLike,
  scss: { ...cssLike, lineComments: ["//"] },
  rust: {
    lineComments: ["//"],
    blockComments: [{ ...slashStar, nested: true }],
    strings: [string('"', { multiline: true })],
    brackets: "()[]{}",
    special: rustSpecial,
    unfinished:
      /(?:[=,.&|+:<]|\b(?:fn|let|pub|use|struct|enum|impl|mod|trait|type|const|static|unsafe|async))$/,
  },
  go: {
    lineComments: ["//"],
    blockComments: [slashStar],
    strings: [string('"'), string("`", { escapes: false, multiline: true })],
    brackets: "()[]{}",
    special: (text, at) => (text[at] === "'" ? charLiteral(text, at) : undefined),
    unfinished: /(?:[=,.&|+:<]|\b(?:func|var|const|type|import|package|struct|interface))$/,
  },
  lisp: lispLike(afterMark(/^(?:#\\[\s\S]|\\[\s\S])/u)),
  emacs: lispLike(afterMark(/^(?:\?\\[\s\S]|\?[()[\]{}";]|\\[\s\S])/u)),
  clojure: lispLike(afterMark(/^\\[\s\S]/u)),
} as const satisfies Record<string, Language>;

// --- Those that need a little more -----------------------------------------------------------------

const sql = (escapes: boolean): Language => ({
  lineComments: ["--"],
  blockComments: [slashStar],
  strings: [
    string("'", { escapes, multiline: true }),
    string('"', { escapes: false, multiline: true }),
    string("`", { escapes: false, multiline: true }),
  ],
  brackets: "()",
  special(text, at) {
    const dollar = text[at] === "$" ? /^\$(?:[A-Za-z_]\w*)?\$/.exec(text.slice(at, at + 70))?.[0] : undefined;
    if (dollar === undefined) return undefined;
    const end = text.indexOf(dollar, at + dollar.length);
    return end < 0 ? -1 : end + dollar.length;
  },
  unfinished:
    /(?:[,=<>+(]|\b(?:select|from|where|and|or|not|in|on|join|left|inner|by|set|values|into|table|create|insert|update|delete|alter|drop|as|case|when|then|else|references|primary|foreign|default))$/i,
});

/** Dialects disagree on the backslash in a string, so both readings must agree that something is missing. */
export function cutSql(text: string): string | undefined {
  return scanCode(text, sql(false)) === undefined ? undefined : scanCode(text, sql(true));
}

/** One JSON value a line: only the last can be cut. */
export function cutData(text: string): string | undefined {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  return scanCode(last, languages.json);
}
