/** The digest of issue memory as a store has it, or a warning of why there is none. */
import { describeDamage, failureAt, type Ports } from "@bridle/record";
import { snapshotRefOf } from "../memory/snapshot.js";
import { FileIssues } from "./file-issues.js";
import { resolveCommand } from "./issue-refusals.js";
import type { IssueStore } from "./types.js";

/**
 * Undefined when there is no issue memory, or none that can be trusted.
 *
 * Contract: `warn` is told in one sentence why there is no ref although there is
 * a file; it must not throw.
 */
export async function snapshotRefIn(
  memory: IssueStore,
  shown: string,
  warn: (sentence: string) => void,
): Promise<string | undefined> {
  const graph = await memory.graph();
  if (graph === undefined) return undefined;
  const sides = await memory.file?.twoSides();
  if (sides !== undefined)
    return warnOf(`${shown} ${sides.says}; \`${resolveCommand}\` makes them one`, warn);
  const unreadable = memory.file?.unreadable;
  if (unreadable !== undefined) return warnOf(describeDamage(shown, unreadable), warn);
  const ref = snapshotRefOf(graph);
  if (typeof ref === "string") return ref;
  return warnOf(`${shown} line ${ref.line} is no issue: ${ref.problem}`, warn);
}

export interface SnapshotOptions {
  readonly path: string;
  /** How the file is called in the warning. */
  readonly shown: string;
  readonly ports: Ports;
  /** Contract: see `snapshotRefIn`. */
  readonly warn: (sentence: string) => void;
}

/** The same of a file that nobody keeps open; one that cannot be read is warned of, too. */
export async function issuesSnapshotRef({
  path,
  shown,
  ports,
  warn,
}: SnapshotOptions): Promise<string | undefined> {
  try {
    const memory = await FileIssues.open({ path, shown, ports });
    try {
      return await snapshotRefIn(memory, shown, warn);
    } finally {
      await memory.close();
    }
  } catch (error) {
    return warnOf(failureAt(path, error).message, warn);
  }
}

export function warnOf(problem: string, warn: (sentence: string) => void): undefined {
  warn(`${problem}.\nissuesSnapshotRef is left out; the issues were not changed.`);
}
