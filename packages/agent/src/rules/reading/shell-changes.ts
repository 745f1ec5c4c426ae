/**
 * Which files a shell command line changes.
 *
 * What a newcomer gets wrong: what cannot be told from the line (variables, most
 * of `xargs`, scripts) is left out, for detectors are silent when in doubt.
 */
import { baseName, cleanPath } from "./scope-paths.js";
import { hereDocument, joined, simpleCommands } from "./simple-commands.js";

export interface ShellChanges {
  /** Files and globs that are certainly written, moved or removed. */
  readonly paths: string[];
  /** Folders or globs that a formatter or fixer went over; what it changed stands in its output. */
  readonly swept: string[];
  /** A fixer names what it complains of, not what it changed. */
  readonly isFixer: boolean;
  /** Where it went stands in the command, so it was meant. */
  readonly isNamed: boolean;
}

export function changedByShell(command: string): ShellChanges {
  const paths: string[] = [];
  const swept: string[] = [];
  let isFixer = false;
  let isNamed = false;
  const bodies = Array.from(command.matchAll(hereDocument), ([, , , , body = ""]) => body);
  const commands = simpleCommands(command);
  for (const [i, { words, writes, folder, otherwise }] of commands.entries()) {
    if (otherwise) continue;
    const at = (path: string) => joined(folder, path);
    paths.push(...writes.filter(isPlain).map(at));
    const inner =
      /^(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "") ? words[2] : undefined;
    if (inner !== undefined) {
      const nested = changedByShell(inner);
      paths.push(...nested.paths.map(at));
      swept.push(...nested.swept.map(at));
      isFixer ||= nested.isFixer;
      isNamed ||= nested.isNamed;
      continue;
    }
    if (/^(?:python3?|node|ruby|deno|bun)$/.test(words[0] ?? ""))
      paths.push(...bodies.flatMap(writtenBy).filter(isPlain).map(at));
    if (
      words[0] === "xargs" &&
      isRewriting(words) &&
      /^(?:grep|rg|ag|git)$/.test(commands[i - 1]?.words[0] ?? "")
    ) {
      swept.push(at("."));
      isFixer = true;
    }
    const changed = words[0] === "xargs" ? piped(words, commands[i - 1]?.words ?? []) : changedBy(words);
    for (const path of changed.filter(isPlain)) {
      const isSweep = isFormatter(words) && isFolder(path);
      (isSweep ? swept : paths).push(at(path));
      isFixer ||= isSweep && fixers.test(nameOf(words[0]));
      isNamed ||= isSweep && words.includes(path);
    }
  }
  return { paths, swept, isFixer, isNamed };
}

/** What `find` or `git ls-files` hands on is changed; what `grep -l` hands on is known to nobody. */
function piped(words: readonly string[], before: readonly string[]): readonly string[] {
  return before[0] === "find" && isRewriting(words) ? foundBy(before) : [];
}

function isRewriting(words: readonly string[]): boolean {
  const from = words.findIndex((word) => /^(?:sed|perl|rm|prettier|black|gofmt)$/.test(word));
  return from >= 0 && changedBy([...words.slice(from), "."]).length > 0;
}

