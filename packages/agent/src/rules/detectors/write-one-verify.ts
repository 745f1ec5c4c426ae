/**
 * R-WRITE-ONE-VERIFY: what was written intact is read back once at most.
 *
 * What a newcomer gets wrong: parts that do not overlap are one read of a long
 * file, and after anything that may have changed the file the count ends.
 */
import { pathOf } from "../reading/paths.js";
import { overlaps, type Part, partOf, wholeFile } from "../reading/ranges.js";
import { changedPaths, effectOf } from "../reading/shell-effects.js";
import { readShell, type ShellCommand } from "../reading/shell.js";
import { joined } from "../reading/paths.js";
import type { CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

export const writeOneVerify: Detector = {
  begin() {
    /** Parts read since the intact write, by path. */
    const read = new Map<string, Part[]>();

    const note = (path: string, part: Part): Finding | undefined => {
      const parts = read.get(path);
      if (parts === undefined) return undefined;
      if (parts.some((earlier) => overlaps(earlier, part))) {
        return {
          what: `${path} was written with integrity=ok, read back once, and is read again although nothing changed.`,
          remedy: `Trust the report of the write and the one read of ${path}, and go on.`,
        };
      }
      parts.push(part);
      return undefined;
    };

    const shell = (call: ProposedCall, outcome: CallOutcome): Finding | undefined => {
      const line = call.args["command"];
      if (typeof line !== "string" || outcome.ran === false) return undefined;
      let finding: Finding | undefined;
      for (const command of readShell(line)) {
        if (outcome.ok) for (const [path, part] of readBy(command)) finding ??= note(path, part);
        for (const path of disturbedBy(command, read)) read.delete(path);
      }
      return finding;
    };

    return {
      ran(call, outcome) {
        if (call.tool === "run_shell") return shell(call, outcome);
        const path = pathOf(call.args);
        if (path === undefined || !outcome.ok) return undefined;
        switch (call.tool) {
          case "write_file":
            if (/\bintegrity\s*[=:]\s*ok\b/.test(outcome.output)) read.set(path, []);
            else read.delete(path);
            return undefined;
          case "edit_file":
            read.delete(path);
            return undefined;
          case "read_file":
          case "read_file_chunked":
            return note(path, partOf(call.args, outcome.output));
          case "grep_file":
            return note(path, wholeFile);
          default:
            return undefined;
        }
      },
    };
  },
};

/** What they change is elsewhere: packages, containers, databases, permissions, history. */
const elsewhere =
  /^(?:npm|pnpm|yarn|bun|pip|uv|poetry|gem|bundle|composer|docker|docker-compose|podman|kubectl|helm|terraform|createdb|dropdb|psql|mysql|sqlite3|curl|wget|kill|pkill|systemctl|service|ssh|scp|chmod|chown|chgrp|touch|mkdir|aws|gh|brew|apt|apt-get|venv)$/;
const rewriting =
  /format|fmt|prett|fix|gen(?:erate)?\b|codegen|convert|renam|codemod|rewrite|i18n|extract|sync|template/i;

/** Which of the paths a command may have changed. To run a program changes none of them, unless it is there to rewrite. */
function disturbedBy(command: ShellCommand, read: ReadonlyMap<string, unknown>): string[] {
  const effect = effectOf(command);
  if (effect === "reads" || effect === "checks") return [];
  const { words } = command;
  const [program = "", verb = ""] = words;
  const all = [...read.keys()];
  const known = changedPaths(command);
  const touched = all.filter((path) =>
    known.some((one) => one === path || one === "" || path.startsWith(`${one}/`) || one.includes("*")),
  );
  if (effect === "unknown") {
    if (/^(?:python[\d.]*|node|ruby|perl|php|(?:ba|z|da)?sh|deno|go|cargo)$/.test(program)) return [];
    const named = new Set(words.slice(1).map((word) => joined(command.folder, word)));
    return all.filter((path) => named.has(path));
  }
  if (program === "git")
    return /^(?:add|commit|push|fetch|tag|branch|init|config)$/.test(verb)
      ? []
      : /^(?:mv|rm)$/.test(verb)
        ? touched
        : all;
  if (
    command.writes.length === 0 &&
    !words.includes("--write") &&
    !words.includes("--fix") &&
    isElsewhere(words)
  )
    return [];
  return known.length > 0 ? touched : all;
}

function isElsewhere([program = "", ...rest]: readonly string[]): boolean {
  const script = /^(?:npm|pnpm|yarn|bun|make|just|task)$/.test(program) || program.includes("/");
  if (script) return !rewriting.test([program, ...rest].join(" "));
  return elsewhere.test(program);
}

function* readBy(command: ShellCommand): Generator<[string, Part]> {
  const [program = "", ...rest] = command.words;
  const files = rest.filter((word) => !word.startsWith("-")).map((word) => joined(command.folder, word));
  switch (program) {
    case "cat":
    case "less":
    case "more":
    case "bat":
    case "nl":
    case "tail":
      for (const file of files) yield [file, wholeFile];
      return;
    case "head": {
      const count = Number(
        /^-n?(\d+)$/.exec(rest.find((word) => /^-n?\d+$/.test(word)) ?? "")?.[1] ??
          (rest[0] === "-n" ? rest[1] : 10),
      );
      for (const file of files) yield [file, { unit: "line", from: 1, to: count }];
      return;
    }
    case "sed": {
      const span = /^(\d+),(\d+)p$/.exec(files[0] ?? "");
      if (!rest.includes("-n") || span === null) return;
      for (const file of files.slice(1))
        yield [file, { unit: "line", from: Number(span[1]), to: Number(span[2]) }];
      return;
    }
    case "grep":
    case "rg":
      if (rest.some((word) => /^-\w*[cqlL]/.test(word))) return;
      for (const file of files.slice(1)) yield [file, wholeFile];
      return;
    default:
  }
}
