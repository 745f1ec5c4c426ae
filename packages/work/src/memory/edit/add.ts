/** A new issue: its id, and its row in the order of the contract. */
import { isRefusal, type Refusal, refuse } from "@bridle/record";
import { optionalText } from "../../text.js";
import { formatTime, newRow, type RowPatch } from "../issue-row.js";
import type { IssueGraph } from "../graph.js";
import type { Decide, NewRow } from "../types.js";
import { type Changed, issueOf } from "./changed.js";
import { checkFields, fieldsPatch, type IssueFields } from "./fields.js";
import { cleanLabels } from "./labels.js";

export interface NewIssue extends IssueFields {
  readonly title: string;
  /** The smallest free `bd-<n>` when left out. */
  readonly id?: string;
  readonly labels?: readonly string[];
  readonly ephemeral?: boolean;
}

export function addIssue(request: NewIssue): Decide<Changed> {
  return (graph, nowMs) => {
    const id = newId(graph, request.id);
    if (isRefusal(id)) return id;
    const row = newIssueRow(id, request, nowMs);
    if (isRefusal(row)) return row;
    return { answer: { issue: issueOf(row), changed: true }, rows: [row] };
  };
}

export function newIssueRow(
  id: string,
  request: NewIssue,
  nowMs: number,
  dependencies?: RowPatch["dependencies"],
): NewRow | Refusal {
  const invalid = checkFields(request);
  if (invalid !== undefined) return invalid;
  const labels = cleanLabels(request.labels ?? []);
  if (isRefusal(labels)) return labels;
  const { status = "open", priority = 2, issueType = "task", ephemeral = false } = request;
  const fields = fieldsPatch({ ...request, priority, issueType });
  const now = formatTime(nowMs);
  return newRow({
    id,
    title: fields["title"],
    description: fields["description"],
    design: fields["design"],
    acceptance_criteria: fields["acceptance_criteria"],
    notes: fields["notes"],
    status,
    priority,
    issue_type: issueType,
    assignee: fields["assignee"],
    owner: fields["owner"],
    created_at: now,
    updated_at: now,
    closed_at: status === "closed" ? now : undefined,
    ephemeral,
    labels: labels.length === 0 ? undefined : [...labels],
    dependencies,
    changes_tests: fields["changes_tests"],
  });
}

/** `taken`: the class of the refusal when the id is another issue's. */
export function newId(
  graph: IssueGraph,
  asked: string | undefined,
  taken: "issue_exists" | "issue_discover_id_conflict" = "issue_exists",
): string | Refusal {
  if (asked === undefined) return graph.freeId();
  const id = optionalText(asked);
  if (id === undefined || /[\s\p{Cc}]/u.test(id)) {
    return refuse("issue_invalid", {
      message: `the id ${JSON.stringify(asked.slice(0, 64))} is blank or has white space in it`,
      hint: `Leave --id out for the next free one, ${graph.freeId()}.`,
      detail: { field: "id" },
    });
  }
  if (graph.get(id) === undefined) return id;
  return refuse(taken, {
    message: `issue already exists: ${id}`,
    hint: `Leave --id out for the next free one, ${graph.freeId()}, or change it with \`premath issue update ${id}\`.`,
    detail: { issueId: id },
  });
}
