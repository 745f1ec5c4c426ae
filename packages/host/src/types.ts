/**
 * The manual of this room: how commands run on this machine.
 *
 *     command + needs ─▶ wall (bubblewrap) ─▶ bash ─▶ end, what vanished, what changed
 *
 * What a newcomer gets wrong: nothing here reads a command to find out what it
 * does. Whoever wants a command run says what it needs (`Needs`), and the
 * operating system holds it to that. A command that needs more than it said
 * fails; it does not get out.
 */
import type { CommandLimits } from "./limits.js";

/**
 * What a command may do, each more than the one before:
 * - `read`: see the workspace and the system; what it writes vanishes; no network;
 * - `write`: change the workspace, but for its protected paths;
 * - `network`: that, on the machine's network;
 * - `host`: whatever its user may do. There is no wall.
 */
export const needs = ["read", "write", "network", "host"] as const;
export type Needs = (typeof needs)[number];

export type { CommandLimits };
export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandsOptions {
  /** Absolute, with every link resolved. */
  readonly workspace: string;
  /** Of this program; a command gets a few names of it. */
  readonly env: Environment;
  /** Absolute paths that may be read behind the wall as well (`AGENT_SHELL_READ`). */
  readonly readable?: readonly string[];
  /** Folders besides the workspace that may be written behind the wall as well, absolute. */
  readonly writable?: readonly string[];
  /** Whether the repository that a worktree belongs to is only read: no command moves a branch then. */
  readonly repositoryReadOnly?: boolean;
  /** False where nobody asks what a command changed, and none is to run that only reads: then nothing is looked at for that. */
  readonly comparing?: boolean;
  /** Of all that a command starts, together; what is left out is as usual. */
  readonly limits?: Partial<CommandLimits>;
}

/** Whether commands can be held here. */
export type WallState =
  | {
      readonly stands: true;
      /** Whether what `read` writes goes to a layer that vanishes; otherwise writing fails. */
      readonly layer: boolean;
    }
  | { readonly stands: false; readonly because: string; readonly remedy: string };

export interface CommandRequest {
  readonly needs: Needs;
  /** For bash. */
  readonly command: string;
  /** Absolute, a folder of the workspace, with every link resolved. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Then it is ended: nobody reads so much, and it would keep the machine busy. */
  readonly outputBytesMax: number;
  /** What it reads on its standard input before the end of it; nothing when left out. */
  readonly stdin?: string;
  /** Variables besides the usual few, as whoever wants the command run declared them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Paths of the workspace that stay as they are; those that are there become read-only. Globs are left to the caller. */
  readonly keep?: readonly string[];
  /** Paths of the workspace that are compared although git ignores them. */
  readonly seen?: Iterable<string>;
  /** False where nobody asks what a command without a wall changed: looking for it takes longer than a short command. */
  readonly compares?: boolean;
  readonly signal: AbortSignal;
  /** Contract: cheap, never throws. Both outputs, in their order. */
  onOutput(chunk: Uint8Array): void;
  /** Now and then while it runs. */
  onTick?(elapsedMs: number): void;
}

export interface ProcessEnd {
  /** `memory` and `processes`: all that it started took too much of them, and was ended. */
  readonly how: "exit" | "signal" | "timeout" | "aborted" | "flooded" | "memory" | "processes" | "failed";
  readonly code?: number;
  readonly signal?: string;
  /** Why it could not be started. */
  readonly message?: string;
  /** Processes that were still there when it ended, and had to be ended; behind the wall nobody counts them. */
  readonly leftovers: number;
  /** What could not be ended. */
  readonly survivors: number;
}

export interface CommandEnd extends ProcessEnd {
  /** Written by a command that only reads, and gone: paths of the workspace, some of them when there are many. */
  readonly vanished: readonly string[];
  /** Paths of the workspace that it made, changed or removed; undefined where nobody could tell. */
  readonly changed: readonly string[] | undefined;
  /** Protected paths that were not there before, and where what appeared there is now. */
  readonly setAside: readonly { readonly path: string; readonly to: string }[];
}

/** Runs commands of one workspace, each held to what it said it needs. */
export interface Commands {
  /** Tried once; later calls get the same answer. */
  wall(): Promise<WallState>;
  /**
   * Contract: resolves when everything that the command started has ended. Where
   * there is no wall the command runs without one: whoever calls has asked somebody.
   */
  run(request: CommandRequest): Promise<CommandEnd>;
  /**
   * What a command of ours prints that only looks at the workspace, git above all,
   * which obeys the settings of a repository: behind `read`, with nothing covered and
   * nothing to write to. Undefined when it fails, and where there is no wall.
   */
  look(command: string): Promise<string | undefined>;
}
