/** What the scenarios of issue memory use of it; planted bugs are loaded as a copy of exactly this. */
export { isRefusal, Log } from "@bridle/record";
export type { IssueGraph } from "../../packages/work/src/memory/graph.js";
export { memberSource, patchRow } from "../../packages/work/src/memory/issue-row.js";
export { claim, fenceMismatch, guardHolder, release, renew } from "../../packages/work/src/memory/lease.js";
export type { IssueNode } from "../../packages/work/src/memory/node.js";
export { IssueMemory } from "../../packages/work/src/store/issue-file.js";
export type { Decide, Issue, NewRow } from "../../packages/work/src/memory/types.js";
import type { IssueNode } from "../../packages/work/src/memory/node.js";
import type { NewRow } from "../../packages/work/src/memory/types.js";

/** What is told again must last as if it were told for the first time, so the row is written again. */
export function rowsAgain({ id, text }: IssueNode): NewRow[] {
  return [{ id, text }];
}
