/**
 * Which files a shell command line changes for certain.
 *
 * What a newcomer gets wrong: what cannot be told from the line (variables, most
 * of `xargs`, scripts) is left out, and so is what only comes along or is taken
 * back, for detectors are silent when in doubt.
 */
import { readCommand } from "../../effects/command.js";
import { lineCommands } from "../../shell/line-commands.js";
import { placed } from "../../shell/walk.js";

export interface ShellChanges {
  /** Files and globs that are certainly written, moved or removed. */
  readonly paths: readonly string[];
  /** Folders or globs that a formatter or fixer went over; what it changed stands in its output. */
  readonly swept: readonly string[];
  /** A fixer names what it complains of, not what it changed. */
  readonly isFixer: boolean;
  /** Where it went stands in the command, so it was meant. */
  readonly isNamed: boolean;
}

export function changedByShell(line: string): ShellChanges {
  const paths: string[] = [];
  const swept: string[] = [];
  let isFixer = false;
  let isNamed = false;
  for (const command of lineCommands(line)) {
    if (command.otherwise) continue;
    for (const { path, how } of readCommand(command).effects) {
      if (path === undefined || how === "undo" || how === "aside" || !isPlain(path)) continue;
      if (how === undefined) {
        paths.push(path);
        continue;
      }
      swept.push(path);
      isFixer ||= how === "fix";
      isNamed ||= command.run.some((word) => placed(command.folder, word) === path);
    }
  }
  return { paths, swept, isFixer, isNamed };
}

function isPlain(path: string): boolean {
  return !/[$`<>|;]/.test(path) && !path.startsWith("~") && path !== "{}";
}
