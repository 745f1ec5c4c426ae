/**
 * Starts a program of our own that lives on by itself: in a session of its own, so that neither Ctrl-C nor the end of
 * this process ends it, with all that it says in a file.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Environment } from "../types.js";

export interface ProgramRequest {
  readonly words: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  /** Absolute; appended to. */
  readonly outputPath: string;
}

export interface StartedProgram {
  readonly pid: number;
  /** Contract: never rejects; a program that could not be started ends with the code 127. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Asks it to end. */
  stop(): void;
  /** Lets this process end while the program lives. */
  leave(): void;
}

export function startProgram({ words, cwd, env, outputPath }: ProgramRequest): StartedProgram {
  const [program, ...rest] = words;
  const output = openSync(outputPath, "a", 0o600);
  try {
    const child = spawn(program, rest, { cwd, env, detached: true, stdio: ["ignore", output, output] });
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once("error", () => resolve({ code: 127, signal: null }));
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    return {
      pid: child.pid ?? 0,
      ended,
      stop: () => void child.kill("SIGTERM"),
      leave: () => child.unref(),
    };
  } finally {
    closeSync(output);
  }
}

/** How this very program is started again; `named`: a command line that a setting names, in the place of it. */
export function ownProgram(named: string | undefined): readonly [string, ...string[]] {
  // Divided into words as a shell does it.
  if (named !== undefined && named.trim() !== "") return ["bash", "-c", `exec ${named} "$@"`, "bridle"];
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}
