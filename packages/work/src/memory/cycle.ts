/**
 * Cycles among issues that wait for each other.
 *
 * Only edges that block can deadlock: four of the ten kinds. The others tell how
 * issues belong together, so an issue may wait for work that was discovered from
 * it. See docs/decisions/008-cycles.md.
 *
 * The path that is reported is the one that a search from every issue in the
 * order of ids would find first. What is on a cycle at all is found before that
 * in one pass, so that a hundred thousand issues without a cycle cost one pass.
 */
import { compareCodePoints } from "@bridle/record";
import { workLimits } from "../limits.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";

export const graphScopes = ["active", "full"] as const;
export type GraphScope = (typeof graphScopes)[number];

/** Who waits for whom: every id with the ids that it waits for, each once. */
export type Waits = ReadonlyMap<string, readonly string[]>;

export interface Integrity {
  readonly hasCycle: boolean;
  /** From the smallest id on a cycle back to it. */
  readonly cyclePath: readonly string[] | null;
}

/** What must not lead back to an issue: what it waits for, and its parents. */
export function tiedTo({ blockers, parents }: IssueNode): readonly string[] {
  return parents.length === 0 ? blockers : [...new Set([...blockers, ...parents])];
}

export function integrityOf(waits: Waits): Integrity {
  const cyclePath = firstCycle(waits);
  return { hasCycle: cyclePath !== null, cyclePath };
}

/** Those of the scope and the edges between them. Active: open or in progress, however it is spelled. */
export function waitsIn(graph: IssueGraph, scope: GraphScope): Waits {
  const waits = new Map<string, readonly string[]>();
  for (const node of graph.nodes()) {
    if (scope === "full" || isActive(node.status)) waits.set(node.id, tiedTo(node));
  }
  for (const [id, targets] of waits) {
    if (!targets.every((target) => waits.has(target))) {
      waits.set(
        id,
        targets.filter((target) => waits.has(target)),
      );
    }
  }
  return waits;
}

export function isActive(status: string): boolean {
  const plain = status.trim().toLowerCase();
  return plain === "open" || plain === "in_progress";
}

/** Null when nobody waits for himself, however many are in between. */
export function firstCycle(waits: Waits): string[] | null {
  const component = componentsOf(waits);
  const within = (id: string, target: string) => component.get(id) === component.get(target);
  let first: string | undefined;
  for (const [id, targets] of waits) {
    if (first !== undefined && compareCodePoints(first, id) < 0) continue;
    if (targets.some((target) => within(id, target))) first = id;
  }
  if (first === undefined) return null;
  const next = (id: string) => (waits.get(id) ?? []).filter((target) => within(id, target));
  const [target = first] = next(first).sort(compareCodePoints);
  return [first, ...(shortestPath(target, first, next) ?? [])];
}

/** Of several shortest ones that through the smaller ids; undefined when there is none. */
export function shortestPath(
  from: string,
  to: string,
  next: (id: string) => readonly string[],
): string[] | undefined {
  const reachedFrom = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (let at = 0; at < queue.length && !reachedFrom.has(to); at++) {
    const id = queue[at] as string;
    for (const target of [...next(id)].sort(compareCodePoints)) {
      if (reachedFrom.has(target)) continue;
      reachedFrom.set(target, id);
      queue.push(target);
    }
  }
  if (!reachedFrom.has(to)) return undefined;
  const path: string[] = [];
  for (let id: string | undefined = to; id !== undefined; id = reachedFrom.get(id)) path.push(id);
  return path.reverse();
}

/** A path in a sentence; of a long one the beginning and the end. */
export function pathText(path: readonly string[]): string {
  const { cyclePathShownMax } = workLimits;
  if (path.length <= cyclePathShownMax) return path.join(" -> ");
  const half = cyclePathShownMax / 2;
  const left = path.length - cyclePathShownMax;
  return [...path.slice(0, half), `(${left} more)`, ...path.slice(-half)].join(" -> ");
}

interface Visit {
  readonly id: string;
  readonly targets: readonly string[];
  readonly order: number;
  /** The earliest visit that can be come back to from here. */
  low: number;
  edge: number;
  component: number | undefined;
}

/** Ids of one component reach each other (Tarjan, without recursion: chains are as long as there are issues). */
function componentsOf(waits: Waits): Map<string, number> {
  const visits = new Map<string, Visit>();
  const components = new Map<string, number>();
  const undecided: Visit[] = [];
  const path: Visit[] = [];
  const enter = (id: string) => {
    const order = visits.size;
    const visit = { id, targets: waits.get(id) ?? [], order, low: order, edge: 0, component: undefined };
    visits.set(id, visit);
    undecided.push(visit);
    path.push(visit);
  };
  for (const root of waits.keys()) {
    if (!visits.has(root)) enter(root);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const target = at.targets[at.edge++];
      if (target !== undefined) {
        const seen = visits.get(target);
        if (seen === undefined) enter(target);
        else if (seen.component === undefined) at.low = Math.min(at.low, seen.order);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) above.low = Math.min(above.low, at.low);
      if (at.low < at.order) continue;
      for (let member = undecided.pop(); member !== undefined; member = undecided.pop()) {
        member.component = at.order;
        components.set(member.id, at.order);
        if (member === at) break;
      }
    }
  }
  return components;
}
