/**
 * The first thing that runs: a shell that takes on the limits of a command and
 * becomes the command.
 *
 * What a newcomer gets wrong: `ulimit -v` counts what is only reserved, and
 * WebAssembly reserves a lot; `-d` counts what can be written. `-u` does not bind
 * root, and on older systems it counts all processes of the user: who watches the
 * command (`tree.ts`) counts for it.
 */
import { availableParallelism, release } from "node:os";
import { type CommandLimits, commandLimits } from "../limits.js";

export interface Limiting {
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
  /** Of the size of files, in blocks of 1,024 bytes. */
  readonly fileBlocks: number;
  /** Behind the wall: told by a `+` once the shell runs. */
  readonly statusFd?: number;
}

/** For a shell that is about to become the command; ended by a line end. */
export function limitingScript({ timeoutMs, limits, fileBlocks, statusFd }: Limiting): string {
  // Enough for every core for the whole time, and an end for what outlives this program.
  const cpuSeconds = Math.ceil((timeoutMs + commandLimits.graceMs) / 1_000 + 5) * availableParallelism();
  const memory = Math.floor(limits.memoryBytes / 1_024);
  const each = ["-c 0", `-f ${fileBlocks}`, `-t ${cpuSeconds}`, `-d ${memory}`];
  return [
    ...(statusFd === undefined ? [] : [`printf + >&${statusFd}`]),
    ...each.map((limit) => `ulimit ${limit} 2>/dev/null`),
    // dash counts processes with -p, bash with -u.
    ...(statusFd !== undefined && countsPerNamespace()
      ? [`{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null`]
      : []),
    "",
  ].join("\n");
}

/** The words of the command itself. */
export function shellWords(shell: string, command: string): string[] {
  return [shell, "--noprofile", "--norc", "-c", "--", command];
}

/** Since Linux 5.14 a user namespace has its own count. */
function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.platform === "linux" && (major > 5 || (major === 5 && minor >= 14));
}
