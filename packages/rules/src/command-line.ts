/**
 * Command lines, read just far enough to see which programs a line names and
 * whether it leaves something running.
 *
 * What a newcomer gets wrong: this is no shell, and nothing about safety is decided
 * here; the wall around commands does that. What it cannot read (substitutions,
 * here-documents, loops) makes a line `unclear`, and whoever asks is silent then.
 */

export interface LineCommand {
  /** The program first; settings of variables and wrappers such as `env` or `npx` are left out. */
  readonly words: readonly string[];
  /** As they stand, wrappers included. */
  readonly written: readonly string[];
  /** It reads what the command before it wrote. */
  readonly piped: boolean;
}

export interface CommandLine {
  readonly commands: readonly LineCommand[];
  /** Something goes on when the line has ended. */
  readonly leavesRunning: boolean;
  readonly unclear: boolean;
}

/** A longer line is a program, and nobody reads it here. */
const lineCharsMax = 4_000;

const token =
  /[ \t\r]+|(?<end>\n|;+|&&|\|\|?&?|&(?!>))|(?<redirect>\d*(?:<{1,3}|>{1,2}\|?)(?:&\d?-?)?|&>{1,2})|(?<comment>(?<![^\s;&|])#[^\n]*)|(?<word>(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s;&|<>'"\\])+)|[^]/y;

export function readCommandLine(line: string): CommandLine {
  const commands: LineCommand[] = [];
  let words: string[] = [];
  let piped = false;
  let leavesRunning = false;
  let unclear = line.length > lineCharsMax;
  let redirected = false;
  const close = (end: string) => {
    const run = unwrapped(words);
    const inner = scriptIn(run);
    if (inner !== undefined) {
      const read = readCommandLine(inner);
      commands.push(...read.commands);
      leavesRunning ||= read.leavesRunning;
      unclear ||= read.unclear;
    } else if (run.length > 0) commands.push({ words: run, written: words, piped });
    leavesRunning ||= end === "&" || words[0] === "nohup" || words[0] === "setsid";
    words = [];
    piped = end === "|" || end === "|&";
  };
  token.lastIndex = 0;
  while (!unclear && token.lastIndex < line.length) {
    const groups = token.exec(line)?.groups ?? {};
    const { end, redirect, word } = groups;
    if (end !== undefined) close(end);
    else if (redirect !== undefined) {
      unclear = redirect.includes("<<");
      redirected = !/&[\d-]/.test(redirect);
    } else if (word !== undefined) {
      if (/`|\$\(|^(?:for|while|if|case|until|function)$/.test(word.replace(/'[^']*'/g, ""))) unclear = true;
      if (!redirected) words.push(unquoted(word));
      redirected = false;
    }
  }
  close("");
  return { commands, leavesRunning, unclear };
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g, (_, single, double, escaped) =>
    String(single ?? (double as string | undefined)?.replace(/\\(["\\$`])/g, "$1") ?? escaped),
  );
}

/** They run what follows them, their options and numbers aside. */
const wrappers = new Set([
  ...["env", "time", "command", "exec", "nohup", "setsid", "stdbuf", "nice", "sudo", "timeout"],
  ...["npx", "bunx", "(", "{", "!"],
]);
const managers = /^(?:pnpm|yarn|npm|bundle|poetry|uv|rye|pipenv)$/;

function unwrapped(given: readonly string[]): readonly string[] {
  let words = given.map((word) => (word.includes("(") ? word.replace(/^\(/, "") : word.replace(/\)$/, "")));
  for (;;) {
    const [first = "", second = ""] = words;
    if (/^\w+=/.test(first)) words = words.slice(1);
    else if (wrappers.has(first)) {
      const at = words.findIndex((word, i) => i > 0 && !/^(?:-|\d)/.test(word));
      words = at < 0 ? [] : words.slice(at);
    } else if (managers.test(first) && /^(?:exec|dlx|run)$/.test(second) && runsProgram(words))
      words = words.slice(words[2] === "--" ? 3 : 2);
    else return words;
  }
}

/** `run` of a package manager for JavaScript takes the name of a script instead. */
function runsProgram([manager = "", verb = ""]: readonly string[]): boolean {
  return verb !== "run" || /^(?:poetry|uv|rye|pipenv)$/.test(manager);
}

/** What `bash -c "…"` runs. */
function scriptIn([program = "", ...rest]: readonly string[]): string | undefined {
  if (!/^(?:.*\/)?(?:ba|z|da)?sh$/.test(program)) return undefined;
  const at = rest.findIndex((word) => /^-\w*c$/.test(word));
  return at < 0 ? undefined : rest[at + 1];
}
