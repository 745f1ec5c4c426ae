/**
 * R-GREP-BEFORE-REFACTOR: something that others use gets another name or other
 * parameters, and nobody looked for who uses it.
 *
 * What a newcomer gets wrong: an edit shows only a piece of the file. What was
 * read of it in this send is kept (the latest reading a path), so that the piece
 * can be put in its place and both states compared.
 */
import { isJsonObject, type JsonObject } from "@bridle/record";
import { lineCommands } from "../../shell/line-commands.js";
import { textArg } from "../reading/args.js";
import { type Declaration, declarationsIn, languageOf } from "../reading/declarations.js";
import { cleanPath } from "../reading/scope-paths.js";
import type { Detector, Finding } from "../types.js";

const keptCharsMax = 64 * 1024;

export const grepBeforeRefactor: Detector = {
  begin() {
    const searches = new Searches();
    const texts = new Map<string, string>();

    function edited(path: string, steps: readonly Step[]): Finding | undefined {
      const language = languageOf(path);
      const known = texts.get(path);
      let after = known;
      let finding: Finding | undefined;
      for (const step of steps) {
        const placed = after === undefined ? undefined : applied(after, step);
        if (language !== undefined && finding === undefined) {
          const before = placed === undefined ? step.search : (after ?? "");
          const whole = placed !== undefined;
          const change = changeOf(
            declarationsIn(before, language, whole),
            declarationsIn(placed ?? step.replace, language, whole),
            placed ?? step.replace,
            (name) => searches.cover(name),
          );
          if (change !== undefined) finding = findingOf(change, path);
        }
        after = placed ?? after;
      }
      if (after !== undefined) texts.set(path, after);
      return finding;
    }

    return {
      ran({ tool, args }, { ok, output }) {
        const path = pathOf(args);
        const failedSearch = !ok && /^\s*ERROR\b/.test(output);
        if (!failedSearch) searches.add(tool, args);
        if (!ok) return undefined;
        if (path === undefined) return undefined;
        if (tool.startsWith("read_file") && output.length <= keptCharsMax)
          texts.set(path, unnumbered(output));
        if (tool === "edit_file") return edited(path, stepsOf(args));
        const content = tool === "write_file" ? textArg(args, "content") : undefined;
        const known = texts.get(path);
        if (content === undefined) return undefined;
        if (args["mode"] === "append" || content.length > keptCharsMax) texts.delete(path);
        else if (known !== undefined) return edited(path, [{ search: known, replace: content }]);
        return undefined;
      },
    };
  },
};

function pathOf(args: JsonObject): string | undefined {
  const path = textArg(args, "path", "file_path", "file");
  return path === undefined ? undefined : cleanPath(path);
}

// --- What changed -----------------------------------------------------------------------------------

type Change = { readonly name: string; readonly to?: string };

function changeOf(
  before: readonly Declaration[],
  after: readonly Declaration[],
  afterText: string,
  searched: (name: string) => boolean,
): Change | undefined {
  const had = new Set(before.map(({ name }) => name));
  const has = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !had.has(name));
  for (const old of before) {
    if (old.exported !== true || searched(old.name)) continue;
    if (!has.has(old.name)) {
      const heir =
        added.find(({ kind }) => kind === old.kind) ??
        added.find(({ kind }) => kind !== "type" && old.kind !== "type");
      const alias = new RegExp(`\\bas\\s+${escaped(old.name)}\\b`).test(afterText);
      if (heir !== undefined && !alias) return { name: old.name, to: heir.name };
    } else if (
      old.parameters !== undefined &&
      !after.some(
        (now) =>
          now.name === old.name &&
          (now.kind === "type") === (old.kind === "type") &&
          sameParameters(old, now),
      )
    )
      return { name: old.name };
  }
  return undefined;
}

/** Cut-off ones count as the same. */
function sameParameters({ parameters: a }: Declaration, { parameters: b }: Declaration): boolean {
  if (a === undefined || b === undefined) return true;
  return a.length === b.length && a.every((each, i) => shape(each) === shape(b[i] ?? ""));
}

/** A default's value is no matter of the call sites, that there is one is. */
function shape(parameter: string): string {
  return parameter.replace(/(?<![=!<>])=(?![=>]).*$/s, "=").trim();
}

function findingOf({ name, to }: Change, path: string): Finding {
  const what = to === undefined ? `got other parameters` : `was renamed to ${to}`;
  return {
    what: `${name} in ${path} ${what}, and its name had not been searched for.`,
    remedy: `Search for ${name} with grep_file or a search command now, and mend its call sites.`,
  };
}

// --- Edits ------------------------------------------------------------------------------------------

interface Step {
  readonly search: string;
  readonly replace: string;
  readonly all?: boolean;
}

