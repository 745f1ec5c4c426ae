/**
 * A shell line taken apart into its simple commands, without running anything.
 *
 * What a newcomer gets wrong: this is a reading, no shell. It knows quotes,
 * joins, redirections, here-documents and `cd`; what a variable or a
 * substitution holds it does not know and leaves as it stands.
 */
import { joined } from "./paths.js";

export interface ShellCommand {
  /** Without assignments before it and without wrappers such as `sudo` or `npx`. */
  readonly words: readonly string[];
  /** Where its output goes. */
  readonly writes: readonly string[];
  /** A file or a here-document is its input. */
  readonly fed: boolean;
  /** What a here-document holds. */
  readonly input: string;
  /** The folder that an earlier `cd` of the line chose; `""` where none did. */
  readonly folder: string;
  /** Another command follows that decides how the line ends. */
  readonly statusHidden: boolean;
}

interface Raw {
  words: string[];
  writes: string[];
  fed: boolean;
  input: string;
  join: string;
}

export function readShell(line: string): ShellCommand[] {
  const raws = split(line);
  const stopsAtErrors = raws.some((raw) => raw.words[0] === "set" && /^-\w*e/.test(raw.words[1] ?? ""));
  const pipesTell = raws.some((raw) => raw.words[0] === "set" && raw.words.includes("pipefail"));
  const commands: ShellCommand[] = [];
  let folder = "";
  for (const [index, raw] of raws.entries()) {
    const plain = unwrapped(raw.words);
    const next = raws[index + 1]?.words[0];
    const inner = inlineScript(plain);
    if (inner !== undefined) {
      for (const command of readShell(inner)) {
        commands.push({ ...command, folder: joined(folder, command.folder || ".") });
      }
      continue;
    }
    if (plain[0] === "cd" || plain[0] === "pushd") {
      folder = plain[1] === undefined ? "" : joined(folder, plain[1]);
      continue;
    }
    if (plain.length === 0 && raw.writes.length === 0) continue;
    commands.push({
      words: plain,
      writes: raw.writes.map((path) => joined(folder, path)),
      fed: raw.fed,
      input: raw.input,
      folder,
      statusHidden:
        raw.join === "&" ||
        (next !== undefined &&
          ((raw.join === "|" && !pipesTell) ||
            (raw.join === ";" && !stopsAtErrors) ||
            (raw.join === "||" && next !== "exit" && next !== "return"))),
    });
  }
  return commands;
}

function inlineScript(plain: readonly string[]): string | undefined {
  if (!/^(?:ba|z|da|k)?sh$/.test(plain[0] ?? "")) return undefined;
  const at = plain.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? undefined : plain[at + 1];
}

const operators = ["&&", "||", "|&", ";;", ";", "|", "&", "\n", "(", ")"];

