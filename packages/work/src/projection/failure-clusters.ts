/**
 * The failures of a trajectory, gathered by class: how often, on how many issues, and whether the
 * issue got on afterwards. What a policy is refined by, and where one sees a class that it lacks.
 */
import { compareCodePoints } from "@bridle/record";
import type { Step } from "../types.js";
import { meaningOf } from "./result-class.js";

export interface FailureCluster {
  readonly failureClass: string;
  /** Steps that failed with it. */
  readonly count: number;
  readonly issueCount: number;
  /** Of those issues, on how many a later step succeeded. */
  readonly recoveredIssueCount: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

type ClusteredStep = Pick<Step, "resultClass" | "failureClasses" | "issueId" | "finishedAt">;

interface Gathering {
  count: number;
  first: ClusteredStep;
  last: ClusteredStep;
  /** By issue, when it last failed so. */
  readonly issues: Map<string, number>;
}

/** The most frequent first, then by name. */
export class FailureClusters {
  private readonly gathered = new Map<string, Gathering>();
  private readonly lastSuccess = new Map<string, number>();

  add(step: ClusteredStep): void {
    const { resultClass, failureClasses = [], issueId } = step;
    if (!meaningOf(resultClass).failed) {
      if (issueId !== undefined) later(this.lastSuccess, issueId, Date.parse(step.finishedAt));
      return;
    }
    // A step that says why is counted by that; any other by how it ended.
    for (const failureClass of failureClasses.length === 0 ? [resultClass] : failureClasses)
      this.gather(failureClass, step);
  }

  private gather(failureClass: string, step: ClusteredStep): void {
    const at = Date.parse(step.finishedAt);
    const found = this.gathered.get(failureClass) ?? { count: 0, first: step, last: step, issues: new Map() };
    found.count++;
    if (at < Date.parse(found.first.finishedAt)) found.first = step;
    if (at >= Date.parse(found.last.finishedAt)) found.last = step;
    if (step.issueId !== undefined) later(found.issues, step.issueId, at);
    this.gathered.set(failureClass, found);
  }

  clusters(): FailureCluster[] {
    const clusters = [...this.gathered].map(([failureClass, { count, first, last, issues }]) => ({
      failureClass,
      count,
      issueCount: issues.size,
      recoveredIssueCount: [...issues].filter(([id, at]) => (this.lastSuccess.get(id) ?? -Infinity) > at)
        .length,
      firstAt: first.finishedAt,
      lastAt: last.finishedAt,
    }));
    return clusters.sort((a, b) => b.count - a.count || compareCodePoints(a.failureClass, b.failureClass));
  }
}

function later(times: Map<string, number>, key: string, at: number): void {
  times.set(key, Math.max(at, times.get(key) ?? -Infinity));
}
