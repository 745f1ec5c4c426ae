/**
 * Work that was found while doing other work: a new issue that says what it was
 * discovered from. Both are one row, so there is never one without the other.
 */
import { isRefusal } from "@bridle/record";
import { optionalText } from "../../text.js";
import { findIssue } from "../find.js";
import { type Asker, fenceMismatch } from "../lease.js";
import type { Decide, Dependency } from "../types.js";
import { newId, newIssueRow, type NewIssue } from "./add.js";
import { type Changed, issueOf } from "./changed.js";

export interface Discovered extends Changed {
  readonly dependency: Dependency;
}

/** It is open, whoever discovered it. The asker's fence is that of the parent, which they work on. */
export function discoverIssue(
  parentId: string,
  request: Omit<NewIssue, "status">,
  asker: Asker,
): Decide<Discovered> {
  return (graph, nowMs) => {
    const parent = findIssue(graph, parentId, "issue_discover_parent_missing");
    if (isRefusal(parent)) return parent;
    const late = fenceMismatch(parent.issue, asker.fence);
    if (late !== undefined) return late;
    const id = newId(graph, request.id, "issue_discover_id_conflict");
    if (isRefusal(id)) return id;
    const createdBy = optionalText(asker.actor);
    const row = newIssueRow(id, { ...request, status: "open" }, nowMs, [
      { issue_id: id, depends_on_id: parentId, type: "discovered-from", created_by: createdBy },
    ]);
    if (isRefusal(row)) return row;
    const issue = issueOf(row);
    const [dependency] = issue.dependencies;
    if (dependency === undefined) throw new Error(`${id} was discovered from nothing`);
    return { answer: { issue, changed: true, dependency }, rows: [row] };
  };
}
