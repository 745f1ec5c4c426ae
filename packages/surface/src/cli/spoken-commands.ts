/**
 * Commands as people say them: other words for a command that is there already.
 *
 * What a newcomer gets wrong: none of these is an operation. The parser, help and completion see an
 * entry with other words; what runs, its action and its answer are those of the command that is meant.
 */
import type { Launcher } from "./commands.js";

export interface SpokenCommand {
  readonly words: readonly string[];
  readonly means: readonly string[];
  /** Launchers that know it; a frozen contract has no short words of ours. */
  readonly launchers: readonly Launcher[];
}

export const spokenCommands: readonly SpokenCommand[] = [
  { words: ["issue", "ls"], means: ["issue", "list"], launchers: ["bridle", "premath"] },
  { words: ["ready"], means: ["issue", "ready"], launchers: ["bridle"] },
  { words: ["add"], means: ["issue", "add"], launchers: ["bridle"] },
  { words: ["claim-next"], means: ["issue", "claim-next"], launchers: ["bridle"] },
  { words: ["close"], means: ["issue", "close"], launchers: ["bridle"] },
];