/** The folders, or the patterns, that `find` goes through. */
function foundBy(words: readonly string[]): string[] {
  const value = (option: string) =>
    words.indexOf(option) < 0 ? undefined : words[words.indexOf(option) + 1];
  const path = value("-path") ?? value("-wholename");
  if (path !== undefined) return [path];
  const until = words.findIndex((word, i) => i > 0 && /^[-(!]/.test(word));
  const roots = words.slice(1, until < 0 ? undefined : until);
  const name = value("-name");
  return (roots.length === 0 ? ["."] : roots).map((root) =>
    name === undefined ? root : `${root}/**/${name}`,
  );
}

// --- What programs change --------------------------------------------------------------------------

function changedBy(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const name = nameOf(program);
  const flags = rest.filter((word) => word.startsWith("-"));
  const operands = rest.filter((word) => !word.startsWith("-"));
  const has = (flag: RegExp) => flags.some((each) => flag.test(each));
  switch (name) {
    case "sed":
      return has(/^(?:-[a-zA-Z]*i|--in-place)/) ? scripted(rest) : [];
    case "perl":
      return has(/^-\w*i/) && has(/^-\w*e/) ? scripted(rest) : [];
    case "ruby":
      return has(/^-\w*i/) && has(/^-\w*e/) ? scripted(rest) : rest.flatMap((word) => writtenBy(word));
    case "find": {
      const does = rest.slice(rest.findIndex((word) => /^-exec(?:dir)?$/.test(word)) + 1);
      const acts = does.length < rest.length && changedBy([...does, "."]).length > 0;
      return acts || rest.includes("-delete") ? foundBy(words) : [];
    }
    case "tee":
    case "rm":
    case "unlink":
    case "touch":
    case "truncate":
    case "shred":
      return operands;
    case "sponge":
      return operands;
    case "mv":
      return [...operands.slice(0, -1), ...arrivals(rest)];
    case "cp":
    case "install":
    case "ln":
    case "rsync":
      return has(/^(?:-\w*n|--dry-run)$/) && name === "rsync" ? [] : arrivals(rest);
    case "patch":
      return has(/^--dry-run$/) ? [] : operands.slice(0, 1);
    case "curl":
      return valuesOf(rest, /^(?:-o|--output)$/);
    case "wget":
      return valuesOf(rest, /^(?:-O|--output-document)$/);
    case "git": {
      const [home = ""] = valuesOf(rest, /^-C$/);
      const [verb = "", ...named] = home === "" ? operands : operands.slice(1);
      if (has(/^(?:--cached|-n|--dry-run)$/)) return [];
      // Without a version it takes a change back.
      if (
        verb === "checkout" &&
        rest.includes("--") &&
        !/^(?:HEAD)?$/.test(rest[rest.indexOf("--") - 1]?.replace("checkout", "") ?? "")
      )
        return rest.slice(rest.indexOf("--") + 1).map((path) => joined(home, path));
      const hit = verb === "rm" ? named : verb === "mv" ? [...named.slice(0, -1), ...arrivals(named)] : [];
      return hit.map((path) => joined(home, path));
    }
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return (
        manifestOf(rest, {
          verbs: /^(?:install|i|add|remove|rm|uninstall|un)$/,
          file: "package.json",
        }) ?? formatted(words, [])
      );
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
      return manifestOf(rest, { verbs: /^(?:add|remove|rm)$/, file: "Cargo.toml" }) ?? formatted(words, []);
    case "go":
      return operands[0] === "get" ? ["go.mod"] : formatted(words, []);
    case "poetry":
    case "uv":
      return manifestOf(rest, { verbs: /^(?:add|remove)$/, file: "pyproject.toml" }) ?? [];
    case "bundle":
      return manifestOf(rest, { verbs: /^(?:add|remove)$/, file: "Gemfile" }) ?? [];
    case "composer":
      return manifestOf(rest, { verbs: /^(?:require|remove)$/, file: "composer.json" }) ?? [];
    default:
      return formatted(words, operands);
  }
}

/** Where things come to lie: a path for each that goes into a folder. */
function arrivals(rest: readonly string[]): string[] {
  const [into] = valuesOf(rest, /^(?:-t|--target-directory)$/);
  const operands = rest.filter((word) => !word.startsWith("-") && word !== into);
  if (operands.length < (into === undefined ? 2 : 1)) return [];
  const to = into ?? operands.at(-1) ?? "";
  const from = into === undefined ? operands.slice(0, -1) : operands;
  const isInto = into !== undefined || from.length > 1 || /(?:\/|^\.{1,2})$/.test(to);
  return isInto ? from.map((path) => joined(to, baseName(cleanPath(path)))) : [to];
}

/** Values of an option, as the next word or after `=`. */
function valuesOf(rest: readonly string[], option: RegExp): string[] {
  return rest.flatMap((word, i) => {
    if (option.test(word)) return rest[i + 1] ?? [];
    const [, name = "", value = ""] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    return option.test(name) ? [value] : [];
  });
}

interface Manifest {
  readonly verbs: RegExp;
  readonly file: string;
}

/** The manifest that gains or loses a dependency; nobody knows where that of a named workspace lies. */
function manifestOf(rest: readonly string[], { verbs, file }: Manifest): string[] | undefined {
  const [home = ""] = valuesOf(rest, /^(?:--prefix|-C|--cwd|--dir|--project|--directory|--working-dir|-d)$/);
  const elsewhere = /^(?:-w|--workspaces?|--filter|-F|-p|--package|--manifest-path)(?:=|$)/;
  const taking =
    /^(?:--registry|--tag|--group|-G|--features|--extra|--optional|--source|--omit|--include|--loglevel|--cache)$/;
  const skipped = new Set([home, ...valuesOf(rest, taking)]);
  const [verb = "", ...named] = rest.filter((word) => !word.startsWith("-") && !skipped.has(word));
  if (!verbs.test(verb)) return undefined;
  const isUnsaved = rest.some(
    (word) => /^(?:-g|--global|--no-save|--dry-run)$/.test(word) || elsewhere.test(word),
  );
  return named.length === 0 || isUnsaved ? [] : [joined(home, file)];
}

/** The whole project where nothing is named. */
function formatted(words: readonly string[], operands: readonly string[]): readonly string[] {
  if (!isFormatter(words)) return [];
  const named = operands.filter((word) => !/^(?:format|fmt|check|lint|run|fix|write)$/.test(word));
  return named.length === 0 ? ["."] : named;
}

function isFormatter([program = "", ...rest]: readonly string[]): boolean {
  const name = nameOf(program);
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

const fixers =
  /^(?:eslint|oxlint|stylelint|rubocop|ruff|biome|markdownlint(?:-cli2)?|standard|xo|npm|pnpm|yarn|bun|make|just|task)$/;

function nameOf(program = ""): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Files that a script given on the line opens for writing. */
function writtenBy(script: string): string[] {
  const writing =
    /(?:writeFile(?:Sync)?|appendFile(?:Sync)?|unlinkSync|rmSync)\(\s*["'`]([^"'`]+)["'`]|open\(\s*["']([^"']+)["']\s*,\s*(?:mode\s*=\s*)?["'](?:[wax]|r\+)|Path\(\s*["']([^"']+)["']\s*\)\.(?:write_|unlink)|(?:os\.(?:remove|unlink)|File\.(?:write|delete))\(\s*["']([^"']+)["']/g;
  return Array.from(script.matchAll(writing), ([, a, b, c, d]) => a ?? b ?? c ?? d ?? "");
}

/** Operands after the script of `sed` or `perl`, which is either the value of `-e` or the first of them. */
function scripted(rest: readonly string[]): string[] {
  const operands: string[] = [];
  let scriptSeen = false;
  for (let i = 0; i < rest.length; i += 1) {
    const word = rest[i] ?? "";
    if (/^-\w*[ef]$|^--expression$/.test(word)) {
      scriptSeen = true;
      i += 1;
    } else if (word.startsWith("--expression=")) scriptSeen = true;
    else if (word !== "" && !word.startsWith("-")) operands.push(word);
  }
  return scriptSeen ? operands : operands.slice(1);
}

function isPlain(path: string): boolean {
  return path !== "" && !/[$`<>|;]/.test(path) && !path.startsWith("~") && path !== "{}";
}

function isFolder(path: string): boolean {
  return /[*{]/.test(path) || !/\.\w+$/.test(path) || path === "." || path === "..";
}
