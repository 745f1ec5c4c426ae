/**
 * The recall: the ids of the harness rules, the most often broken first.
 *
 * What a newcomer gets wrong: it repeats no text. Each id is defined once, under
 * `## Named rules` of the system prompt, so that recalling all of them is cheap.
 * Counts that make no sense count as none, and without counts the order is that
 * of the table.
 */
import { HARNESS_RULES } from "./table.js";

export function buildHarnessRuleRecallMessage(hitCounts: ReadonlyMap<string, number> = new Map()): string {
  const ids = Object.keys(HARNESS_RULES).toSorted((a, b) => countOf(hitCounts, b) - countOf(hitCounts, a));
  return `${heading}\n${ids.map((id) => `- **${id}**\n`).join("")}`;
}

const heading = "[Harness rules in force, by id; each is defined under `## Named rules` of the protocol.]";

/** @deprecated Use `buildHarnessRuleRecallMessage`: every rule is listed, whatever `topN` says. */
export function buildAdaptiveRuleMessage(
  _topN?: number,
  hitCounts: ReadonlyMap<string, number> = new Map(),
): string {
  return buildHarnessRuleRecallMessage(hitCounts);
}

function countOf(hitCounts: ReadonlyMap<string, number>, id: string): number {
  const count = hitCounts.get(id) ?? 0;
  return Number.isFinite(count) && count > 0 ? count : 0;
}
