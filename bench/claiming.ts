/** What the benchmarks of claims share: issue memory of a given size, and one claim of what is next. */
import { closeSync, openSync, writeSync } from "node:fs";
import { isRefusal } from "@bridle/record";
import { patchRow } from "../packages/work/src/memory/issue-row.js";
import { claim } from "../packages/work/src/memory/lease.js";
import type { IssueMemory } from "../packages/work/src/store/issue-file.js";

/** Rows of about 400 bytes, all of them ready, in the order of their ids. */
export function writeIssues(path: string, count: number): void {
  const fd = openSync(path, "w");
  let chunk = "";
  for (let i = 1; i <= count; i++) {
    chunk += `${JSON.stringify(issueRow(i))}\n`;
    if (chunk.length > 1 << 20 || i === count) {
      writeSync(fd, chunk);
      chunk = "";
    }
  }
  closeSync(fd);
}

function issueRow(i: number) {
  return {
    id: `bd-${String(i).padStart(7, "0")}`,
    title: `Make part ${i} of the whole do what it says`,
    description: "What is there today, what is wanted instead, and how one sees that it is done.",
    status: "open",
    priority: 2,
    issue_type: "task",
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    labels: ["bench"],
  };
}

/** The issue's id. */
export async function claimNext(memory: IssueMemory, assignee: string, requestId: string): Promise<string> {
  const answer = await memory.change((graph, nowMs) => {
    const node = graph.claimable(assignee, nowMs);
    if (node === undefined || "problem" in node.issue) throw new Error("there is nothing to claim any more");
    const change = claim(node.issue, node.text, { assignee, requestId }, nowMs);
    if (isRefusal(change)) return change;
    return { answer: node.id, rows: [patchRow(node.id, node.text, change.patch)] };
  });
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

export const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number;
