/**
 * The first thing that runs: a shell that takes on the limits of a command and
 * becomes the command.
 *
 * What a newcomer gets wrong: `ulimit -v` counts what is only reserved, and
 * WebAssembly reserves a lot; `-d` counts what can be written. `-u` does not bind
 * root, and on older systems it counts all processes of the user: who watches the
 * command (`watch-tree.ts`) counts for it.
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

/** For `sh -c`, followed by a name, the bash, and the command. Both outputs go into one pipe, so that their order is kept. */
export function limitingScript({ timeoutMs, limits, fileBlocks, statusFd }: Limiting): string {
  // Enough for every core for the whole time, and an end for what outlives this program.
  const cpuSeconds = Math.ceil((timeoutMs + commandLimits.graceMs) / 1_000 + 5) * availableParallelism();
  const each = [
    "-c 0",
    `-f ${fileBlocks}`,
    `-t ${cpuSeconds}`,
    `-d ${Math.floor(limits.memoryBytes / 1_024)}`,
  ];
  const tell = statusFd === undefined ? "" : `printf + >&${statusFd}; exec ${statusFd}>&-; `;
  // dash counts processes with -p, bash with -u.
  const processes =
    statusFd !== undefined && countsPerNamespace()
      ? `{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null; `
      : "";
  return `exec 2>&1; ${tell}${each.map((limit) => `ulimit ${limit} 2>/dev/null; `).join("")}${processes}exec "$1" --noprofile --norc -c -- "$2"`;
}

/** Since Linux 5.14 a user namespace has its own count. */
function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.platform === "linux" && (major > 5 || (major === 5 && minor >= 14));
}
