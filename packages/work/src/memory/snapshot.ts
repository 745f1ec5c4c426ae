/**
 * The digest of issue memory (`store_snapshot_ref`): what a session notes down,
 * so that the next one can tell whether the issues changed in between.
 *
 * It depends on the issues and nothing else: not on the order of rows, on rows
 * that a later row of the same id replaced, on white space, on comments or on
 * rows without an id.
 */
import { createHash } from "node:crypto";
import { describeDamage, failureAt, type Ports } from "@bridle/record";
import type { IssueGraph } from "./graph.js";
import { digestedLine } from "./issue-line.js";
import { IssueMemory } from "./store.js";

/** Why issues have no digest. */
export interface Undigested {
  readonly id: string;
  readonly line: number;
  readonly problem: string;
}

/** Of the rows that are no issues the one that comes first in the file is named. */
export function snapshotRefOf(graph: IssueGraph): string | Undigested {
  const hash = createHash("sha256");
  let first: Undigested | undefined;
  for (const { id, line, issue, text } of graph.sorted()) {
    if (!("problem" in issue)) hash.update(`${digestedLine(issue, text)}\n`);
    else if (first === undefined || line < first.line) first = { id, line, problem: issue.problem };
  }
  return first ?? `iss1_${hash.digest("hex")}`;
}

/**
 * Undefined when there is no issue memory, or none that can be trusted.
 *
 * Contract: `warn` is told in one sentence why there is no ref although there is
 * a file; it must not throw.
 */
export async function snapshotRefIn(
  memory: IssueMemory,
  warn: (sentence: string) => void,
): Promise<string | undefined> {
  const graph = await memory.graph();
  if (!memory.exists) return undefined;
  const { shown, unreadable } = memory;
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
    const memory = await IssueMemory.open({ path, shown, ports });
    try {
      return await snapshotRefIn(memory, warn);
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
