/**
 * R-SCOPE-CREEP: a file changed that is not the business of the issue or the ask.
 *
 * What a newcomer gets wrong: with no declared paths, only an ask that names the
 * one file to change bounds the work. A file named as evidence bounds nothing, and
 * tests, lockfiles, snapshots and changelogs go with what they belong to.
 */
import { textArg } from "../reading/args.js";
import { goesWith, type Part, partOf } from "../reading/companions.js";
import { fileMentions, pathsIn, reachesFurther } from "../reading/file-mentions.js";
import { baseName, cleanPath, covers, isGlob } from "../reading/scope-paths.js";
import { changedByShell, type ShellChanges } from "../reading/shell-changes.js";
import { tellingStems } from "../reading/stems.js";
import type { Ask, CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

const askCharsMax = 8_000;
const partsMax = 200;

interface Scope {
  /** As the issue declares them. */
  readonly declared: readonly string[];
  /** Declared as not belonging to it, with a `!`. */
  readonly except: readonly string[];
  /** As a person names them, often by the last part alone. */
  readonly named: readonly string[];
  /** What is worked on; grows with the files in scope that are looked at. */
  readonly parts: Part[];
  /** Stems of the ask. */
  readonly about: ReadonlySet<string>;
  /** For the finding. */
  readonly label: string;
}

export const scopeCreep: Detector = {
  begin(ask) {
    const scope = scopeOf(ask);
    if (scope === undefined) return {};
    const told = new Set<string>();
    let swept: readonly string[] = [];
    return {
      ran(call, outcome): Finding | undefined {
        if (!outcome.ok || outcome.ran === false || hasFailed(outcome) || changedNothing(call, outcome))
          return undefined;
        const isHit = (path: string) => isOutside(path, scope) && !told.has(path);
        const shell = shellOf(call);
        const listed = swept.length === 0 ? [] : changedAsGitSays(call, outcome, swept);
        const path = [...changedPaths(call, outcome, shell, scope), ...listed].find(isHit);
        if (shell !== undefined && shell.swept.length > 0)
          swept = [...swept, ...shell.swept].slice(-partsMax);
        remember(call, scope);
        if (path === undefined) return undefined;
        told.add(path);
        return {
          what: `${path} was changed, which is outside ${scope.label}.`,
          remedy: `Leave ${path} as it was, and report what you noticed there instead.`,
        };
      },
    };
  },
};

// --- What is in scope ------------------------------------------------------------------------------

function scopeOf({ text: whole, declaredPaths = [] }: Ask): Scope | undefined {
  const text = spacedOut(whole.slice(0, askCharsMax)).replace(/[ \t]+/g, " ");
  const mentions = fileMentions(text);
  const named = mentions.filter(({ role }) => role !== "untouched").map(({ path }) => path);
  const about = tellingStems(text);
  const given = declaredPaths.map(withoutLines).filter((path) => path !== "");
  const declared = given.filter((path) => !path.startsWith("!"));
  if (declared.length > 0) {
    return {
      ...{ declared, about, named: [...named, ...slashed(text, mentions)] },
      except: given.filter((path) => path.startsWith("!")).map((path) => path.slice(1)),
      parts: [...declared, ...named].map(partOf),
      label: `the declared paths (${declared.join(", ")})`,
    };
  }
  const targets = new Set(mentions.filter(({ role }) => role === "target").map(({ path }) => path));
  const bounded = mentions.some(({ role, only }) => only && role === "target");
  const one = targets.size === 1 && !reachesFurther(text) && ![...targets].some((path) => path.endsWith("/"));
  if (!(bounded || one)) return undefined;
  return {
    ...{ declared: [], except: [], named, about, parts: named.map(partOf) },
    label: `what was asked for (${[...targets].join(", ")})`,
  };
}

/** Scripts without spaces run on into a path. */
function spacedOut(text: string): string {
  return text.replace(
    /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])(?=[\w`])|(?<=[\w`])(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])/gu,
    " ",
  );
}

