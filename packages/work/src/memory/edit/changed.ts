/** The outcome of a change of one issue: its new row, and the issue as it is then. */
import type { JsonObject } from "@bridle/record";
import type { FoundIssue } from "../find.js";
import { patchRow, readIssue, type RowPatch } from "../issue-row.js";
import type { Issue, NewRow, Outcome } from "../types.js";

export interface Changed {
  readonly issue: Issue;
  /** False when everything was as asked for already; then nothing was written. */
  readonly changed: boolean;
}

export function changeRow({ issue, node }: FoundIssue, patch: RowPatch): Outcome<Changed> {
  const row = patchRow(issue.id, node.text, patch);
  return { answer: { issue: issueOf(row), changed: true }, rows: [row] };
}

export function unchanged({ issue }: FoundIssue): Outcome<Changed> {
  return { answer: { issue, changed: false }, rows: [] };
}

/** A row of our own making is an issue; that it were none is a bug, found before it is written. */
export function issueOf({ id, text }: NewRow): Issue {
  const issue = readIssue(JSON.parse(text) as JsonObject);
  if ("problem" in issue) throw new Error(`the new row of ${id} is no issue: ${issue.problem}`);
  return issue;
}
