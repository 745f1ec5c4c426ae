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

    const note = (path: string, part: Part | "search"): Finding | undefined => {
      const parts = read.get(path);
      if (parts === undefined) return undefined;
      if (part === "search" ? parts.length > 0 : parts.some((earlier) => overlaps(earlier, part))) {
        return {
          what: `${path} was written with integrity=ok, read back once, and is read again although nothing changed.`,
          remedy: `Trust the report of the write and the one read of ${path}, and go on.`,
        };
      }
      if (part !== "search") parts.push(part);
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
            if (/\bintegrity=ok\b/.test(outcome.output)) read.set(path, []);
            else read.delete(path);
            return undefined;
          case "edit_file":
            read.delete(path);
            return undefined;
          case "read_file":
          case "read_file_chunked":
            return note(path, partOf(call.args, outcome.output));
          case "grep_file":
            return note(path, "search");
          default:
            return undefined;
        }
      },
    };
  },
};

/** Which of the paths a command may have changed. A program that nobody knows may have changed them all. */
function disturbedBy(command: ShellCommand, read: ReadonlyMap<string, unknown>): string[] {
  const effect = effectOf(command);
  if (effect === "reads" || effect === "checks") return [];
  const known = new Set(changedPaths(command));
  const [program = "", verb = ""] = command.words;
  const narrow =
    effect === "changes" && (known.size > 0 || /^(?:npm|pnpm|yarn|bun|pip|cargo|mkdir|kill)$/.test(program));
  const harmless = program === "git" && /^(?:add|commit|push|fetch|tag|branch)$/.test(verb);
  if (harmless) return [];
  if (!narrow || isBroad(command)) return [...read.keys()];
  return [...read.keys()].filter((path) =>
    [...known].some(
      (changed) =>
        changed === path || changed === "" || path.startsWith(`${changed}/`) || changed.includes("*"),
    ),
  );
}

/** It says where to work by a folder or not at all. */
function isBroad({ words }: ShellCommand): boolean {
  const [program = "", verb = ""] = words;
  if (program === "git") return !/^(?:mv|rm)$/.test(verb);
  return (
    words.includes(".") ||
    (/^(?:npm|pnpm|yarn|bun)$/.test(program) && /^run$|format|fmt|fix|gen/.test(verb)) ||
    (program === "cargo" && verb.startsWith("f"))
  );
}

function* readBy(command: ShellCommand): Generator<[string, Part | "search"]> {
  const [program = "", ...rest] = command.words;
  const files = rest.filter((word) => !word.startsWith("-")).map((word) => joined(command.folder, word));
  switch (program) {
    case "cat":
    case "less":
    case "more":
    case "bat":
    case "nl":
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
      for (const file of files.slice(1)) yield [file, "search"];
      return;
    default:
  }
}
