/** Every dependency with what it means in one of the three views. */
import { compareCodePoints } from "@bridle/record";
import { type DependencyView, isBlocking, roleOf } from "./dependency-kinds.js";
import type { IssueGraph } from "./graph.js";
import type { DependencyType } from "./types.js";

export interface ProjectedDependency {
  readonly issueId: string;
  readonly dependsOnId: string;
  readonly type: DependencyType;
  readonly view: DependencyView;
  readonly role: string;
  readonly blocking: boolean;
  readonly createdBy: string | null;
}

export interface Projection {
  /** By issue, target, type and author. */
  readonly items: ProjectedDependency[];
  /** Issues whose rows cannot be read, so that their dependencies are not among the items. */
  readonly unread: string[];
}

export function projectDependencies(graph: IssueGraph, view: DependencyView): Projection {
  const items: ProjectedDependency[] = [];
  const unread: string[] = [];
  for (const { id, issue } of graph.nodes()) {
    if ("problem" in issue) {
      unread.push(id);
      continue;
    }
    for (const { dependsOnId, type, createdBy = null } of issue.dependencies) {
      const meaning = { view, role: roleOf(type, view), blocking: isBlocking(type) };
      items.push({ issueId: id, dependsOnId, type, ...meaning, createdBy });
    }
  }
  return { items: items.sort(compare), unread: unread.sort(compareCodePoints) };
}

function compare(left: ProjectedDependency, right: ProjectedDependency): number {
  return (
    compareCodePoints(left.issueId, right.issueId) ||
    compareCodePoints(left.dependsOnId, right.dependsOnId) ||
    compareCodePoints(left.type, right.type) ||
    compareCodePoints(left.createdBy ?? "", right.createdBy ?? "")
  );
}
