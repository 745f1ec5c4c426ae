/**
 * What the commands of a line do at most: read, check, change, or nobody knows.
 *
 * What a newcomer gets wrong: an unknown program is neither safe nor guilty.
 * Detectors that accuse take `changes` only; those that excuse take `unknown`
 * with it.
 */
import { readCommand } from "../../effects/command.js";
import { type LineCommand, lineCommands } from "../../shell/line-commands.js";
import { checkOf } from "./shell-checks.js";

export type ShellEffect = "reads" | "checks" | "changes" | "unknown";

/** The commands of a line that do something; where `cd` went stands in each of them. */
export function commandsOf(line: string): readonly LineCommand[] {
  return lineCommands(line).filter(
    ({ run: [program = ""], writesTo }) =>
      writesTo.length > 0 ||
      (program !== "" && program !== "cd" && program !== "pushd" && program !== "popd"),
  );
}

export function effectOf(command: LineCommand): ShellEffect {
  const { effects, unknown } = readCommand(command);
  if (effects.some(({ kind }) => kind !== "network")) return "changes";
  if (checkOf(command.run) !== undefined) return "checks";
  return unknown ? "unknown" : "reads";
}

/** The strongest of a whole line. */
export function lineEffect(commands: readonly LineCommand[]): ShellEffect {
  const effects = commands.map(effectOf);
  for (const effect of ["changes", "unknown", "checks"] as const) if (effects.includes(effect)) return effect;
  return "reads";
}

/** Files that a command names as what it changes; empty where it does not say. */
export function changedPaths(command: LineCommand): string[] {
  return readCommand(command).effects.flatMap(({ path }) => path ?? []);
}
