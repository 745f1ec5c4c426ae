/**
 * Issue memory as a stream of events (`issue.event.v1`).
 *
 * Each issue is an `upsert_issue` with its row, dependencies emptied, followed by
 * one `add_dependency` for each of them. The row travels as its source, so that
 * members which this version does not know keep their bytes. A dependency that
 * says more than the contract's members carries its own source in the additive
 * member `dependency`.
 */
import { type Refusal, refuse } from "@bridle/record";
import { dependencyMembers } from "./dependency-change.js";
import type { IssueGraph } from "./graph.js";
import { compareDependencies } from "./issue-line.js";
import { dependencySources, patchObject, RawJson, type RowPatch } from "./issue-row.js";
import type { IssueNode } from "./node.js";
import type { Dependency, Issue } from "./types.js";

export const eventSchema = "issue.event.v1";
export const eventActions = ["upsert_issue", "add_dependency"] as const;

/** The events of every issue in the order of ids, a line each; refused when a row is no issue. */
export function eventsOf(graph: IssueGraph): string[] | Refusal {
  const lines: string[] = [];
  for (const node of graph.sorted()) {
    const { id, line, issue } = node;
    if ("problem" in issue) {
      return refuse("issue_row_invalid", {
        message: `${id} (line ${line}) cannot become events, because its row is no issue: ${issue.problem}`,
        hint: "Correct the row in the file, or see `premath issue check`.",
        detail: { issueId: id, line },
      });
    }
    lines.push(...issueEvents(node, issue));
  }
  return lines;
}

/** Of a row that does not say when it was last changed. */
const unknownTime = "1970-01-01T00:00:00Z";

function issueEvents({ id, text }: IssueNode, issue: Issue): string[] {
  const occurredAt = issue.updatedAt ?? issue.createdAt ?? unknownTime;
  const event = (eventId: string, action: string, payload: RowPatch) =>
    patchObject("{}", {
      schema: eventSchema,
      event_id: eventId,
      issue_id: id,
      occurred_at: occurredAt,
      action,
      ...payload,
    });
  const { dependencies } = issue;
  // The emptied list marks the place in the row where replaying puts the dependencies back.
  const row = dependencies.length === 0 ? text : patchObject(text, { dependencies: [] });
  const sources = dependencySources(text);
  const edges = dependencies
    .map((dependency, i) => ({ dependency, source: sources[i] ?? "" }))
    .sort((left, right) => compareDependencies(left.dependency, right.dependency))
    .map(({ dependency, source }) => {
      const { dependsOnId, type } = dependency;
      const eventId = `issue.add_dependency:${id}:${dependsOnId}:${type}`;
      return event(eventId, "add_dependency", edgePayload(id, dependency, source));
    });
  return [event(`issue.upsert:${id}`, "upsert_issue", { issue: new RawJson(row) }), ...edges];
}

function edgePayload(id: string, dependency: Dependency, source: string): RowPatch {
  const { dependsOnId, type, createdBy } = dependency;
  const plain = JSON.stringify(dependencyMembers({ ...dependency, issueId: id }));
  return {
    depends_on_id: dependsOnId,
    type,
    created_by: createdBy,
    dependency: source === plain ? undefined : new RawJson(source),
  };
}