function stepsOf(args: JsonObject): Step[] {
  const diff = textArg(args, "diff", "patch");
  if (diff !== undefined) return hunksOf(diff);
  const list = Array.isArray(args["replacements"]) ? args["replacements"] : [args];
  return list.flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const search = item["search"] ?? item["old_string"] ?? item["old_str"];
    const replace = item["replace"] ?? item["new_string"] ?? item["new_str"];
    if (typeof search !== "string" || typeof replace !== "string" || search === "") return [];
    return [{ search, replace, all: item["all"] === true || item["replace_all"] === true }];
  });
}

function hunksOf(diff: string): Step[] {
  const steps: Step[] = [];
  for (const hunk of diff.split(/^@@.*$/m)) {
    const lines = hunk.split("\n").filter((line) => !/^(?:---|\+\+\+|diff |index |\\ )/.test(line));
    const side = (other: string) =>
      lines.filter((line) => line !== "" && !line.startsWith(other)).map((line) => line.slice(1));
    const [search, replace] = [side("+").join("\n"), side("-").join("\n")];
    if (lines.some((line) => /^[-+]/.test(line))) steps.push({ search, replace });
  }
  return steps;
}

/** Undefined where the text does not hold what is replaced. */
function applied(text: string, { search, replace, all }: Step): string | undefined {
  if (!text.includes(search)) return undefined;
  return all === true ? text.replaceAll(search, () => replace) : text.replace(search, () => replace);
}

/** Some readers put numbers before the lines. */
function unnumbered(text: string): string {
  const lines = text.split("\n");
  const number = /^\s*\d+(?:[:|→]|\t| {2})\s?/;
  const numbered = lines.filter((line) => number.test(line)).length;
  return numbered > 0 && numbered >= lines.length - 2
    ? lines.map((line) => line.replace(number, "")).join("\n")
    : text;
}

// --- Searches ---------------------------------------------------------------------------------------

/** What was looked for in this send: whole words, and pieces that also find longer names. */
class Searches {
  private readonly words = new Set<string>();
  private readonly pieces = new Set<string>();

  add(tool: string, args: JsonObject): void {
    if (tool === "run_shell") this.command(textArg(args, "command") ?? "");
    else if (
      /grep|references|usages|symbol|callers|code_search|search_code|search_files/.test(tool) &&
      !/^(?:web|memory)/.test(tool)
    )
      for (const name of patternArgs) this.pattern(textArg(args, name) ?? "");
  }

  cover(name: string): boolean {
    const small = name.replace(/^#/, "").toLowerCase();
    if (this.words.has(small)) return true;
    for (const piece of this.pieces) if (small.includes(piece)) return true;
    return false;
  }

  private command(command: string): void {
    if (
      !/\b(?:e?grep|rg|ag|ack|findstr|select-string|ast-grep|sg|semgrep|cscope|gopls|rust-analyzer|ctags|global)\b/i.test(
        command,
      )
    )
      return;
    for (const { words } of lineCommands(command)) {
      const at = words.findIndex((word) =>
        /^(?:[\w/]*\/)?(?:[efz]?grep|rg|ag|ack|findstr|select-string|ast-grep|sg|semgrep|cscope|gopls|global)$/i.test(
          word,
        ),
      );
      if (at < 0) continue;
      const rest = words.slice(at + 1);
      const exact = rest.some((word) => /^-[a-zA-Z]*w|^--word-regexp$/.test(word));
      for (const pattern of soughtBy(rest)) this.pattern(pattern, exact);
    }
  }

  private pattern(pattern: string, exact = false): void {
    const bounded = exact || /\\b|\\<|\\w|\^|\$$/.test(pattern);
    for (const word of pattern.replace(/\\[a-zA-Z<>]/g, " ").match(/[\p{L}\p{N}_$]+/gu) ?? []) {
      this.words.add(word.toLowerCase());
      if (!bounded && word.length >= 4 && /^[\p{L}\p{N}_$|()?:\\ ]+$/u.test(pattern))
        this.pieces.add(word.toLowerCase());
    }
  }
}

const patternArgs = ["pattern", "query", "regex", "symbol", "name", "text", "search", "q", "identifier"];

/** Values of `-e`, or else the first operand; what follows are paths. */
function soughtBy(rest: readonly string[]): string[] {
  const given: string[] = [];
  const operands: string[] = [];
  for (let i = 0; i < rest.length; i += 1) {
    const word = rest[i] ?? "";
    if (/^(?:-[a-zA-Z]*e|--regexp)$/.test(word)) given.push(rest[(i += 1)] ?? "");
    else if (
      /^(?:-[ABCmtgTdj]|--(?:type|glob|max-count|context|iglob|type-not|threads|lang|pattern))$/.test(word)
    ) {
      i += 1;
      if (word === "--pattern") given.push(rest[i] ?? "");
    } else if (!word.startsWith("-")) operands.push(word);
    else given.push(...(/^--(?:regexp|pattern)=(.*)$/.exec(word)?.slice(1) ?? []));
  }
  if (given.length > 0) return given;
  // `gopls references x`, `sg run x`: a word of command stands before.
  return operands.slice(0, /^(?:references|run|scan|search|symbols?)$/.test(operands[0] ?? "") ? 2 : 1);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
