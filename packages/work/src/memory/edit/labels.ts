/** Labels: in the order in which they were given, each once. */
import { isRefusal, rawItems, type Refusal, refuse } from "@bridle/record";
import { findIssue } from "../find.js";
import { formatTime, memberSource, rawList } from "../issue-row.js";
import { fenceMismatch } from "../lease.js";
import type { Decide } from "../types.js";
import { type Changed, changeRow, unchanged } from "./changed.js";
import { blank } from "./fields.js";

export interface LabelRequest {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly fence?: number;
}

/** Trimmed and without repeats. */
export function cleanLabels(labels: readonly string[]): readonly string[] | Refusal {
  const clean = [...new Set(labels.map((label) => label.trim()))];
  return clean.includes("") ? blank("label") : clean;
}

export function labelIssue(id: string, request: LabelRequest): Decide<Changed> {
  return (graph, nowMs) => {
    const add = cleanLabels(request.add ?? []);
    if (isRefusal(add)) return add;
    const remove = cleanLabels(request.remove ?? []);
    if (isRefusal(remove)) return remove;
    const invalid = checkLabels(id, add, remove);
    if (invalid !== undefined) return invalid;
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const late = fenceMismatch(found.issue, request.fence);
    if (late !== undefined) return late;
    const { labels } = found.issue;
    const kept = labelSources(found.node.text).filter((_, i) => !remove.includes(labels[i] ?? ""));
    const added = add.filter((label) => !labels.includes(label));
    if (kept.length === labels.length && added.length === 0) return unchanged(found);
    return changeRow(found, {
      labels: rawList([...kept, ...added.map((label) => JSON.stringify(label))]),
      updated_at: formatTime(nowMs),
    });
  };
}

function checkLabels(id: string, add: readonly string[], remove: readonly string[]): Refusal | undefined {
  if (add.length + remove.length === 0) {
    return refuse("issue_update_empty", {
      message: `no label was named for ${id}`,
      hint: "Name one with --add or --remove.",
    });
  }
  const both = add.find((label) => remove.includes(label));
  if (both === undefined) return undefined;
  return refuse("issue_invalid", {
    message: `the label ${JSON.stringify(both)} was to be both added and removed`,
    hint: "Do one or the other.",
    detail: { field: "label" },
  });
}

function labelSources(text: string): string[] {
  const source = memberSource(text, "labels");
  return source === undefined || source === "null" ? [] : rawItems(source);
}
