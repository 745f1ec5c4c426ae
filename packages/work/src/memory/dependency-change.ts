/**
 * Dependencies added, removed and replaced.
 *
 * They are members of the row of the issue that depends. The items that a change
 * does not concern keep their bytes, and so does what a replaced one says that we
 * do not know.
 */
import { isRefusal, type JsonObject, type Refusal, refuse } from "@bridle/record";
import { optionalText } from "../text.js";
import { pathText, shortestPath, tiedTo } from "./cycle.js";
import { isBlocking, keepsWaiting, parentType } from "./dependency-kinds.js";
import { findIssue, type FoundIssue } from "./find.js";
import type { IssueGraph } from "./graph.js";
import { dependencySources, formatTime, patchObject, patchRow, rawList } from "./issue-row.js";
import { fenceMismatch } from "./lease.js";
import type { Decide, Dependency, DependencyType, Issue, NewRow } from "./types.js";

export interface Endpoints {
  readonly issueId: string;
  readonly dependsOnId: string;
  /** The fence of the claim that the asker works under. */
  readonly fence?: number;
}

export interface Addition extends Endpoints {
  readonly type: DependencyType;
  readonly createdBy?: string;
}

export interface Removal extends Endpoints {
  readonly type: DependencyType;
}

export interface Replacement extends Endpoints {
  readonly fromType: DependencyType;
  readonly toType: DependencyType;
  /** Blank leaves the old one. */
  readonly createdBy?: string;
}

export function addDependency(asked: Addition): Decide<Dependency> {
  return (graph, nowMs) => {
    const source = endpointsOf(graph, asked);
    if (isRefusal(source)) return source;
    const { issueId, dependsOnId, type } = asked;
    if (source.issue.dependencies.some(isEdge(dependsOnId, type))) return exists(asked, type);
    const refusal =
      ofFamily(graph, asked, type, source.issue.dependencies) ?? cycleThrough(graph, asked, type);
    if (refusal !== undefined) return refusal;
    const createdBy = optionalText(asked.createdBy);
    const dependency = { issueId, dependsOnId, type, ...(createdBy === undefined ? {} : { createdBy }) };
    const items = [...dependencySources(source.node.text), JSON.stringify(dependencyMembers(dependency))];
    return { answer: dependency, rows: [withDependencies(source, items, nowMs)] };
  };
}

/** One whose target is gone can be removed all the same. */
export function removeDependency(asked: Removal): Decide<Dependency> {
  return (graph, nowMs) => {
    const source = sourceOf(graph, asked);
    if (isRefusal(source)) return source;
    const { dependsOnId, type } = asked;
    const { dependencies } = source.issue;
    const found = dependencies.find(isEdge(dependsOnId, type));
    if (found === undefined) return edgeNotFound(source.issue, asked, type);
    const goes = isEdge(dependsOnId, type);
    const items = dependencySources(source.node.text).filter(
      (_, i) => !goes(dependencies[i] ?? noDependency),
    );
    return { answer: { ...found, issueId: asked.issueId }, rows: [withDependencies(source, items, nowMs)] };
  };
}

export function replaceDependency(asked: Replacement): Decide<Dependency> {
  return (graph, nowMs) => {
    const source = endpointsOf(graph, asked);
    if (isRefusal(source)) return source;
    const { issueId, dependsOnId, fromType, toType } = asked;
    const { dependencies } = source.issue;
    const found = dependencies.find(isEdge(dependsOnId, fromType));
    if (found === undefined) return edgeNotFound(source.issue, asked, fromType);
    if (dependencies.some(isEdge(dependsOnId, toType))) return exists(asked, toType);
    const others = dependencies.filter((dependency) => dependency !== found);
    const refusal =
      ofFamily(graph, asked, toType, others) ??
      (isBlocking(fromType) ? undefined : cycleThrough(graph, asked, toType));
    if (refusal !== undefined) return refusal;
    const createdBy = optionalText(asked.createdBy) ?? found.createdBy;
    const author = createdBy === undefined ? {} : { createdBy };
    const items = dependencySources(source.node.text).map((item, i) =>
      dependencies[i] === found ? replaced(item, toType, author.createdBy) : item,
    );
    const answer = { issueId, dependsOnId, type: toType, ...author };
    return { answer, rows: [withDependencies(source, items, nowMs)] };
  };
}

/** A dependency as it stands in a row. */
export function dependencyMembers({ issueId, dependsOnId, type, createdBy }: Dependency): JsonObject {
  return {
    issue_id: issueId,
    depends_on_id: dependsOnId,
    type,
    ...(createdBy === undefined ? {} : { created_by: createdBy }),
  };
}

