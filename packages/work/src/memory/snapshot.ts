/**
 * The digest of issue memory (`store_snapshot_ref`): what a session notes down,
 * so that the next one can tell whether the issues changed in between.
 *
 * It depends on the issues and nothing else: not on the order of rows, on rows
 * that a later row of the same id replaced, on white space or on comments.
 */
import { compareCodePoints, describeDamage, failureAt, Log, type Ports, sha256Hex } from "@bridle/record";
import type { IssueGraph } from "./graph.js";
import { digestedLine, issueLine } from "./issue-line.js";

export interface SnapshotOptions {
  readonly path: string;
  /** How the file is called in the warning. */
  readonly shown: string;
  readonly ports: Ports;
  /** Contract: told in one sentence why there is no ref although there is a file; must not throw. */
  readonly warn: (sentence: string) => void;
}

/** Undefined when there is no issue memory, or none that can be trusted. */
export async function issuesSnapshotRef({
  path,
  shown,
  ports,
  warn,
}: SnapshotOptions): Promise<string | undefined> {
  const lines = new Map<string, string>();
  let problem: string | undefined;
  try {
    const log = await Log.open({ path, bearing: "state", ports, comments: true });
    if ((await ports.files.stat(path)) === undefined) return undefined;
    for await (const entry of log.entries()) {
      if (entry.kind === "damage" && !entry.readable) problem ??= describeDamage(shown, entry);
      if (entry.kind !== "row") continue;
      const read = issueLine(entry.row, entry.text);
      if ("problem" in read) problem ??= `${shown} line ${entry.line} is no issue: ${read.problem}`;
      else lines.set(read.id, read.line);
    }
  } catch (error) {
    problem = failureAt(path, error).message;
  }
  if (problem === undefined) return snapshotRef(lines);
  warn(`${problem}.\nissuesSnapshotRef is left out; the issues were not changed.`);
  return undefined;
}

/** The same of issues in memory; undefined when one of them is none that can be trusted. */
export function graphSnapshotRef(graph: IssueGraph): string | undefined {
  const lines = new Map<string, string>();
  for (const { id, issue, text } of graph.nodes()) {
    if ("problem" in issue) return undefined;
    lines.set(id, digestedLine(issue, text));
  }
  return snapshotRef(lines);
}

/** `lines` by issue id. */
export function snapshotRef(lines: ReadonlyMap<string, string>): string {
  const sorted = [...lines].sort(([left], [right]) => compareCodePoints(left, right));
  return `iss1_${sha256Hex(sorted.map(([, line]) => `${line}\n`).join(""))}`;
}
