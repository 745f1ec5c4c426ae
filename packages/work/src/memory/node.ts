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
import { keepsWaiting, parentType } from "./dependency-kinds.js";
import { instantMs, readIssue, type Unfit } from "./issue-row.js";
import type { Issue } from "./types.js";

export class IssueNode {
  // Declared only: a command makes ten thousand of these once, and a field that is first defined and then set costs twice.
  declare readonly title: string;
  declare readonly status: string;
  declare readonly priority: number;
  declare readonly assignee: string;
  /** Ids that must be closed before this one is ready, each once. */
  declare readonly blockers: readonly string[];
  /** Ids of its parents, with whom it waits; each once. */
  declare readonly parents: readonly string[];
  /** Whether those who wait for it wait no longer: closed, or pinned by beads. */
  declare readonly settled: boolean;
  /** Whether it can be begun at all, and is not one of beads' own records, such as a message or an agent. */
  declare readonly isWork: boolean;
  declare readonly isEpic: boolean;
  /** When its lease ends, active or not; undefined without one. */
  declare readonly leaseEndMs: number | undefined;
  declare readonly leaseOwner: string | undefined;
  /** As the row says it; undefined when it does not. */
  declare readonly closedAt: string | undefined;
  /** As they stand in the row: by them a row that grew from another is told from one that did not. */
  declare readonly createdAt: JsonValue | undefined;
  declare readonly updatedAt: JsonValue | undefined;
  /** Of the claims that it remembers. */
  declare readonly requestIds: readonly string[];
  /** Whether it is not offered until somebody changes it: its attempts are used up. */
  declare readonly withheld: boolean;
  /** Whether the members above are what they should be. */
  declare readonly sound: boolean;
  declare private parsed: JsonObject | undefined;
  declare private full: Issue | Unfit | undefined;
  declare private closedAtMs: number | undefined;

  constructor(
    readonly id: string,
    row: JsonObject,
    /** The row as it stands in the file. */
    readonly text: string,
    /** Where it stands in the file. */
    readonly line: number,
  ) {
    const { title, status, priority, assignee, dependencies, lease, closed_at, claims } = row;
    const ties = isAbsent(dependencies) ? noTies : tiesOf(dependencies);
    const leaseEndMs = isAbsent(lease) ? undefined : leaseEndOf(lease);
    const type = row["issue_type"];
    this.title = typeof title === "string" ? title : "";
    this.status = typeof status === "string" ? status : isAbsent(status) ? "open" : "";
    this.priority = typeof priority === "number" ? priority : 2;
    this.assignee = typeof assignee === "string" ? assignee : "";
    this.blockers = ties?.blockers ?? none;
    this.parents = ties?.parents ?? none;
    const beads = row["beads"];
    this.settled = this.status === "closed" || isPinned(this.status, beads);
    this.isWork = row["_type"] !== "memory" && isWork(type, beads);
    this.isEpic = type === "epic" || (typeof type === "string" && type.trim().toLowerCase() === "epic");
    this.leaseEndMs = leaseEndMs ?? undefined;
    this.leaseOwner = isAbsent(lease) ? undefined : leaseOwnerOf(lease);
    this.closedAt = typeof closed_at === "string" ? closed_at : undefined;
    this.createdAt = row["created_at"];
    this.updatedAt = row["updated_at"];
    this.requestIds = isAbsent(claims) ? none : requestIdsOf(claims);
    this.withheld = this.status === "open" && !isAbsent(row["withheld"]);
    this.sound =
      typeof title === "string" &&
      (typeof status === "string" || isAbsent(status)) &&
      (typeof priority === "number" ? (priority | 0) === priority : isAbsent(priority)) &&
      ties !== undefined &&
      leaseEndMs !== null &&
      (type === undefined || type === "task" || type === "epic" || !("problem" in readIssue(row)));
  }

  /** Parsed when it is first asked for: a memory that is only listed does not hold every row twice. */
  get row(): JsonObject {
    return (this.parsed ??= JSON.parse(this.text) as JsonObject);
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
    return (this.closedAtMs ??= timeOf(this.closedAt) ?? Number.NEGATIVE_INFINITY);
  }
}

const none: readonly string[] = [];

function isAbsent(value: JsonValue | undefined): value is undefined | null {
  return value === undefined || value === null;
}

interface Ties {
  readonly blockers: readonly string[];
  readonly parents: readonly string[];
}

const noTies: Ties = { blockers: none, parents: none };

/** Undefined when the dependencies are none that we can judge. */
function tiesOf(dependencies: JsonValue): Ties | undefined {
  if (!Array.isArray(dependencies)) return undefined;
  let blockers: string[] | undefined;
  let parents: string[] | undefined;
  for (const dependency of dependencies as readonly JsonValue[]) {
    if (!isJsonObject(dependency)) return undefined;
    const target = dependency["depends_on_id"];
    const type = dependency["type"] ?? dependency["dep_type"];
    if (typeof target !== "string" || typeof type !== "string") return undefined;
    if (type === parentType) {
      if (parents === undefined) parents = [target];
      else if (!parents.includes(target)) parents.push(target);
    } else if (keepsWaiting(type)) {
      if (blockers === undefined) blockers = [target];
      else if (!blockers.includes(target)) blockers.push(target);
    }
  }
  return { blockers: blockers ?? none, parents: parents ?? none };
}

/** A status that only beads has is kept beside the one that it was taken as. */
function isPinned(status: string, beads: JsonValue | undefined): boolean {
  if (status === "pinned") return true;
  return status === "blocked" && isJsonObject(beads) && beads["status"] === "pinned";
}

/** Records of beads that it keeps among its issues and never offers. */
const notWork: ReadonlySet<string> = new Set([
  ...["merge-request", "gate", "molecule", "message", "agent", "role", "rig"],
]);

function isWork(type: JsonValue | undefined, beads: JsonValue | undefined): boolean {
  if (beads === undefined && (type === "task" || type === "epic")) return true;
  const original = isJsonObject(beads) ? beads["issue_type"] : undefined;
  const of = typeof original === "string" && type === "task" ? original : type;
  return typeof of !== "string" || !notWork.has(of.trim().toLowerCase());
}

/** Null when it cannot be judged. */
function leaseEndOf(lease: JsonValue): number | null {
  return timeOf(isJsonObject(lease) ? lease["expires_at"] : undefined) ?? null;
}

function leaseOwnerOf(lease: JsonValue): string | undefined {
  const owner = isJsonObject(lease) ? lease["owner"] : undefined;
  return typeof owner === "string" ? owner : undefined;
}

function requestIdsOf(claims: JsonValue): readonly string[] {
  if (!Array.isArray(claims)) return none;
  return (claims as readonly JsonValue[]).flatMap((claim) => {
    const id = isJsonObject(claim) ? claim["request_id"] : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

function timeOf(value: JsonValue | undefined): number | undefined {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  return instant === undefined ? undefined : instantMs(instant);
}

/** By priority, then id: the order in which work is offered. */
export function compareUrgency(left: IssueNode, right: IssueNode): number {
  return left.priority - right.priority || compareCodePoints(left.id, right.id);
}

/** Sorted priority by priority: the ids of each are in order already where the file is compacted. */
export function byUrgency(nodes: readonly IssueNode[]): IssueNode[] {
  const groups = new Map<number, IssueNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.priority);
    if (group === undefined) groups.set(node.priority, [node]);
    else group.push(node);
  }
  const inOrder = [...groups].sort(([left], [right]) => left - right);
  return inOrder.flatMap(([, group]) => group.sort(compareUrgency));
}
