/**
 * A shell command line as its simple commands, each with the folder it runs in.
 *
 * What a newcomer gets wrong: this is no shell. It knows quotes, joins, subshells,
 * redirections, here-documents, `cd` and plain `for` loops; a variable stays as it
 * stands.
 */
import { cleanPath } from "./scope-paths.js";

export interface SimpleCommand {
  /** Without quotes; redirections are left out. */
  readonly words: readonly string[];
  /** Targets of `>` and `>>`. */
  readonly writes: readonly string[];
  /** Where `cd` has led, relative to the start; empty at the start. */
  readonly folder: string;
  /** After `||`: it ran only if what stands before failed. */
  readonly otherwise: boolean;
}

export function simpleCommands(command: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  const left: string[] = [];
  const loops = new Map<string, readonly string[]>();
  let folder = "";
  let words: string[] = [];
  let writes: string[] = [];
  let toFile = false;
  let otherwise = false;
  const end = (join: string) => {
    while (words.length > 0 && starters.test(words[0] ?? "")) words.shift();
    if (words[0] === "for" && words[2] === "in") loops.set(words[1] ?? "", words.slice(3));
    else if (words[0] === "cd" && words[1] !== undefined) folder = joined(folder, words[1]);
    else if (words.length > 0 || writes.length > 0) {
      const filled = (list: string[]) => list.flatMap((word) => loops.get(loopName(word)) ?? [word]);
      commands.push({ words: filled(words), writes: filled(writes), folder, otherwise });
    }
    otherwise = join === "||" || (otherwise && join === "|");
    [words, writes, toFile] = [[], [], false];
  };
  for (const { text, kind } of tokensOf(command)) {
    if (kind === "end") end(text);
    else if (kind === "open") left.push(folder);
    else if (kind === "close") {
      end("");
      folder = left.pop() ?? folder;
    } else if (kind === "redirect") toFile = text.includes(">") && !text.includes(">&");
    else if (toFile) {
      if (!/^(?:&\d|\/dev\/\w+)/.test(text)) writes.push(text);
      toFile = false;
    } else words.push(text);
  }
  end("");
  return commands;
}

const starters = /^(?:\w+=.*|sudo|env|time|nohup|command|then|do|else|npx|bunx|pnpx|!|\{)$/s;

function loopName(word: string): string {
  return /^\$\{?(\w+)\}?$/.exec(word)?.[1] ?? "";
}

// --- Words ------------------------------------------------------------------------------------------

interface Token {
  readonly text: string;
  readonly kind: "word" | "redirect" | "end" | "open" | "close";
}

const pieces =
  /(?<end>&&|\|\||[;|\n]|(?<![>&\d])&(?!>))|(?<redirect>(?:\d|&)?>>?(?:&\d?)?|<{1,3})|(?<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;|&<>'"\\])+)/gs;

export const hereDocument = /<<-?\s*(['"]?)(\w+)\1([^\n]*)\n([\s\S]*?)(?<=\n)\s*\2(?=\n|$)/g;

function tokensOf(command: string): Token[] {
  const tokens: Token[] = [];
  // What stands in a here-document is text, not commands.
  const line = command.replace(hereDocument, "$3");
  let isComment = false;
  for (const { groups = {} } of line.matchAll(pieces)) {
    isComment = groups["end"] !== "\n" && (isComment || groups["word"]?.startsWith("#") === true);
    if (isComment) continue;
    if (groups["end"] !== undefined) tokens.push({ text: groups["end"], kind: "end" });
    else if (groups["redirect"] !== undefined) tokens.push({ text: groups["redirect"], kind: "redirect" });
    else tokens.push(...wordTokens(groups["word"] ?? ""));
  }
  return tokens;
}

/** `(cd` opens a subshell and `a.md)` closes it; `(group)/a.ts` and `$(date)` do neither. */
function wordTokens(raw: string): Token[] {
  const [, opens = "", inner = "", closes = ""] = /^(\(*)([^()]*)(\)*)$/s.exec(raw) ?? [];
  if ((opens === "") === (closes === "")) return [{ text: unquoted(raw), kind: "word" }];
  return [
    ...Array.from(opens, (text): Token => ({ text, kind: "open" })),
    ...(inner === "" ? [] : [{ text: unquoted(inner), kind: "word" } as const]),
    ...Array.from(closes, (text): Token => ({ text, kind: "close" })),
  ];
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, one) =>
    String(single ?? (double === undefined ? one : String(double).replace(/\\(["\\$`])/g, "$1"))),
  );
}

export function joined(folder: string, path: string): string {
  if (path.startsWith("/")) return cleanPath(path);
  return cleanPath(folder === "" ? path : `${folder}/${path}`);
}
