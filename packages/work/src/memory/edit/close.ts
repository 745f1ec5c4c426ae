/**
 * Closing and reopening.
 *
 * An issue is closed by whoever holds it and when nothing that it waits for is
 * open, an epic when its children are closed. These rules can be overruled with a reason; the row then tells what was
 * overruled, why, by whom and when. A fence cannot be: who names an old one is
 * too late, and does not know what they would overrule.
 */
import { compareCodePoints, isRefusal, type JsonObject, refuse } from "@bridle/record";
import { optionalText } from "../../text.js";
import { findIssue } from "../find.js";
import type { IssueGraph } from "../graph.js";
import type { IssueNode } from "../node.js";
import { formatTime } from "../issue-row.js";
import { type Asker, fenceMismatch } from "../lease.js";
import type { Decide, Verified } from "../types.js";
import { appended } from "./appended.js";
import { type Changed, changeRow, unchanged } from "./changed.js";
import { guardBlockers, guardChildren, guardHolding } from "./guard.js";
import { statusPatch } from "./status.js";

export interface CloseRequest extends Asker {
  readonly reason?: string;
  /** Why it is closed although somebody holds it or it is blocked. */
  readonly force?: string;
  /** The change whose required checks passed; without it the issue is closed on somebody's word. */
  readonly verified?: Omit<Verified, "at">;
}

export interface Overruled {
  readonly class: string;
  readonly says: string;
}

export interface Closed extends Changed {
  /** Rules that were overruled; none when nothing had to be. */
  readonly forced: readonly Overruled[];
  /** What became ready by this. */
  readonly unblocked: readonly string[];
}

export function closeIssue(id: string, request: CloseRequest): Decide<Closed> {
  return (graph, nowMs) => {
    const force = optionalText(request.force);
    if (request.force !== undefined && force === undefined) return forceReasonMissing();
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const { issue, node } = found;
    const late = fenceMismatch(issue, request.fence);
    if (late !== undefined) return late;
    if (issue.status === "closed") return withDetails(unchanged(found), [], []);
    const objections = [
      guardHolding(issue, request, nowMs),
      guardBlockers(graph, found),
      guardChildren(graph, found),
    ].filter((refusal) => refusal !== undefined);
    const [first] = objections;
    if (first !== undefined && force === undefined) return first;
    const forced = objections.map(({ refused, message }) => ({ class: refused, says: message }));
    const record: JsonObject = {
      at: formatTime(nowMs),
      by: optionalText(request.actor),
      action: "issue.close",
      reason: force,
      over: forced,
    };
    const outcome = changeRow(found, {
      ...statusPatch(issue, "closed", nowMs),
      close_reason: optionalText(request.reason),
      verified: request.verified === undefined ? undefined : verifiedRow(request.verified, nowMs),
      ...(forced.length === 0 ? {} : { forced: appended(node.text, "forced", record) }),
    });
    return withDetails(outcome, forced, waitingForOnly(graph, id));
  };
}

export function reopenIssue(id: string, asker: Asker): Decide<Changed> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const { issue } = found;
    const refusal = guardHolding(issue, asker, nowMs);
    if (refusal !== undefined) return refusal;
    if (issue.status === "closed") return changeRow(found, statusPatch(issue, "open", nowMs));
    return refuse("issue_not_closed", {
      message: `${id} is not closed but ${issue.status}`,
      hint: `Change its status with \`premath issue update ${id} --status <status>\`.`,
      detail: { issueId: id, status: issue.status },
    });
  };
}

function verifiedRow(verified: Omit<Verified, "at">, nowMs: number): JsonObject {
  return {
    commit: verified.commit,
    tree: verified.tree,
    policy_digest: verified.policyDigest,
    projection_digest: verified.projectionDigest,
    witness_ref: verified.witnessRef,
    at: formatTime(nowMs),
  };
}

function withDetails(
  { answer, rows }: ReturnType<typeof unchanged>,
  forced: Closed["forced"],
  unblocked: Closed["unblocked"],
) {
  return { answer: { ...answer, forced, unblocked }, rows };
}

/** Open issues that nothing but this one keeps waiting, themselves or through their parents; by id. */
function waitingForOnly(graph: IssueGraph, id: string): string[] {
  const dependents = [...graph.dependents(id)];
  const concerned = new Set([...dependents, ...graph.descendants(dependents)]);
  concerned.delete(id);
  const waiting = [...concerned].filter((each) => {
    const node = graph.get(each);
    return node !== undefined && graph.isReady(node, waitsWithout(graph, node, id));
  });
  return waiting.sort(compareCodePoints);
}

/** Whether an issue would still wait if `id` were closed. */
function waitsWithout(graph: IssueGraph, node: IssueNode, id: string): boolean {
  const seen = new Set([node.id]);
  const next = [node];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (graph.unresolved(at).some((blocker) => blocker !== id)) return true;
    for (const parent of at.parents) {
      const found = seen.has(parent) ? undefined : graph.get(parent);
      seen.add(parent);
      if (found !== undefined) next.push(found);
    }
  }
  return false;
}

function forceReasonMissing() {
  return refuse("issue_force_reason_missing", {
    message: "closing is forced only with a reason",
    hint: "Say why with --force <reason>; it is recorded in the issue.",
  });
}
