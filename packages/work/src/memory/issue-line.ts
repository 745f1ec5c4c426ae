/**
 * One row of issue memory as the snapshot digests it: declaration order,
 * defaults filled in, what is empty left out, times in one spelling. The fence
 * comes last where there is one, so that memory without claims keeps the digest
 * that the contract gives it.
 *
 * A row without `created_at` or `updated_at` has none here; filling in the
 * current time, as a loader does, would give the same memory a new digest at
 * every look.
 */
import { compareCodePoints, type JsonObject, type JsonValue, parseInstant } from "@bridle/record";
import { memberSource } from "./issue-row.js";
import { orderedJson } from "./source-json.js";
import type { Dependency, Issue, Lease } from "./types.js";

/** `text` is the issue's row, for what must not pass through a double. */
export function digestedLine(issue: Issue, text: string): string {
  const line = new LineWriter();
  const some = (value: string) => (value === "" ? undefined : value);
  line.add("id", issue.id);
  line.add("title", issue.title);
  line.add("description", some(issue.description));
  line.add("design", some(issue.design));
  line.add("acceptance_criteria", some(issue.acceptanceCriteria));
  line.add("notes", some(issue.notes));
  line.add("status", issue.status);
  line.add("priority", issue.priority);
  line.add("issue_type", issue.issueType);
  line.add("assignee", some(issue.assignee));
  line.add("owner", some(issue.owner));
  line.add("lease", issue.lease && leaseMembers(issue.lease));
  line.add("created_at", renderTime(issue.createdAt));
  line.add("updated_at", renderTime(issue.updatedAt));
  line.add("closed_at", renderTime(issue.closedAt));
  line.add("ephemeral", issue.ephemeral);
  line.add("mol_type", some(issue.molType));
  if (issue.labels.length > 0) line.add("labels", issue.labels);
  if (issue.dependencies.length > 0) line.add("dependencies", sortedDependencies(issue.dependencies));
  if (issue.metadata !== undefined) {
    line.addSource("metadata", orderedJson(memberSource(text, "metadata") ?? "null"));
  }
  if (issue.fence > 0) line.add("fence", issue.fence);
  return line.text();
}

class LineWriter {
  private readonly written: string[] = [];

  add(name: string, value: JsonValue | undefined): void {
    if (value !== undefined) this.addSource(name, JSON.stringify(value));
  }

  addSource(name: string, source: string): void {
    this.written.push(`${JSON.stringify(name)}:${source}`);
  }

  text(): string {
    return `{${this.written.join(",")}}`;
  }
}

function leaseMembers(lease: Lease): JsonObject {
  return {
    lease_id: lease.leaseId,
    owner: lease.owner,
    acquired_at: renderTime(lease.acquiredAt),
    expires_at: renderTime(lease.expiresAt),
    renewed_at: renderTime(lease.renewedAt),
  };
}

function sortedDependencies(dependencies: readonly Dependency[]): JsonObject[] {
  return [...dependencies].sort(compareDependencies).map((dependency) => ({
    issue_id: dependency.issueId,
    depends_on_id: dependency.dependsOnId,
    type: dependency.type,
    created_by: dependency.createdBy,
  }));
}

/** By target, type, author and source: how dependencies stand in events and digests. */
export function compareDependencies(left: Dependency, right: Dependency): number {
  return (
    compareCodePoints(left.dependsOnId, right.dependsOnId) ||
    compareCodePoints(left.type, right.type) ||
    compareCodePoints(left.createdBy ?? "", right.createdBy ?? "") ||
    compareCodePoints(left.issueId, right.issueId)
  );
}

/** In UTC with `Z` and 0, 3, 6 or 9 digits of the fraction. */
function renderTime(text: string | undefined): string | undefined {
  const instant = text === undefined ? undefined : parseInstant(text);
  if (instant === undefined) return undefined;
  const date = new Date(instant.seconds * 1000);
  const nanos = instant.fraction.slice(0, 9).replace(/0+$/, "");
  const digits = nanos.padEnd(Math.ceil(nanos.length / 3) * 3, "0");
  return `${date.toISOString().slice(0, 19)}${digits === "" ? "" : `.${digits}`}Z`;
}
