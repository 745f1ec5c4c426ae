/**
 * A command line as the simple commands that it would run, in plain texts.
 *
 * What a newcomer gets wrong: this is no gate. It reads what an honest model
 * writes, to tell what a command is for; whether a command may run at all is
 * decided by the policy of the shell tool, from the strict tree. Commands stand in
 * the order in which they are written, whether or not they would be reached; those
 * of substitutions come last.
 */
import { likelyScript } from "./parse.js";
import { commandsIn } from "./walk.js";

export interface LineCommand {
  /** Assignments before it, then its words, without quotes and redirections. */
  readonly words: readonly string[];
  /** What is really run: without assignments and wrappers such as `sudo` or `npx`. */
  readonly run: readonly string[];
  /** Files that its output goes to, from where the line began. */
  readonly writesTo: readonly string[];
  /** The folder that an earlier `cd` of the line chose; `""` where none did. */
  readonly folder: string;
  /** What is written into it on the lines below. */
  readonly heredoc: string | undefined;
  /** A file or a text is its input. */
  readonly fed: boolean;
  /** It reads the output of the one before. */
  readonly piped: boolean;
  /** Whose output it reads, where that is a simple command. */
  readonly before: LineCommand | undefined;
  /** It goes on while the next one begins. */
  readonly background: boolean;
  /** It, or what it starts, may go on after the line returned. */
  readonly leavesRunning: boolean;
  /** After `||`: it runs only if what stands before failed. */
  readonly otherwise: boolean;
  /** Something else decides how the line ends. */
  readonly statusHidden: boolean;
  /** In a substitution: what it prints becomes part of another command. */
  readonly substituted: boolean;
}

const known = new Map<string, readonly LineCommand[]>();
const knownMax = 400;

export function lineCommands(line: string): readonly LineCommand[] {
  const before = known.get(line);
  if (before !== undefined) return before;
  const commands = commandsIn(likelyScript(line));
  if (known.size >= knownMax) known.clear();
  known.set(line, commands);
  return commands;
}
