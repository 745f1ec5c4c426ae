/**
 * Ports: the only doors to time, chance, files and processes.
 *
 * Every method returns a promise, even where the machine could answer at once,
 * so that a simulator may let something else happen between any two calls. With
 * the ports fixed, a run is a pure function of its inputs. The real ones are in
 * node.ts; the simulated and the faulty ones are in @bridle/testing, and both
 * disks pass one suite.
 */
import type { CommandRunner } from "./commands.js";
import type { Git } from "./git.js";

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): Promise<number>;
  /** Milliseconds that never jump; only differences mean anything. */
  monotonic(): Promise<number>;
  /** Resolves after `ms`, or at once when `signal` is aborted (it does not reject). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A short string of [0-9a-z] that no other call returns, on this machine or another. */
  next(): Promise<string>;
}

export interface Randomness {
  bytes(length: number): Promise<Uint8Array>;
}

/** What must be equal for two records of a process to mean the same one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the machine's own units. */
  readonly startTime: string;
  readonly bootId: string;
  /** Process ids only mean something within one namespace (container). */
  readonly pidNamespace: string;
  readonly host: string;
}

/**
 * `gone` is a proof: the process ended, its id was given to another, or the
 * machine was restarted since. `unknown` is not: it may live on another machine
 * or in another container.
 */
export type Liveness = "alive" | "stopped" | "gone" | "unknown";

export interface Processes {
  self(): Promise<ProcessIdentity>;
  liveness(identity: ProcessIdentity): Promise<Liveness>;
  /**
   * Rings the bells of a process that was just judged alive. It costs no disk,
   * and it may get lost: whoever listens also looks for itself now and then.
   */
  ring(identity: ProcessIdentity): Promise<void>;
  /** Starts listening, so that no ring between a look and a wait is missed. */
  bell(): Promise<Watcher>;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  /** Identity of the file behind the name; changes when the name is renamed over. */
  readonly inode: string;
  /** When the file was made, where the disk says: disks give out the inode of a removed file again. */
  readonly bornMs?: number;
  readonly mtimeMs: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/**
 * - `read`: must exist.
 * - `append`: created when missing; every `append` goes to the end; readable and truncatable.
 * - `update`: must exist; `writeAt` overwrites in place.
 * - `create`: must not exist (EEXIST); `append` writes to its end.
 */
export type OpenMode = "read" | "append" | "update" | "create";

export interface OpenFile {
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Writes at the end; returns how many bytes were taken, which may be fewer than given. */
  append(bytes: Uint8Array): Promise<number>;
  writeAt(offset: number, bytes: Uint8Array): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Content and length reach the disk, or this rejects. */
  sync(): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/**
 * Files by absolute path. Failures reject with an Error that carries the usual
 * `code` (ENOENT, EEXIST, EACCES, ENOSPC, EIO, EISDIR, ENOTDIR, …).
 */
export interface Files {
  /** `permissions` apply where the file is created: exactly those for `create`; without them the usual ones. */
  open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile>;
  /** Follows symbolic links; undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Names in a folder, in code point order. */
  list(path: string): Promise<string[]>;
  /** With its parents; fine when it exists. */
  makeDirectory(path: string): Promise<void>;
  /** Atomic; replaces a file of that name. */
  rename(from: string, to: string): Promise<void>;
  /** Fine when nothing is there. */
  remove(path: string): Promise<void>;
  /** Makes creations, renames and removals in this folder durable. */
  syncDirectory(path: string): Promise<void>;
  /** Atomic; EEXIST when the name is taken by anything. */
  symlink(target: string, path: string): Promise<void>;
  /** The link's target; undefined when nothing is there or it is no link. */
  readLink(path: string): Promise<string | undefined>;
  /** The path with every symbolic link resolved; ENOENT when it is not there. */
  realPath(path: string): Promise<string>;
  /** Starts noticing changes in the folder, so that none between a look and a wait is missed. */
  watch(folder: string): Promise<Watcher>;
}

export interface Watcher {
  /**
   * Resolves when something in the folder may have changed (of a bell: when it
   * may have been rung) since the watch
   * began or since the last call, after `timeoutMs`, or when `signal` is
   * aborted; never rejects. Spurious wake-ups are fine.
   */
  changed(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface Revision {
  /** The git revision that this program runs from, with `-dirty` when its files were changed; `unknown` elsewhere. */
  current(): Promise<string>;
}

export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly files: Files;
  readonly processes: Processes;
  readonly revision: Revision;
  /** Absent where nothing can run git, such as a simulation; then nobody is asked. */
  readonly git?: Git;
  /** Absent where no command can be run; whoever needs one says so. */
  readonly commands?: CommandRunner;
}
