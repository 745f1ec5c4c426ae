/**
 * The manual of the doctor: what is looked at, and what is said about it.
 *
 * A check takes the place and yields what it finds; it changes nothing and never throws for what is
 * wrong with the place. What mends a fault is a command that a person can type; what is harmless to
 * do without asking can be done by `--fix` as well.
 */
import type { Call } from "@bridle/operation";
import type { GitFolders } from "@bridle/record";

export interface Finding {
  /** What is wrong, as one word that programs know. */
  readonly fault: string;
  /** A `note` is worth knowing and nobody's fault: the exit code stays 0. */
  readonly level: "fault" | "note";
  readonly says: string;
  /** What mends it, as it is typed. */
  readonly mend: string;
  /** Does the same without a person; there only where it can do no harm. */
  readonly fix?: () => Promise<void>;
}

/** What the doctor asks of the machine besides its ports. */
export interface Machine {
  /** Of the Node that runs this, such as 20.19.0. */
  readonly node: string;
  /** For this user on the disk of the folder; undefined where nobody knows. */
  freeBytes(folder: string): Promise<number | undefined>;
  /** Whether commands can be held in the folder; why not otherwise, and what to do. */
  wall(folder: string): Promise<{ readonly because: string; readonly remedy: string } | undefined>;
  /** Gives a file these permission bits. */
  setMode(path: string, mode: number): Promise<void>;
}

export interface Place {
  readonly call: Call;
  readonly machine: Machine;
  /** The folder whose `.premath` and `.bridle` are meant. */
  readonly root: string;
  /** Whether it has a `.premath`. */
  readonly hasMemory: boolean;
  /** The repository around it, as git's folders say. */
  readonly git: GitFolders | undefined;
  /** Whether git can be run. */
  readonly gitRuns: boolean;
}

export type Check = (place: Place) => AsyncGenerator<Finding>;