export function selfLoop(id: string): Refusal {
  return refuse("dependency_self_loop", {
    message: `dependency self-loop is not allowed: ${id} -> ${id}`,
    hint: "An issue cannot wait for itself or refer to itself; name two issues.",
    detail: { issueId: id },
  });
}

const noDependency: Dependency = { issueId: "", dependsOnId: "", type: "related" };

function isEdge(dependsOnId: string, type: DependencyType) {
  return (dependency: Dependency) => dependency.dependsOnId === dependsOnId && dependency.type === type;
}

function sourceOf(graph: IssueGraph, { issueId, fence }: Endpoints): FoundIssue | Refusal {
  const source = findIssue(graph, issueId);
  if (isRefusal(source)) return source;
  return fenceMismatch(source.issue, fence) ?? source;
}

/** Both ends are there and are not the same. */
function endpointsOf(graph: IssueGraph, ends: Endpoints): FoundIssue | Refusal {
  const source = sourceOf(graph, ends);
  if (isRefusal(source)) return source;
  if (graph.get(ends.dependsOnId) === undefined) return findIssue(graph, ends.dependsOnId);
  return ends.issueId === ends.dependsOnId ? selfLoop(ends.issueId) : source;
}

/** Why a child cannot wait for its own parent: the parent is done when its children are. */
function ofFamily(
  graph: IssueGraph,
  { issueId, dependsOnId }: Endpoints,
  type: DependencyType,
  others: readonly Dependency[],
): Refusal | undefined {
  const parents = others.filter((other) => other.type === parentType).map((other) => other.dependsOnId);
  const waits = keepsWaiting(type)
    ? parents.some((parent) => parent === dependsOnId || isAncestor(graph, dependsOnId, parent))
    : type === parentType &&
      others.some((other) => other.dependsOnId === dependsOnId && keepsWaiting(other.type));
  if (!waits) return undefined;
  return refuse("dependency_on_parent", {
    message: `${issueId} is a child of ${dependsOnId}, so it cannot wait for it`,
    hint: "A parent is done when its children are. Remove the other dependency first, or use a type that does not block, such as related.",
    detail: { issueId, dependsOnId, type },
  });
}

function isAncestor(graph: IssueGraph, id: string, of: string): boolean {
  return shortestPath(of, id, (at) => graph.get(at)?.parents ?? []) !== undefined;
}

/** Why an edge of this type cannot be, when it would let the issue wait for itself. */
function cycleThrough(
  graph: IssueGraph,
  { issueId, dependsOnId }: Endpoints,
  type: DependencyType,
): Refusal | undefined {
  if (!isBlocking(type)) return undefined;
  const back = shortestPath(dependsOnId, issueId, (id) => {
    const node = graph.get(id);
    return node === undefined ? [] : tiedTo(node);
  });
  if (back === undefined) return undefined;
  const cyclePath = [issueId, ...back];
  return refuse("dependency_cycle", {
    message: `dependency cycle detected: ${issueId} -> ${dependsOnId} (${type}); path: ${pathText(cyclePath)}`,
    hint:
      `${dependsOnId} already waits for ${issueId}, so neither would ever be ready. ` +
      "Remove an edge of the path first, or use a type that does not block, such as related.",
    detail: { cyclePath },
  });
}

function exists({ issueId, dependsOnId }: Endpoints, type: DependencyType): Refusal {
  return refuse("dependency_exists", {
    message: `dependency already exists: ${issueId} -> ${dependsOnId} (${type})`,
    hint: "There is nothing to do.",
    detail: { issueId, dependsOnId, type },
  });
}

const shownMax = 5;

function edgeNotFound(issue: Issue, { issueId, dependsOnId }: Endpoints, type: DependencyType): Refusal {
  const there = issue.dependencies.map((dependency) => `${dependency.dependsOnId} (${dependency.type})`);
  const more = there.length > shownMax ? ` and ${there.length - shownMax} more` : "";
  return refuse("dependency_not_found", {
    message: `dependency not found: ${issueId} -> ${dependsOnId} (${type})`,
    hint:
      there.length === 0
        ? `${issueId} has no dependencies.`
        : `${issueId} depends on ${there.slice(0, shownMax).join(", ")}${more}.`,
    detail: { issueId, dependsOnId, type },
  });
}

function replaced(item: string, type: DependencyType, createdBy: string | undefined): string {
  const author = createdBy === undefined ? {} : { created_by: createdBy };
  return patchObject(item, { dep_type: undefined, type, ...author });
}

function withDependencies({ node }: FoundIssue, items: readonly string[], nowMs: number): NewRow {
  return patchRow(node.id, node.text, { dependencies: rawList(items), updated_at: formatTime(nowMs) });
}
