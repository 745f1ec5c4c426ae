/**
 * The manual of the simulator: what a scenario can ask of it and what it promises.
 *
 * A scenario is ordinary code against `Ports`. Every port call becomes an event
 * that a seeded scheduler completes in an order of its own, so the same seed
 * gives the same run and another seed another interleaving. What a newcomer gets
 * wrong: code under test must reach the outside through its ports only. A real
 * timer, a file or a dynamic `import()` in it is invisible to the scheduler,
 * which then says that the simulation is stuck or, worse, differs between runs.
 */
import type { Files, Ports, ProcessIdentity } from "@bridle/record";

export interface SimulationOptions {
  readonly seed: number;
  /** How often the disks of all machines misbehave; see `SimMachine.faults` to change it during a run. */
  readonly faults?: DiskFaults;
  /** Folders that exist durably on every machine from the start. Default: `/data`. */
  readonly folders?: readonly string[];
  /** A run with more events is stopped as a livelock. Default: `simulationLimits.eventsMax`. */
  readonly eventsMax?: number;
  /** How many of the last trace lines are kept; the digest covers all of them. */
  readonly traceLinesMax?: number;
  /** Wall clock of the machines at the start, in milliseconds since 1970. */
  readonly startMs?: number;
  /** The share of calls that take long, and how long. Default: 1 % up to 20 ms. */
  readonly slowCalls?: { readonly rate: number; readonly msMax: number };
  /** Whether machines have file notifications. With `timeout-only` a watcher or bell wakes by its timeout alone. */
  readonly watches?: "prompt" | "timeout-only";
}

/** Shares between 0 and 1, judged anew at each call. A missing one is 0. */
export interface DiskFaults {
  /** A call that needs space (append, writeAt, symlink, a new file or folder) rejects with ENOSPC, undone. */
  readonly noSpace?: number;
  /** An append or writeAt takes only the first part of its bytes; it still takes at least one. */
  readonly shortWrite?: number;
  /**
   * A sync rejects with EIO and, as on Linux, what it should have written is
   * marked clean: still readable, never tried again, lost at a machine crash.
   * Everybody else who has the file open learns of it at the next sync of theirs.
   */
  readonly syncError?: number;
  /** A syncDirectory rejects with EIO; what it should have made durable is as undecided as before. */
  readonly syncDirectoryError?: number;
  /** A read rejects with EIO. */
  readonly readError?: number;
}

/** What a process does. When it returns, the process has exited: what it left in flight is cut off. */
export type ProcessBody<T> = (ports: Ports) => Promise<T>;

export interface SpawnOptions {
  /** Default: the one machine called `machine`. */
  readonly machine?: string;
  /** The run does not wait for this process; it is killed when all others have ended. */
  readonly background?: boolean;
  /** An exception of the body ends only the process; without this it fails the run. */
  readonly mayThrow?: boolean;
}

export type ProcessEnd<T> =
  | { readonly how: "returned"; readonly value: T }
  | { readonly how: "threw"; readonly error: unknown }
  | { readonly how: "killed" };

export interface SimProcess<T = unknown> {
  readonly name: string;
  readonly machine: string;
  readonly identity: ProcessIdentity;
  readonly state: "running" | "paused" | "ended";
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd<T>>;
  /**
   * SIGKILL. No port call of it ever completes again; each that was in flight
   * has happened, has not, or (a write) has happened in part. What the calls
   * before wrote stays. Fine when it has ended.
   */
  kill(): void;
  /** SIGSTOP. Calls in flight may take effect, but the process learns of nothing until `resume`. */
  pause(): void;
  resume(): void;
  /** Kills it where it still runs, then runs the same body as a new process: new pid or start time. */
  restart(): SimProcess<T>;
}

export interface SimMachine {
  readonly name: string;
  readonly bootId: string;
  readonly disk: SimDiskView;
  /** May be replaced at any moment, e.g. by `{}` before a final check. */
  faults: DiskFaults;
  /**
   * Power loss: every process on it dies, the disk keeps of the unsynced what
   * chance says, the boot id changes, monotonic time starts over.
   */
  crash(): void;
  /** The wall clock is set forward or, with a negative number, back. Monotonic time goes on. */
  jumpClock(ms: number): void;
}

/** The disk seen from outside of the simulation, for set-up and for checks: at once, and no event. */
export interface SimDiskView {
  /** While true, every call that needs space rejects with ENOSPC. */
  full: boolean;
  /** Content as a process would read it now; undefined when there is no such file. */
  peek(path: string): Uint8Array | undefined;
  peekText(path: string): string | undefined;
  /** What this path would hold after a crash that loses all that was not synced. */
  peekDurable(path: string): Uint8Array | undefined;
  /** Every path below `/`, in code point order; links as `name -> target`, folders with a slash. */
  tree(): string[];
  /** Puts a file there durably, with its folders; for set-up and for planting damage. */
  put(path: string, content: Uint8Array | string): void;
  setMode(path: string, mode: number): void;
  /** A `Files` of this disk whose calls complete at once, outside of scheduler, time and faults. */
  files(): Files;
}

export interface InvariantOptions {
  /** Default: after each event. */
  readonly when?: "event" | "end";
}

/** One fact of a port's contract. `run` throws, or rejects, when it does not hold. */
export interface SuiteCase<Subject> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}
