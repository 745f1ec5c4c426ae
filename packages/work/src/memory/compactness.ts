/**
 * Edges that say nothing more: an open issue that is blocked by a closed one, and
 * one that is blocked by what blocks another of its blockers.
 *
 * Only `blocks` counts, and only among issues that are not closed. Each finding
 * names the command that takes the edge out.
 */
import { compareCodePoints } from "@bridle/record";
import { edgesOf } from "./edges.js";
import type { IssueGraph } from "./graph.js";
import type { CheckFinding } from "./check.js";

export const compactnessClasses = [
  "issue_graph.compactness.closed_block_edge",
  "issue_graph.compactness.transitive_block_edge",
] as const;
export type CompactnessClass = (typeof compactnessClasses)[number];

/** By issue, then by target. */
export function looseEdges(graph: IssueGraph): CheckFinding<CompactnessClass>[] {
  const blocks = new Map<string, readonly string[]>();
  for (const node of graph.nodes()) {
    if (node.closed) continue;
    const targets = edgesOf(node).flatMap(({ type, dependsOnId }) =>
      type === "blocks" ? [dependsOnId] : [],
    );
    blocks.set(node.id, [...new Set(targets)].sort(compareCodePoints));
  }
  const found: CheckFinding<CompactnessClass>[] = [];
  for (const id of [...blocks.keys()].sort(compareCodePoints)) {
    const line = graph.get(id)?.line ?? 0;
    for (const target of blocks.get(id) ?? []) {
      const out = `take it out with \`premath dep remove ${id} ${target} --type blocks\``;
      if (graph.get(target)?.closed === true) {
        const message = `it is blocked by ${target}, which is closed; ${out}`;
        found.push({ issueId: id, class: "issue_graph.compactness.closed_block_edge", message, line });
      } else if (isReachedOtherwise(id, target, blocks)) {
        const message = `it is blocked by ${target} through another blocker already; ${out}`;
        found.push({ issueId: id, class: "issue_graph.compactness.transitive_block_edge", message, line });
      }
    }
  }
  return found;
}

function isReachedOtherwise(
  id: string,
  target: string,
  blocks: ReadonlyMap<string, readonly string[]>,
): boolean {
  const seen = new Set<string>([id]);
  const next = (blocks.get(id) ?? []).filter((other) => other !== target);
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (at === target) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    next.push(...(blocks.get(at) ?? []));
  }
  return false;
}
