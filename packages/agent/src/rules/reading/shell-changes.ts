/**
 * Reading a shell command line, as far as a detector needs it: its simple
 * commands with the folder they run in, and which files they change.
 *
 * What a newcomer gets wrong: this is no shell. What it cannot tell (variables,
 * `xargs`, scripts) it leaves out, for detectors are silent when in doubt.
 */
import { cleanPath } from "./scope-paths.js";

export interface SimpleCommand {
  /** Without quotes; redirections are left out. */
  readonly words: readonly string[];
  /** Targets of `>` and `>>`. */
  readonly writes: readonly string[];
  /** Where `cd` has led, relative to the start; empty at the start. */
  readonly folder: string;
}

export function simpleCommands(command: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let folder = "";
  let words: string[] = [];
  let writes: string[] = [];
  let toFile = false;
  const end = () => {
    while (/^(?:\w+=.*|sudo|env|time|nohup|command|then|do|else|npx|bunx|pnpx|!|\{|\()$/.test(words[0] ?? ""))
      words.shift();
    if (words[0] === "cd" && words[1] !== undefined) folder = joined(folder, words[1]);
    else if (words.length > 0 || writes.length > 0) commands.push({ words, writes, folder });
    [words, writes, toFile] = [[], [], false];
  };
  for (const { text, kind } of tokensOf(command)) {
    if (kind === "end") end();
    else if (kind === "redirect") toFile = text.includes(">") && !text.includes("&");
    else if (toFile) {
      if (!/^(?:&\d|\/dev\/\w+)/.test(text)) writes.push(text);
      toFile = false;
    } else words.push(text);
  }
  end();
  return commands;
}

export interface ShellChanges {
  /** Files and globs that are certainly written, moved or removed. */
  readonly paths: string[];
  /** Folders or globs that a formatter or fixer went over; what it changed stands in its output. */
  readonly swept: string[];
}

export function changedByShell(command: string): ShellChanges {
  const paths: string[] = [];
  const swept: string[] = [];
  for (const { words, writes, folder } of simpleCommands(command)) {
    const at = (path: string) => joined(folder, path);
    paths.push(...writes.filter(isPlain).map(at));
    const changed = changedBy(words);
    for (const path of changed.filter(isPlain))
      (isFormatter(words) && isFolder(path) ? swept : paths).push(at(path));
  }
  return { paths, swept };
}

// --- What programs change --------------------------------------------------------------------------

function changedBy(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const flags = rest.filter((word) => word.startsWith("-"));
  const operands = rest.filter((word) => !word.startsWith("-"));
  const has = (flag: RegExp) => flags.some((each) => flag.test(each));
  switch (name) {
    case "sed":
      return has(/^(?:-[a-zA-Z]*i|--in-place)/) ? scripted(rest) : [];
    case "perl":
    case "ruby":
      return has(/^-[a-zA-Z]*i/) && has(/^-[a-zA-Z]*e/) ? scripted(rest) : [];
    case "tee":
    case "rm":
    case "unlink":
    case "touch":
    case "truncate":
    case "shred":
      return operands;
    case "mv":
      return operands;
    case "cp":
    case "install":
    case "ln":
      return operands.length > 1 ? operands.slice(-1) : [];
    case "git":
      if (operands[0] === "mv" || operands[0] === "rm") return has(/^--cached$/) ? [] : operands.slice(1);
      return [];
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return /^(?:install|i|add|remove|rm|uninstall)$/.test(operands[0] ?? "") &&
        operands.length > 1 &&
        !has(/^(?:-g|--global|--no-save)$/)
        ? ["package.json"]
        : formatted(words, []);
    case "dos2unix":
    case "unix2dos":
      return operands;
    case "awk":
    case "gawk":
      return has(/^-i$/) && operands[0] === "inplace" ? operands.slice(2) : [];
    case "node":
    case "python":
    case "python3":
      return rest.flatMap((word) => writtenBy(word));
    case "cargo":
      return /^(?:add|remove|rm)$/.test(operands[0] ?? "") ? ["Cargo.toml"] : formatted(words, []);
    case "go":
      return operands[0] === "get" ? ["go.mod"] : formatted(words, []);
    case "poetry":
    case "uv":
      return /^(?:add|remove)$/.test(operands[0] ?? "") ? ["pyproject.toml"] : [];
    case "composer":
      return /^(?:require|remove)$/.test(operands[0] ?? "") ? ["composer.json"] : [];
    default:
      return formatted(words, operands);
  }
}

/** The whole project where nothing is named. */
function formatted(words: readonly string[], operands: readonly string[]): readonly string[] {
  if (!isFormatter(words)) return [];
  const named = operands.filter((word) => !/^(?:format|fmt|check|lint|run|fix|write)$/.test(word));
  return named.length === 0 ? ["."] : named;
}

function isFormatter([program = "", ...rest]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  const has = (flag: RegExp) => rest.some((each) => flag.test(each));
  if (has(/^(?:--check|--diff|--dry-run|-n|--list-different|-l)$/)) return false;
  if (/^(?:black|isort|rustfmt|autoflake|swiftformat|scalafmt|oxfmt|dprint)$/.test(name)) return true;
  if (name === "rubocop") return has(/^(?:-a|-A|--auto-?correct(?:-all)?)$/i);
  if (/^(?:prettier|eslint|stylelint|biome|oxlint|markdownlint(?:-cli2)?|standard|xo|codespell)$/.test(name))
    return has(/^(?:--write|-w|--fix|--apply|--write-changes)$/);
  if (name === "ruff") return rest[0] === "format" || has(/^--fix$/);
  if (/^(?:cargo|go|terraform|mix|dart|deno|dotnet|gleam|zig)$/.test(name))
    return /^(?:fmt|format)$/.test(rest[0] ?? "");
  if (/^(?:npm|pnpm|yarn|bun|make|just|task)$/.test(name))
    return has(/^(?:fmt|format|prettier|lint[:-]fix|fix)$/);
  return /^(?:gofmt|goimports|clang-format|autopep8|shfmt|yapf)$/.test(name) && has(/^(?:-w|-i|--in-place)$/);
}

/** Files that a script given on the line opens for writing. */
function writtenBy(script: string): string[] {
  const writing =
    /(?:writeFile(?:Sync)?|appendFile(?:Sync)?|unlinkSync|rmSync)\(\s*["'`]([^"'`]+)["'`]|open\(\s*["']([^"']+)["']\s*,\s*["'][wa]|Path\(\s*["']([^"']+)["']\s*\)\.write_/g;
  return Array.from(script.matchAll(writing), ([, a, b, c]) => a ?? b ?? c ?? "");
}

/** Operands after the script of `sed` or `perl`, which is either the value of `-e` or the first of them. */
function scripted(rest: readonly string[]): string[] {
  const operands: string[] = [];
  let scriptSeen = false;
  for (let i = 0; i < rest.length; i += 1) {
    const word = rest[i] ?? "";
    if (/^-[a-zA-Z]*[ef]$|^--expression$/.test(word)) {
      scriptSeen = true;
      i += 1;
    } else if (word !== "" && !word.startsWith("-")) operands.push(word);
  }
  return scriptSeen ? operands : operands.slice(1);
}

function isPlain(path: string): boolean {
  return path !== "" && !/[$`<>|;]/.test(path) && !path.startsWith("~") && path !== "{}";
}

function isFolder(path: string): boolean {
  return /[*{]/.test(path) || !/\.\w+$/.test(path) || path === "." || path === "..";
}

// --- Words ------------------------------------------------------------------------------------------

interface Token {
  readonly text: string;
  readonly kind: "word" | "redirect" | "end";
}

const pieces =
  /(?<end>&&|\|\||[;|\n]|(?<![>&\d])&(?!>))|(?<redirect>(?:\d|&)?>>?(?:&\d?)?|<{1,3})|(?<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;|&<>'"\\])+)/gs;

function tokensOf(command: string): Token[] {
  const tokens: Token[] = [];
  // What stands in a here-document is text, not commands.
  const line = command.replace(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?\n\s*\2(?=\n|$)/g, "$3");
  for (const { groups = {} } of line.matchAll(pieces)) {
    if (groups["end"] !== undefined) tokens.push({ text: groups["end"], kind: "end" });
    else if (groups["redirect"] !== undefined) tokens.push({ text: groups["redirect"], kind: "redirect" });
    else tokens.push({ text: unquoted(groups["word"] ?? ""), kind: "word" });
  }
  return tokens;
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, one) =>
    String(single ?? (double === undefined ? one : String(double).replace(/\\(["\\$`])/g, "$1"))),
  );
}

function joined(folder: string, path: string): string {
  if (path.startsWith("/")) return cleanPath(path);
  return cleanPath(folder === "" ? path : `${folder}/${path}`);
}
