/**
 * The dependencies of an issue, read without judging the rest of its row: a row
 * that is no issue because of its notes still waits for what it waits for.
 */
import { isJsonObject, type JsonValue } from "@bridle/record";
import type { IssueNode } from "./node.js";

export interface Edge {
  readonly issueId: string;
  readonly dependsOnId: string;
  /** Also one that we do not know. */
  readonly type: string;
  /** Blank when the row does not say. */
  readonly createdBy: string;
}

/** In the order of the row. */
export function edgesOf({ id, row: { dependencies } }: IssueNode): Edge[] {
  if (!Array.isArray(dependencies)) return [];
  const edges: Edge[] = [];
  for (const dependency of dependencies as readonly JsonValue[]) {
    if (!isJsonObject(dependency)) continue;
    const { issue_id: issueId, depends_on_id: dependsOnId, created_by: createdBy } = dependency;
    const type = dependency["type"] ?? dependency["dep_type"];
    if (typeof dependsOnId !== "string" || typeof type !== "string") continue;
    edges.push({
      issueId: typeof issueId === "string" ? issueId : id,
      dependsOnId,
      type,
      createdBy: typeof createdBy === "string" ? createdBy : "",
    });
  }
  return edges;
}
