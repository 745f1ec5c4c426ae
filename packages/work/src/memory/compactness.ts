/**
 * Edges that say nothing more: an issue at work that is blocked by a closed one,
 * and one that is blocked by what blocks another of its blockers.
 *
 * Which edges are found is what the original's check finds, on every graph: only
 * `blocks` counts, only of issues that are open or in progress, and the other way
 * to a blocker may lead through anything, closed issues and circles included. The
 * command that a finding names is ours. An edge whose only other way leads through
 * a closed issue or round a circle is not superfluous, and without it the issue
 * would be taken for ready; there the command takes out the edge that makes the
 * other way, after which this one is not found any more.
 */
import { compareCodePoints } from "@bridle/record";
import { edgesOf } from "./edges.js";
import type { IssueGraph } from "./graph.js";
import type { CheckFinding } from "./check.js";
import type { IssueNode } from "./node.js";

export const compactnessClasses = [
  "issue_graph.compactness.closed_block_edge",
  "issue_graph.compactness.transitive_block_edge",
] as const;
export type CompactnessClass = (typeof compactnessClasses)[number];

/** By issue, then by target; ids with no edge are left out. */
type Blocks = ReadonlyMap<string, readonly string[]>;

/** By issue, then by target. */
export function looseEdges(graph: IssueGraph): CheckFinding<CompactnessClass>[] {
  const blocks = blocksOf(graph);
  const isClosed = (id: string) => statusOf(graph.get(id)) === "closed";
  const found: CheckFinding<CompactnessClass>[] = [];
  for (const id of [...blocks.keys()].sort(compareCodePoints)) {
    const node = graph.get(id);
    if (node === undefined || !["open", "in_progress"].includes(statusOf(node))) continue;
    const { line } = node;
    for (const target of blocks.get(id) ?? []) {
      if (isClosed(target)) {
        const message = `it is blocked by ${target}, which is closed; ${takenOut(id, target)}`;
        found.push({ issueId: id, class: "issue_graph.compactness.closed_block_edge", message, line });
        continue;
      }
      const message = otherWay(id, target, blocks, isClosed);
      if (message === undefined) continue;
      found.push({ issueId: id, class: "issue_graph.compactness.transitive_block_edge", message, line });
    }
  }
  return found;
}

/** Of all issues, the closed ones too. */
function blocksOf(graph: IssueGraph): Blocks {
  const blocks = new Map<string, Set<string>>();
  for (const node of graph.nodes()) {
    for (const { issueId, dependsOnId, type } of edgesOf(node)) {
      const [source, target] = [issueId.trim() || node.id, dependsOnId.trim()];
      if (type.trim().toLowerCase() !== "blocks" || target === "") continue;
      blocks.set(source, (blocks.get(source) ?? new Set()).add(target));
    }
  }
  return new Map([...blocks].map(([id, targets]) => [id, [...targets].sort(compareCodePoints)]));
}

function statusOf(node: IssueNode | undefined): string {
  const status = node?.row["status"] ?? (node === undefined ? "" : "open");
  return typeof status === "string" ? status.trim().toLowerCase() : "";
}

/** How an issue is blocked by `target` besides the edge to it, with the command; undefined where it is not. */
function otherWay(
  id: string,
  target: string,
  blocks: Blocks,
  isClosed: (id: string) => boolean,
): string | undefined {
  const sound = wayTo(id, target, blocks, (at) => at !== id && !isClosed(at));
  if (sound !== undefined) {
    return `it is blocked by ${target} through ${sound.at(-2)} already; ${takenOut(id, target)}`;
  }
  const way = wayTo(id, target, blocks, () => true);
  if (way === undefined) return undefined;
  const at = way.findIndex((other, index) => index > 0 && (other === id || isClosed(other)));
  const [from, to] = [way[at - 1] ?? id, way[at] ?? target];
  const why = to === id ? `${from} is blocked by ${id} in turn` : `${to} is closed`;
  return `it is blocked by ${target} through ${way.at(-2)} already, but ${why}; ${takenOut(from, to, "that edge")}`;
}

/** The shortest way from an issue to its blocker that does not begin with the edge between them. */
function wayTo(
  id: string,
  target: string,
  blocks: Blocks,
  mayPass: (id: string) => boolean,
): readonly string[] | undefined {
  const starts = (blocks.get(id) ?? []).filter((other) => other !== target && mayPass(other));
  const from = new Map<string, string | undefined>(starts.map((other) => [other, undefined]));
  const waiting = [...starts];
  for (const at of waiting) {
    for (const next of blocks.get(at) ?? []) {
      if (next === target) {
        const way = [target];
        for (let back: string | undefined = at; back !== undefined; back = from.get(back)) way.unshift(back);
        return [id, ...way];
      }
      if (from.has(next) || !mayPass(next)) continue;
      from.set(next, at);
      waiting.push(next);
    }
  }
  return undefined;
}

function takenOut(id: string, target: string, what = "it"): string {
  return `take ${what} out with \`premath dep remove ${id} ${target} --type blocks\``;
}
