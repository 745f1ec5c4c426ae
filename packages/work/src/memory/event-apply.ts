/**
 * Replayed issues brought into issue memory, without losing what is there.
 *
 * Issues that memory does not have are added. Where memory has an issue that the
 * stream does not have, or has otherwise, nothing is written unless that was
 * asked for, and then the file as it was is kept. A fence never becomes smaller:
 * it guards against workers who hold the greater one.
 */
import { type Refusal, refuse } from "@bridle/record";
import { IssueGraph } from "./graph.js";
import { patchObject } from "./issue-row.js";
import { IssueNode } from "./node.js";
import { sameRow } from "./same-row.js";
import { snapshotRefOf } from "./snapshot.js";
import type { Decide } from "./types.js";

export interface ApplyOptions {
  /** How the issues are called in messages. */
  readonly shown: string;
  /** Whether there was a file before. */
  readonly existed: boolean;
  /** Replace what differs. */
  readonly force: boolean;
}

export interface Applied {
  readonly snapshotRef: string;
  readonly issueCount: number;
  /** Whether memory had the same issues before; null when there was none. */
  readonly equivalentToExisting: boolean | null;
  readonly changed: boolean;
  /** Whether issues were changed or taken out. */
  readonly replaced: boolean;
}

export function applyReplay(replayed: IssueGraph, options: ApplyOptions): Decide<Applied> {
  return (existing) => {
    const next = withFences(replayed, existing);
    const snapshotRef = snapshotRefOf(next);
    if (typeof snapshotRef !== "string") throw new Error(`${snapshotRef.id}: ${snapshotRef.problem}`);
    const equivalentToExisting =
      options.existed || existing.size > 0 ? snapshotRefOf(existing) === snapshotRef : null;
    const lost = existing.sorted().filter(({ id, text }) => !sameRow(next.get(id)?.text ?? "{}", text));
    const added = next.sorted().filter(({ id }) => existing.get(id) === undefined);
    const answer = { snapshotRef, issueCount: next.size, equivalentToExisting };
    const keeps = { ...answer, changed: added.length > 0, replaced: false };
    if (lost.length === 0) return { answer: keeps, rows: added };
    if (!options.force) return differs(lost, next, options.shown, equivalentToExisting);
    return { answer: { ...answer, changed: true, replaced: true }, rows: next.sorted(), replaces: true };
  };
}

/** The greater fence of both sides stays. */
function withFences(replayed: IssueGraph, existing: IssueGraph): IssueGraph {
  const next = new IssueGraph();
  for (const node of replayed.nodes()) {
    const fence = fenceOf(existing.get(node.id));
    if (fence <= fenceOf(node)) {
      next.put(node);
      continue;
    }
    const text = patchObject(node.text, { fence });
    next.put(new IssueNode(node.id, { ...node.row, fence }, text, node.line));
  }
  return next;
}

function fenceOf(node: IssueNode | undefined): number {
  const fence = node?.row["fence"];
  return typeof fence === "number" && Number.isSafeInteger(fence) ? fence : 0;
}

const shownMax = 5;

function differs(
  lost: readonly IssueNode[],
  next: IssueGraph,
  shown: string,
  equivalentToExisting: boolean | null,
): Refusal {
  const ids = lost
    .slice(0, shownMax)
    .map(({ id }) => (next.get(id) === undefined ? `${id} (not in the stream)` : id));
  const more = lost.length > shownMax ? ` and ${lost.length - shownMax} more` : "";
  return refuse("event_replay_differs", {
    message: `${shown} has ${lost.length} ${lost.length === 1 ? "issue" : "issues"} that the replay would change or take away: ${ids.join(", ")}${more}`,
    hint:
      "Nothing was written. Run `premath issue migrate-events` to bring the stream up to date, or repeat with --force: " +
      "the issues are replaced, and the file as it was is kept.",
    detail: {
      equivalentToExisting,
      differing: lost.length,
      issueIds: lost.slice(0, 100).map(({ id }) => id),
    },
  });
}
