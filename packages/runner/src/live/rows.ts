/**
 * Issue rows that a work command must not touch: that of its own issue, and the closing of any other. Workers close
 * with a witness and people may edit what they like, so only what nobody verified is told.
 */
import { sha256Hex, type JsonObject } from "@bridle/record";
import type { Decide, IssueGraph } from "@bridle/work";

export interface RowsSeen {
  /** Of the step's own issue, without what its worker writes itself. */
  readonly own: string | undefined;
  /** The same as it stands in the file. */
  readonly text: string | undefined;
  /** Closed, and on nobody's witness. */
  readonly unverified: ReadonlySet<string>;
}

const ofWorker = new Set(["lease", "updated_at", "claims", "metadata", "started_from"]);

export function rowsSeen(graph: IssueGraph | undefined, issueId: string): RowsSeen {
  const unverified = new Set<string>();
  for (const node of graph?.nodes() ?? []) {
    const { id, status, row } = node;
    if (status === "closed" && row["verified"] === undefined && row["ephemeral"] !== true) unverified.add(id);
  }
  const node = graph?.get(issueId);
  return {
    own: node === undefined ? undefined : contentOf(node.row),
    text: node?.text,
    unverified,
  };
}

/** The row as it was when the command began; whoever claimed the issue since has a higher fence, and keeps it. */
export function rowAsBefore(id: string, text: string, fence: number): Decide<boolean> {
  return (graph) => {
    const now = graph.get(id)?.row["fence"];
    return typeof now === "number" && now > fence
      ? { answer: false, rows: [] }
      : { answer: true, rows: [{ id, text }] };
  };
}

/** A few words each. */
export function strangeRows(before: RowsSeen, after: RowsSeen, issueId: string): string[] {
  const strange = [...after.unverified]
    .filter((id) => !before.unverified.has(id))
    .map((id) => `${id} was closed without its checks`);
  const isTold = after.unverified.has(issueId) && !before.unverified.has(issueId);
  if (before.own !== after.own && !isTold) strange.push(`the row of ${issueId} was changed`);
  return strange;
}

function contentOf(row: JsonObject): string {
  const kept = Object.entries(row).filter(([name]) => !ofWorker.has(name));
  return sha256Hex(JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
}
