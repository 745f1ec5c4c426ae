/**
 * R-SCOPE-CREEP: a file changed that is not the business of the issue or the ask.
 *
 * What a newcomer gets wrong: with no declared paths, only an ask that names the
 * one file to change bounds the work. A file named as evidence bounds nothing, and
 * tests, lockfiles, snapshots and changelogs go with what they belong to.
 */
import { textArg } from "../reading/args.js";
import { fileMentions, pathsIn, reachesFurther } from "../reading/file-mentions.js";
import { baseName, cleanPath, covers } from "../reading/scope-paths.js";
import { changedByShell } from "../reading/shell-changes.js";
import { stemOf, tellingStems, wordsOf } from "../reading/stems.js";
import type { Ask, CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

const askCharsMax = 8_000;

interface Scope {
  readonly allowed: readonly string[];
  /** Stems of what the work is about; a test that shares one belongs to it. */
  readonly about: ReadonlySet<string>;
  /** For the finding. */
  readonly named: string;
}

export const scopeCreep: Detector = {
  begin(ask) {
    const scope = scopeOf(ask);
    if (scope === undefined) return {};
    const told = new Set<string>();
    return {
      ran(call, outcome): Finding | undefined {
        if (!outcome.ok || outcome.ran === false || changedNothing(call, outcome)) return undefined;
        const path = changedPaths(call, outcome).find((each) => isOutside(each, scope) && !told.has(each));
        if (path === undefined) return undefined;
        told.add(path);
        return {
          what: `${path} was changed, which is outside ${scope.named}.`,
          remedy: `Leave ${path} as it was, and report what you noticed there instead.`,
        };
      },
    };
  },
};

// --- What is in scope ------------------------------------------------------------------------------

function scopeOf({ text: whole, declaredPaths = [] }: Ask): Scope | undefined {
  const text = whole.slice(0, askCharsMax).replace(/[ \t]+/g, " ");
  if (declaredPaths.length > 0) {
    const words = declaredPaths.flatMap(nameStems);
    return {
      allowed: declaredPaths,
      about: new Set([...words, ...tellingStems(text)]),
      named: `the declared paths (${declaredPaths.join(", ")})`,
    };
  }
  const mentions = fileMentions(text);
  const targets = new Set(mentions.filter(({ role }) => role === "target").map(({ path }) => path));
  const bounded = mentions.some(({ role, only }) => only && role === "target");
  const one = targets.size === 1 && !reachesFurther(text) && ![...targets].some((path) => path.endsWith("/"));
  if (!(bounded || one)) return undefined;
  const allowed = mentions.filter(({ role }) => role !== "untouched").map(({ path }) => path);
  return {
    allowed,
    about: new Set([...allowed.flatMap(nameStems), ...tellingStems(text)]),
    named: `what was asked for (${[...targets].join(", ")})`,
  };
}

function isOutside(path: string, { allowed, about }: Scope): boolean {
  if (isScratch(path) || allowed.some((each) => covers(each, path) || isSameName(each, path))) return false;
  if (lockfile.test(path) || changelog.test(path)) return false;
  return !(isTest(path) && belongs(path, about));
}

/** People say `pager.py` and mean `app/pager.py`, or README and mean README.md. */
function isSameName(named: string, path: string): boolean {
  const name = cleanPath(named);
  if (/[*?{]/.test(name) || named.endsWith("/")) return false;
  const whole = cleanPath(path);
  return (
    whole.endsWith(`/${name}`) || (!/\.\w+$/.test(name) && baseName(whole).replace(/\.\w+$/, "") === name)
  );
}

const lockfile =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb?|Package\.resolved|packages\.lock\.json|gradle\.lockfile|[\w.-]+\.lock)$/i;
const changelog =
  /(?:^|\/)(?:(?:changelog|changes|history|news|release[-_]?notes)[^/]*|(?:\.changeset|changelog\.d|newsfragments|changes\.d)\/[^/]+)$/i;
const testPath =
  /(?:^|\/)(?:tests?|specs?|__tests__|__snapshots__|__fixtures__|fixtures|snapshots|e2e|testdata)\/|(?:[._-](?:test|spec|tests|snap)\.[\w.]+|_test\.\w+|Tests?\.\w+|\.snap)$|(?:^|\/)(?:test_[^/]+|conftest\.py)$/;

function isTest(path: string): boolean {
  return testPath.test(path);
}

const anyTest = new Set(
  "test tests spec specs regression regressions integration unit e2e helper helpers setup fixture fixtures smoke api cli basic edge case cases golden e2e conftest index main all common util utils snap snapshot snapshots".split(
    " ",
  ),
);

function belongs(path: string, about: ReadonlySet<string>): boolean {
  const stems = nameStems(path);
  const name = wordsOf(spaced(baseName(path).replace(/(?:\.(?:test|spec|snap))*\.\w+$/, ""))).filter(
    (word) => !anyTest.has(word),
  );
  return name.length === 0 || stems.some((stem) => about.has(stem));
}

const anyFolder = new Set(
  "src lib app packages pkg test tests spec specs internal cmd crates index main mod".split(" "),
);

/** Stems of a path's telling parts; endings of files aside. */
function nameStems(path: string): string[] {
  const words = wordsOf(spaced(cleanPath(path).replace(/(?:\.(?:test|spec|snap))*\.\w+$/, "")));
  return words.filter((word) => !anyFolder.has(word) && !anyTest.has(word) && word.length > 1).map(stemOf);
}

function spaced(path: string): string {
  return path.replace(/[/_.*-]+/g, " ").replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ");
}

function isScratch(path: string): boolean {
  return /^(?:\/tmp|\/var\/tmp|\/dev|\/private\/tmp)(?:\/|$)|(?:^|\/)(?:node_modules|\.git|\.cache|dist|build|target|coverage|tmp|\.tmp)\//.test(
    path,
  );
}

// --- What was changed ------------------------------------------------------------------------------

function changedNothing({ tool }: ProposedCall, { output }: CallOutcome): boolean {
  return (
    tool === "edit_file" &&
    /\b(?:0 (?:replacements|hunks|changes)|no changes?|unchanged|nothing (?:to )?chang\w+)\b/i.test(output)
  );
}

function changedPaths({ tool, args }: ProposedCall, { output }: CallOutcome): string[] {
  if (tool === "write_file" || tool === "edit_file") {
    const path = textArg(args, "path");
    return path === undefined ? [] : [cleanPath(path)];
  }
  const command = tool === "run_shell" ? textArg(args, "command") : undefined;
  if (command === undefined) return [];
  const { paths: all, swept } = changedByShell(command);
  const paths = all.filter((path) => !/\.(?:log|out|tmp|temp|bak|orig|patch|diff|pid)$/i.test(path));
  if (swept.length === 0) return paths;
  // A formatter over a folder says itself which files it changed.
  const changed = output.split("\n").filter((line) => !/\b(?:unchanged|left|already|skipp?ed)\b/i.test(line));
  const listed = changed.flatMap(pathsIn).filter((path) => swept.some((each) => covers(each, path)));
  return [...paths, ...listed.map(cleanPath)];
}
