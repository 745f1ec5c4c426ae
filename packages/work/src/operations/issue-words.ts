/** How issues stand in text: their id, their urgency, their title, and how many there are of a kind. */
import { grouped } from "@bridle/record";
import { columns, type Paint } from "@bridle/operation";
import type { Standing } from "../memory/graph.js";
import { cell } from "./text-layout.js";

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
}

export function issueCells({ id, title, priority }: Shown, paint: Paint): string[] {
  return [paint.strong(cell(id)), paint.dim(`P${priority}`), cell(title)];
}

/** The same, with where the issue stands. */
export function issueCellsWithStatus(issue: Shown, paint: Paint): string[] {
  const [id = "", priority = "", title = ""] = issueCells(issue, paint);
  return [id, priority, statusCell(issue.status, paint), title];
}

export function statusCell(status: string, paint: Paint): string {
  const text = cell(status);
  if (status === "closed") return paint.dim(text);
  if (status === "blocked") return paint.bad(text);
  return status === "in_progress" ? paint.note(text) : text;
}

export function issueLines(rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : columns(rows);
}

/** `2 ready · 3 blocked`. */
export function standingWords({ ready, blocked }: Pick<Standing, "ready" | "blocked">): string {
  return `${grouped(ready)} ready · ${grouped(blocked)} blocked`;
}