function split(line: string): Raw[] {
  const found: Raw[] = [];
  let raw: Raw = { words: [], writes: [], fed: false, input: "", join: "" };
  let word: string | undefined;
  let expects: "word" | "target" | "skip" | "heredoc" = "word";
  const heredocs: string[] = [];

  const endWord = () => {
    if (word === undefined) return;
    if (expects === "target") raw.writes.push(word);
    else if (expects === "heredoc") heredocs.push(word);
    else if (expects === "word") raw.words.push(word);
    word = undefined;
    expects = "word";
  };
  const endCommand = (join: string) => {
    endWord();
    if (raw.words.length > 0 || raw.writes.length > 0) found.push({ ...raw, join });
    else if (found.length > 0 && join === "&&") found[found.length - 1]!.join = join;
    raw = { words: [], writes: [], fed: false, input: "", join: "" };
  };

  let at = 0;
  while (at < line.length) {
    const char = line[at]!;
    if (char === "\\" && at + 1 < line.length) {
      if (line[at + 1] !== "\n") word = (word ?? "") + line[at + 1]!;
      at += 2;
    } else if (char === "'" || char === '"') {
      const end = closing(line, at);
      word = (word ?? "") + unescaped(line.slice(at + 1, end), char);
      at = end + 1;
    } else if (char === "`" || line.startsWith("$(", at)) {
      const end = char === "`" ? line.indexOf("`", at + 1) : bracketEnd(line, at + 1);
      const stop = end === -1 ? line.length : end + 1;
      word = (word ?? "") + line.slice(at, stop);
      at = stop;
    } else if (char === "#" && word === undefined) {
      const end = line.indexOf("\n", at);
      at = end === -1 ? line.length : end;
    } else if (line.startsWith("<<<", at)) {
      endWord();
      raw.fed = true;
      expects = "skip";
      at += 3;
    } else if (line.startsWith("<<", at)) {
      endWord();
      raw.fed = true;
      expects = "heredoc";
      at += line[at + 2] === "-" ? 3 : 2;
    } else if (char === "<") {
      endWord();
      raw.fed = true;
      expects = "skip";
      at += 1;
    } else if (char === ">" || line.startsWith("&>", at)) {
      if (word !== undefined && /^\d$/.test(word)) word = undefined;
      endWord();
      at += char === "&" ? 2 : 1;
      if (line[at] === ">" || line[at] === "|") at++;
      if (line[at] === "&") {
        at++;
        expects = "skip";
      } else expects = "target";
    } else {
      const operator = operators.find((candidate) => line.startsWith(candidate, at));
      if (operator !== undefined) {
        endCommand(operator === "\n" || operator === ";;" ? ";" : operator === "|&" ? "|" : operator);
        at += operator.length;
        if (operator === "\n") {
          const from = at;
          at = pastHeredocs(line, at, heredocs);
          const last = found.at(-1);
          if (last !== undefined && at > from) last.input = line.slice(from, at);
        }
      } else if (/\s/.test(char)) {
        endWord();
        at++;
      } else {
        word = (word ?? "") + char;
        at++;
      }
    }
  }
  endCommand("");
  for (const one of found) one.writes = one.writes.filter((path) => !path.startsWith("/dev/"));
  return found;
}

function closing(line: string, open: number): number {
  const quote = line[open]!;
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === "\\" && quote === '"') at++;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

function unescaped(text: string, quote: string): string {
  return quote === '"' ? text.replace(/\\(["\\$`])/g, "$1") : text;
}

function bracketEnd(line: string, open: number): number {
  let depth = 0;
  for (let at = open; at < line.length; at++) {
    if (line[at] === "(") depth++;
    else if (line[at] === ")" && --depth === 0) return at;
  }
  return -1;
}

function pastHeredocs(line: string, from: number, heredocs: string[]): number {
  let at = from;
  for (const mark of heredocs.splice(0)) {
    while (at < line.length) {
      const end = line.indexOf("\n", at);
      const row = line.slice(at, end === -1 ? line.length : end);
      at = end === -1 ? line.length : end + 1;
      if (row.trim() === mark) break;
    }
  }
  return at;
}

const keywords = new Set([
  "do",
  "then",
  "else",
  "elif",
  "if",
  "while",
  "until",
  "!",
  "time",
  "{",
  "}",
  "done",
  "fi",
]);
const bareWrappers = new Set([
  "nohup",
  "command",
  "exec",
  "builtin",
  "stdbuf",
  "ionice",
  "npx",
  "bunx",
  "uvx",
]);

/** What is really run, behind everything that only says how. */
export function unwrapped(given: readonly string[]): string[] {
  let rest = [...given];
  for (let turns = 0; turns < 8 && rest.length > 0; turns++) {
    const before = rest.length;
    const [first = "", second = ""] = rest;
    if (keywords.has(first) || /^[A-Za-z_]\w*=/.test(first)) rest = rest.slice(1);
    else if (bareWrappers.has(first)) rest = pastFlags(rest.slice(1));
    else if (first === "sudo" || first === "doas" || first === "env" || first === "nice")
      rest = pastFlags(rest.slice(1));
    else if (first === "timeout") rest = pastFlags(rest.slice(1)).slice(1);
    else if (/^(?:uv|poetry|pipenv|rye|hatch|pdm)$/.test(first) && second === "run")
      rest = pastFlags(rest.slice(2));
    else if (first === "bundle" && second === "exec") rest = rest.slice(2);
    else if (/^(?:npm|pnpm|yarn|bun)$/.test(first) && /^(?:exec|dlx|x)$/.test(second))
      rest = pastFlags(rest.slice(2));
    else if (/^python[\d.]*$/.test(first) && second === "-m") rest = rest.slice(2);
    if (rest.length === before) break;
  }
  return rest;
}

function pastFlags(rest: string[]): string[] {
  let at = 0;
  while (at < rest.length && rest[at]!.startsWith("-")) at++;
  return rest.slice(at);
}
