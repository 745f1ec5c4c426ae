/** Fields of an issue changed, its status last and with all that follows from it. */
import { isRefusal, type Refusal, refuse } from "@bridle/record";
import { type FoundIssue, findIssue } from "../find.js";
import type { IssueGraph } from "../graph.js";
import { formatTime } from "../issue-row.js";
import { type Asker, fenceMismatch } from "../lease.js";
import type { Decide } from "../types.js";
import { type Changed, changeRow } from "./changed.js";
import { checkFields, fieldsPatch, isEmpty, type IssueFields } from "./fields.js";
import { guardBlockers, guardChildren, guardHolding } from "./guard.js";
import { statusPatch } from "./status.js";

export function updateIssue(id: string, fields: IssueFields, asker: Asker): Decide<Changed> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    if (isEmpty(fields)) {
      return refuse("issue_update_empty", {
        message: `no update fields provided for ${id}`,
        hint: "Name what is to change, such as --status or --notes; see `premath issue update --help`.",
      });
    }
    const { issue } = found;
    const refusal = checkFields(fields) ?? guardUpdate(graph, found, fields, asker, nowMs);
    if (refusal !== undefined) return refusal;
    return changeRow(found, {
      ...fieldsPatch(fields),
      ...(fields.status === undefined
        ? { updated_at: formatTime(nowMs) }
        : statusPatch(issue, fields.status, nowMs)),
    });
  };
}

/** Whoever closes an issue this way keeps the rules of closing; to force it is for `close`. */
function guardUpdate(
  graph: IssueGraph,
  found: FoundIssue,
  { status, assignee }: IssueFields,
  asker: Asker,
  nowMs: number,
): Refusal | undefined {
  const { issue } = found;
  if (status === undefined && assignee === undefined) return fenceMismatch(issue, asker.fence);
  const held = guardHolding(issue, asker, nowMs);
  if (held !== undefined) return held;
  if (status !== "closed" || issue.status === "closed") return undefined;
  return guardBlockers(graph, found) ?? guardChildren(graph, found);
}
