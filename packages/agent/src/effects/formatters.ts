/**
 * Formatters and fixers: programs that go over many files and rewrite some.
 *
 * What a newcomer gets wrong: a file that is named was meant, a folder was swept.
 * Where nothing is named it is the whole project, and with `--check` it is nothing.
 */
import { type Call, has, of, operands, type Program } from "./call.js";
import type { Effect } from "./effect.js";

const looks = /^(?:--check|--diff|--dry-run|--list-different|-l)$/;
const verbs = /^(?:format|fmt|check|lint|run|fix|write)$/;

/** It rewrites whenever it is not told to look only. */
const always: Program = (call) => (has(call.args, looks) ? [] : swept(call, "sweep"));
const withOption =
  (option: RegExp, how: "sweep" | "fix" = "sweep"): Program =>
  (call) =>
    has(call.args, option) && !has(call.args, looks) ? swept(call, how) : [];

function swept(call: Call, how: "sweep" | "fix"): readonly Effect[] {
  const named = operands(call.args).filter((word) => !verbs.test(word));
  return (named.length === 0 ? ["."] : named).map((path) => ({
    kind: "write",
    path: call.place(path),
    ...(isFolder(path) ? { deep: true as const, how } : {}),
  }));
}

/** The whole project, whatever else stands there. */
export function sweptAll(call: Call, how: "sweep" | "fix"): readonly Effect[] {
  return of("write", ["."], call, { deep: true, how });
}

function isFolder(path: string): boolean {
  return /[*{]/.test(path) || !/\.\w+$/.test(path) || path === "." || path === "..";
}

const rewrites = /^(?:--write|-w|--fix|--apply|--write-changes|--fix-\w+|--write=.*)$/;
const fixer = withOption(rewrites, "fix");
const inPlace = withOption(/^(?:-\w*[wi]|--in-place|--write)$/);

export const formatterPrograms: Readonly<Record<string, Program>> = {
  ...{ black: always, isort: always, rustfmt: always, autoflake: always, swiftformat: always, yapf: inPlace },
  ...{ scalafmt: always, oxfmt: always, dprint: (call) => (call.args[0] === "check" ? [] : always(call)) },
  ...{ prettier: withOption(rewrites), codespell: withOption(rewrites), gofumpt: inPlace },
  ...{
    eslint: fixer,
    stylelint: fixer,
    biome: fixer,
    oxlint: fixer,
    markdownlint: fixer,
    "markdownlint-cli2": fixer,
  },
  ...{
    standard: fixer,
    xo: fixer,
    rubocop: withOption(/^(?:-[aA]|--auto-?correct(?:-all)?|--fix)$/i, "fix"),
  },
  ruff: (call) => (call.args[0] === "format" ? always(call) : withOption(/^--fix$/, "fix")(call)),
  ...{ gofmt: inPlace, goimports: inPlace, "clang-format": inPlace, autopep8: inPlace, shfmt: inPlace },
};
