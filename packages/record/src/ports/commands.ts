/**
 * The door to commands that others wrote: a project's checks and what sets a worktree up.
 * Each runs in a folder of its own, held by the operating system where it can be.
 */

export interface HeldCommand {
  /** Absolute, without links: where it runs, and all that it may write behind the wall. */
  readonly folder: string;
  /** For bash. */
  readonly command: string;
  /** Behind the wall, where there is one. */
  readonly wall: boolean;
  /** Whether it has the network behind the wall. */
  readonly network: boolean;
  /** Besides the usual few. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Then it is ended. */
  readonly outputBytesMax: number;
  /** Paths of the folder that stay as they are behind the wall. */
  readonly keep: readonly string[];
  readonly signal: AbortSignal;
  /** Contract: cheap, never throws. Both outputs, in their order. */
  onOutput(chunk: Uint8Array): void;
}

export interface HeldEnd {
  /** `failed`: it could not be started; `message` says why. */
  readonly how: "exit" | "signal" | "timeout" | "aborted" | "flooded" | "memory" | "processes" | "failed";
  readonly code?: number;
  readonly message?: string;
  readonly walled: boolean;
}

export interface CommandRunner {
  /** Contract: resolves when everything that the command started has ended; never rejects. */
  run(command: HeldCommand): Promise<HeldEnd>;
  /** Whether commands in this folder can be held. */
  holds(folder: string): Promise<boolean>;
  /** Removes a folder with all that is in it; fine when it is not there. */
  discard(folder: string): Promise<void>;
}
