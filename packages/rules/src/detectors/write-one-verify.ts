/**
 * R-WRITE-ONE-VERIFY: what was written intact is read back once at most.
 *
 * What a newcomer gets wrong: parts that do not overlap are one read of a long
 * file, and after anything that may have changed the file the count ends.
 */
import type { LineCommand } from "../../shell/line-commands.js";
import { pathOf } from "../reading/paths.js";
import { overlaps, type Part, partOf, wholeFile } from "../reading/ranges.js";
import { changedPaths, commandsOf, effectOf } from "../reading/shell-effects.js";
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
      for (const command of commandsOf(line)) {
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

/** Programs and scripts that are there to rewrite files. */
const rewrites =
  /format|fmt|prett|tidy|fix|\bgen(?:erate)?\b|codegen|convert|renam|codemod|rewrite|i18n|extract|sync|template|black|isort|autopep8|yapf|dos2unix|patch|sed|perl|unzip|tar/i;
const rewritesHere = /^(?:-i|-w|--write|--fix|--in-?place|--apply)$/;

/** Which of the paths a command may have changed. To run a program changes none of them, unless it is there to rewrite. */
function disturbedBy(command: LineCommand, read: ReadonlyMap<string, unknown>): string[] {
  const effect = effectOf(command);
  if (effect === "reads" || effect === "checks") return [];
  const { run: words } = command;
  const [program = "", verb = ""] = words;
  const all = [...read.keys()];
  if (program === "git" && /^(?:add|commit|push|fetch|tag|branch|init|config)$/.test(verb)) return [];
  const known = changedPaths(command);
  if (known.length > 0 && !(program === "git" && !/^(?:mv|rm)$/.test(verb))) {
    if (/^(?:chmod|chgrp|chown|touch|mkdir)$/.test(program)) return [];
    return all.filter((path) =>
      known.some((one) => one === path || one === "" || path.startsWith(`${one}/`) || one.includes("*")),
    );
  }
  const inline = effect === "changes" && /^(?:python[\d.]*|node|ruby|perl|php|deno|bun)$/.test(program);
  const named = [program, ...words.slice(1).filter((word) => !read.has(joined(command.folder, word)))].join(
    " ",
  );
  return program === "git" || inline || rewrites.test(named) || words.some((word) => rewritesHere.test(word))
    ? all
    : [];
}

function* readBy(command: LineCommand): Generator<[string, Part]> {
  const [program = "", ...rest] = command.substituted ? [] : command.run;
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
