/**
 * One issue in the graph: its last row, and the few members that decide what is
 * ready. The rest of the row is read when somebody asks for it, because most
 * questions over thousands of issues never do.
 */
import {
  compareCodePoints,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseInstant,
} from "@bridle/record";
import { isBlocking } from "./dependency-kinds.js";
import { instantMs, readIssue, type Unfit } from "./issue-row.js";
import type { Issue } from "./types.js";

export class IssueNode {
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly assignee: string;
  /** Ids that must be closed before this one is ready, each once. */
  readonly blockers: readonly string[];
  /** When its lease ends, active or not; undefined without one. */
  readonly leaseEndMs: number | undefined;
  /** Whether the members above are what they should be. */
  readonly sound: boolean;
  private full: Issue | Unfit | undefined;
  private closedAtMs: number | undefined;

  constructor(
    readonly id: string,
    readonly row: JsonObject,
    /** As it stands in the file. */
    readonly text: string,
    /** Where it stands in the file. */
    readonly line: number,
  ) {
    const { title, assignee, issue_type: type } = row;
    const status = row["status"] ?? "open";
    const priority = row["priority"] ?? 2;
    const blockers = blockersOf(row);
    const leaseEndMs = leaseEndOf(row);
    this.title = typeof title === "string" ? title : "";
    this.status = typeof status === "string" ? status : "";
    this.priority = typeof priority === "number" ? priority : 2;
    this.assignee = typeof assignee === "string" ? assignee : "";
    this.blockers = blockers ?? [];
    this.leaseEndMs = leaseEndMs ?? undefined;
    this.sound =
      typeof title === "string" &&
      typeof status === "string" &&
      typeof priority === "number" &&
      (priority | 0) === priority &&
      blockers !== undefined &&
      leaseEndMs !== null &&
      (type === undefined || type === "task" || type === "epic" || !("problem" in this.issue));
  }

  /** The row in full, or what is wrong with it. */
  get issue(): Issue | Unfit {
    return (this.full ??= readIssue(this.row));
  }

  get closed(): boolean {
    return this.status === "closed";
  }

  /** When it was closed; long ago when the row does not say. */
  get closedMs(): number {
    return (this.closedAtMs ??= timeOf(this.row["closed_at"]) ?? Number.NEGATIVE_INFINITY);
  }
}

const none: readonly string[] = [];

/** Undefined when the dependencies are none that we can judge. */
function blockersOf(row: JsonObject): readonly string[] | undefined {
  const { dependencies } = row;
  if (dependencies === undefined || dependencies === null) return none;
  if (!Array.isArray(dependencies)) return undefined;
  const blockers: string[] = [];
  for (const dependency of dependencies) {
    if (!isJsonObject(dependency)) return undefined;
    const { depends_on_id: target, type = dependency["dep_type"] } = dependency;
    if (typeof target !== "string" || typeof type !== "string") return undefined;
    if (isBlocking(type) && !blockers.includes(target)) blockers.push(target);
  }
  return blockers;
}

/** Undefined without a lease, null when there is one that we cannot judge. */
function leaseEndOf({ lease }: JsonObject): number | undefined | null {
  if (lease === undefined || lease === null) return undefined;
  return timeOf(isJsonObject(lease) ? lease["expires_at"] : undefined) ?? null;
}

function timeOf(value: JsonValue | undefined): number | undefined {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  return instant === undefined ? undefined : instantMs(instant);
}

/** By priority, then id: the order in which work is offered. */
export function compareUrgency(left: IssueNode, right: IssueNode): number {
  return left.priority - right.priority || compareCodePoints(left.id, right.id);
}
