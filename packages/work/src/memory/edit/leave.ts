/**
 * How a worker leaves an issue that it could not finish: open for another attempt, or blocked until a person decides.
 * The row tells which step left it, why, and how many attempts it has cost.
 */
import { isJsonObject, isRefusal, type JsonObject, present } from "@bridle/record";
import { findIssue } from "../find.js";
import { formatTime } from "../issue-row.js";
import { type Asker, fenceMismatch } from "../lease.js";
import type { IssueNode } from "../node.js";
import type { Decide } from "../types.js";
import { type Changed, changeRow, unchanged } from "./changed.js";
import { guardHolding } from "./guard.js";
import { statusPatch } from "./status.js";

export interface LeaveRequest extends Asker {
  /** What leaves it; the same step leaves it once. */
  readonly step: string;
  readonly failureClass: string;
  readonly message: string;
  readonly status: "open" | "blocked";
  readonly costsAttempt: boolean;
  readonly label?: string;
  /** A label that it has no longer. */
  readonly unlabel?: string;
}

/** Of an issue that a worker left: what its row says. */
export interface Left {
  readonly step: string;
  readonly failureClass: string;
  readonly message: string;
  readonly at: string;
  /** Its attempts were used up: what was done about it. */
  readonly escalation?: string;
}

/** As its row keeps it. */
export function leftRow({ step, failureClass, message, at, escalation }: Left): JsonObject {
  return { step, failure_class: failureClass, message, at, ...present({ escalation }) };
}

export function leaveIssue(id: string, request: LeaveRequest): Decide<Changed> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const { issue, node } = found;
    if (leftBy(node)?.step === request.step) return unchanged(found);
    const late = fenceMismatch(issue, request.fence) ?? guardHolding(issue, request, nowMs);
    if (late !== undefined) return late;
    const { step, failureClass, message, label, unlabel } = request;
    const labels = [...new Set([...issue.labels, ...(label === undefined ? [] : [label])])];
    const left = leftRow({ step, failureClass, message, at: formatTime(nowMs) });
    // Somebody else may have it next.
    const freed = issue.lease !== undefined && issue.lease.owner === issue.assignee;
    return changeRow(found, {
      ...statusPatch(issue, request.status, nowMs),
      ...(freed ? { assignee: undefined } : {}),
      attempts: attemptsOf(node) + (request.costsAttempt ? 1 : 0),
      left,
      ...(label === undefined && unlabel === undefined
        ? {}
        : { labels: labels.filter((each) => each !== unlabel) }),
    });
  };
}

/** Its last attempts did not count after all: it was the tool that failed. Blocked by them, it is open again. */
export function returnAttempts(id: string, count: number): Decide<Changed> {
  return (graph, nowMs) => {
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const attempts = attemptsOf(found.node);
    const isBlocked = found.issue.status === "blocked";
    if (attempts === 0 && !isBlocked) return unchanged(found);
    return changeRow(found, {
      ...(isBlocked ? statusPatch(found.issue, "open", nowMs) : {}),
      attempts: Math.max(0, attempts - count),
    });
  };
}

/** How many attempts at an issue have failed, over all runs. */
export function attemptsOf({ row }: IssueNode): number {
  const { attempts } = row;
  return typeof attempts === "number" && Number.isSafeInteger(attempts) && attempts > 0 ? attempts : 0;
}

export function leftBy({ row }: IssueNode): Left | undefined {
  const { left } = row;
  if (!isJsonObject(left)) return undefined;
  const { step, failure_class: failureClass, message, at, escalation } = left;
  const told = [step, failureClass, message, at].map((each) => (typeof each === "string" ? each : ""));
  return {
    ...{ step: told[0]!, failureClass: told[1]!, message: told[2]!, at: told[3]! },
    ...(typeof escalation === "string" ? { escalation } : {}),
  };
}