/** `src/a.ts:10-20` and `src/a.ts#L3` are `src/a.ts`. */
function withoutLines(path: string): string {
  return path.trim().replace(/:\d+(?:[-:]\d+)?$|#L\d+.*$/, "");
}

/** Beside declared paths, a folder that the ask names needs no slash at its end to be allowed. */
function slashed(text: string, mentions: readonly { path: string; role: string }[]): string[] {
  const untouched = mentions.filter(({ role }) => role === "untouched").map(({ path }) => cleanPath(path));
  return Array.from(
    text.matchAll(/(?<![\p{L}\p{N}_/.:@-])(?:[\p{L}\p{N}_.@-]+\/)+[\p{L}\p{N}_@-]+(?![\p{L}\p{N}_/.])/gu),
  )
    .filter(
      ({ index }) =>
        !/(?:not|n't|never|without|leave|nicht|kein\w*|ohne|ne|sans|no|sin)(?:\s+\S+){0,3}\s+\W*$/iu.test(
          text.slice(Math.max(0, index - 60), index),
        ),
    )
    .map(([path]) => path)
    .filter((path) => !untouched.includes(cleanPath(path)));
}

function isDeclared(path: string, { declared, except }: Scope): boolean {
  return declared.some((each) => covers(each, path)) && !except.some((each) => covers(each, path));
}

function isOutside(path: string, scope: Scope): boolean {
  if (isScratch(path) || isDeclared(path, scope)) return false;
  if (scope.named.some((each) => covers(each, path) || isSameName(each, path))) return false;
  return !goesWith(path, scope.parts, scope.about);
}

/** People say `pager.py` and mean `app/pager.py`, or README and mean README.md. */
function isSameName(named: string, path: string): boolean {
  const name = cleanPath(named);
  if (isGlob(name) || named.endsWith("/")) return false;
  const whole = cleanPath(path);
  return (
    whole.endsWith(`/${name}`) || (!/\.\w+$/.test(name) && baseName(whole).replace(/\.\w+$/, "") === name)
  );
}

/** A file of a declared folder that is looked at tells which tests belong there. */
function remember({ tool, args }: ProposedCall, scope: Scope): void {
  const path = /^(?:read_file|read_file_chunked|write_file|edit_file)$/.test(tool)
    ? textArg(args, "path")
    : undefined;
  if (path !== undefined && scope.parts.length < partsMax && isDeclared(path, scope))
    scope.parts.push(partOf(path));
}

function isScratch(path: string): boolean {
  return /^(?:\/tmp|\/var\/tmp|\/dev|\/private\/tmp)(?:\/|$)|(?:^|\/)(?:node_modules|\.git|\.cache|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.next|\.turbo|\.venv|\.nyc_output|dist|coverage|tmp|\.tmp)(?:\/|$)/.test(
    path,
  );
}

// --- What was changed ------------------------------------------------------------------------------

function hasFailed({ output }: CallOutcome): boolean {
  return /^\s*(?:exit=(?!0\b)-?\d|ERROR\b)/.test(output);
}

function changedNothing({ tool }: ProposedCall, { output }: CallOutcome): boolean {
  return (
    (tool === "edit_file" || tool === "write_file") &&
    /\b(?:0 (?:replacements|hunks|changes)|no changes?|unchanged|nothing (?:to )?chang\w+|dry[- ]run|not (?:written|applied))\b/i.test(
      output,
    )
  );
}

function shellOf({ tool, args }: ProposedCall): ShellChanges | undefined {
  const command = tool === "run_shell" ? textArg(args, "command") : undefined;
  return command === undefined ? undefined : changedByShell(command);
}

function changedPaths(
  { tool, args }: ProposedCall,
  { output }: CallOutcome,
  shell: ShellChanges | undefined,
  scope: Scope,
): string[] {
  if (tool === "write_file" || tool === "edit_file") {
    const path = textArg(args, "path");
    return path === undefined ? [] : [cleanPath(path)];
  }
  if (shell === undefined) return [];
  const { swept, isFixer, isNamed } = shell;
  const paths = shell.paths.filter((path) => !isByProduct(path));
  const snapshots = updatesSnapshots.test(textArg(args, "command") ?? "") ? snapshotsIn(output) : [];
  const reported = readsOnly.test(textArg(args, "command") ?? "") ? [] : reportedIn(output);
  if (swept.length === 0) return [...paths, ...snapshots, ...reported];
  // A formatter over a folder says itself which files it changed.
  const lines = output
    .split("\n")
    .filter((line) => !/\b(?:unchanged|left|already|skipp?ed|ignored)\b/i.test(line));
  const saying = isFixer
    ? lines.filter((line) =>
        /\b(?:fixe[ds]|corrected|formatt\w+|reformatt\w+|chang\w+|wr[io]t\w+|\d+\s?ms)\b/i.test(line),
      )
    : lines;
  const listed = saying.flatMap(pathsIn).filter((path) => swept.some((each) => covers(each, path)));
  const wide = swept.filter((each) => !isWithin(each, scope));
  const silent =
    listed.length === 0 && !pathsIn(output).length && sweptMany(output, wide, isNamed && !isFixer)
      ? wide.slice(0, 1)
      : [];
  return [
    ...paths,
    ...listed.map(cleanPath),
    ...silent.map((each) => (each === "" ? "the whole tree" : each)),
  ];
}

const updatesSnapshots =
  /(?<![\w-])(?:-u|--update(?:-?snapshots?)?|--updateSnapshot|--snapshot-update|--accept)(?![\w-])/i;

function snapshotsIn(output: string): string[] {
  const lines = output.split("\n").filter((line) => /\b(?:updated|written|wrote|removed)\b/i.test(line));
  return lines.flatMap(pathsIn).filter((path) => /\.snap$|__snapshots__/.test(path));
}

/** A script that says which files it changed. */
function reportedIn(output: string): string[] {
  const lines = Array.from(output.matchAll(reports), ([, path = ""]) => path);
  return lines.filter((path) => pathsIn(path).includes(path) && !isByProduct(path)).map(cleanPath);
}

const reports =
  /^\s*(?:[✔✓*•-]\s*)?(?:updated|modified|rewrote|wrote|deleted|patched|patching file|reformatted|renamed|overwrote):?\s+[`'"]?([\w./@-]+)[`'"]?(?=\s|$|[,:(])/gim;
const readsOnly =
  /(?:^|[|&;]\s*)(?:cat|grep|rg|tail|head|less|git|sed -n|awk|ls|echo|printf|docker|kubectl|gh|curl|diff)\s|--(?:check|dry-run|diff)\b|\b(?:test|jest|vitest|pytest)\b/;

function isByProduct(path: string): boolean {
  return (
    /\.(?:log|out|tmp|temp|bak|orig|patch|diff|pid|pyc|tsbuildinfo)$/i.test(path) ||
    /(?:^|\/)(?:build|target|out)(?:\/|$)/.test(path)
  );
}

function isWithin(folder: string, { declared, named }: Scope): boolean {
  return [...declared, ...named].some((each) => covers(each, folder) || covers(each, `${folder}/x`));
}

/** The output counts several files; or it says nothing of a formatter that was sent over the whole tree. */
function sweptMany(output: string, wide: readonly string[], isMeant: boolean): boolean {
  if (wide.length === 0) return false;
  const counts = output.matchAll(
    /\b(\d+) (?:files?|dateien|fichiers|archivos)(?: \w+)? ?(?:re|were |was )?(?:formatted|changed|fixed|written|updated|modified|rewritten|geändert)|(?:formatted|changed|fixed|wrote|updated|modified|rewrote) (\d+) files?/gi,
  );
  const many = Array.from(counts, ([, a, b]) => Number(a ?? b));
  if (many.length > 0) return many.some((count) => count > 1);
  if (
    /\b(?:unchanged|already|no (?:changes|fixes|files|offenses)|nothing|0 files|all matched|all checks passed|up to date)\b/i.test(
      output,
    )
  )
    return false;
  return isMeant && wide.some((each) => each === "" || each === ".") && /^\s*(?:exit=0)?\s*$/.test(output);
}

/** After a formatter ran over more than the scope, git tells what it changed. */
function changedAsGitSays(call: ProposedCall, { output }: CallOutcome, swept: readonly string[]): string[] {
  const command = call.tool === "run_shell" ? (textArg(call.args, "command") ?? "") : "";
  if (
    !/^\s*git (?:-\S+ )*(?:status\b.*(?:-s|--short|--porcelain)|diff\b.*(?:--stat|--name-only|--name-status))/.test(
      command,
    )
  )
    return [];
  const lines = output.split("\n").filter((line) => !/^\s*(?:\?\?|exit=)/.test(line));
  return lines
    .flatMap(pathsIn)
    .map(cleanPath)
    .filter((path) => swept.some((each) => covers(each, path)));
}
