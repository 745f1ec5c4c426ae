/**
 * Rows of issue memory: read into what we understand, and written without
 * touching what we do not.
 *
 * A changed row is its old source with some members replaced. Everything else,
 * our own unchanged members included, keeps its bytes: 64-bit integers, `1.0`,
 * escapes, the order of members.
 */
import {
  compareInstants,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Instant,
  parseInstant,
  rawEntries,
  rawItems,
  rawMembers,
} from "@bridle/record";
import { quoted } from "../text.js";
import {
  type ClaimRecord,
  type Comment,
  type Dependency,
  type DependencyType,
  dependencyTypes,
  type Issue,
  type IssueType,
  type Lease,
  type NewRow,
} from "./types.js";

/** What is wrong with a row, in a few words. */
export interface Unfit {
  readonly problem: string;
}

/** A value of our own, or source text that is kept to the byte; undefined removes the member. */
export type MemberValue = JsonValue | RawJson | undefined;
export type RowPatch = Readonly<Record<string, MemberValue>>;

export class RawJson {
  constructor(readonly text: string) {}
}

/** A row of our own making; members in the order of the contract, empty ones left out by the caller. */
export function newRow(members: RowPatch & { readonly id: string }): NewRow {
  return { id: members.id, text: patchObject("{}", members) };
}

/**
 * The next row of an issue. Its `updated_at` is never before that of the row it grew from, whatever
 * the clock says: a row whose time goes back did not grow from the one before it (see sides.ts).
 * An issue that was withheld is withheld no longer, whatever changes in it.
 */
export function patchRow(id: string, text: string, change: RowPatch): NewRow {
  const patch = "withheld" in change ? change : { ...change, withheld: undefined };
  const { updated_at: updatedAt } = patch;
  const before = typeof updatedAt === "string" ? memberSource(text, "updated_at") : undefined;
  const kept = before !== undefined && isLater(before, updatedAt as string);
  return { id, text: patchObject(text, kept ? { ...patch, updated_at: new RawJson(before) } : patch) };
}

function isLater(source: string, time: string): boolean {
  const [left, right] = [JSON.parse(source) as JsonValue, parseInstant(time)];
  const instant = typeof left === "string" ? parseInstant(left) : undefined;
  return instant !== undefined && right !== undefined && compareInstants(instant, right) > 0;
}

/** The source of an object with some members replaced, added at the end, or removed. */
export function patchObject(text: string, patch: RowPatch): string {
  const members = rawEntries(text);
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) {
      members.delete(key);
      continue;
    }
    const name = members.get(key)?.name ?? JSON.stringify(key);
    members.set(key, { name, value: value instanceof RawJson ? value.text : JSON.stringify(value) });
  }
  return `{${[...members.values()].map(({ name, value }) => `${name}:${value}`).join(",")}}`;
}

/** The source of one member of a row; undefined when it has none. */
export function memberSource(text: string, name: string): string | undefined {
  return rawMembers(text).get(name);
}

/** The dependencies of a row with the source of each, in the order of the row. */
export function dependencySources(text: string): string[] {
  const source = memberSource(text, "dependencies");
  return source === undefined || source === "null" ? [] : rawItems(source);
}

export function rawList(items: readonly string[]): RawJson | undefined {
  return items.length === 0 ? undefined : new RawJson(`[${items.join(",")}]`);
}

/** As the contract writes the times of issues: UTC with `Z`, a fraction only where there is one. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** Milliseconds since 1970; a finer fraction is cut off. */
export function instantMs({ seconds, fraction }: Instant): number {
  return seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

export function readIssue(row: JsonObject): Issue | Unfit {
  try {
    return issueOf(new Members(row));
  } catch (error) {
    if (error instanceof UnfitError) return { problem: error.message };
    throw error;
  }
}

class UnfitError extends Error {}

/** The members of a row that mean something to us; any other keeps its bytes and is not looked at. */
export const knownMembers: ReadonlySet<string> = new Set([
  "id",
  "title",
  "description",
  "design",
  "acceptance_criteria",
  "notes",
  "status",
  "priority",
  "issue_type",
  "assignee",
  "owner",
  "lease",
  "fence",
  "created_at",
  "updated_at",
  "closed_at",
  "ephemeral",
  "mol_type",
  "labels",
  "dependencies",
  "comments",
  "claims",
  "aliases",
  "metadata",
  "started_from",
  "changes_tests",
  "verified",
]);

function issueOf(row: Members): Issue {
  const lease = row.lease("lease");
  const createdAt = row.time("created_at");
  const updatedAt = row.time("updated_at");
  const closedAt = row.time("closed_at");
  const metadata = row.value("metadata");
  return {
    id: row.required("id"),
    title: row.required("title"),
    description: row.text("description"),
    design: row.text("design"),
    acceptanceCriteria: row.text("acceptance_criteria"),
    notes: row.text("notes"),
    status: row.defaulted("status", "open"),
    priority: row.priority(),
    issueType: row.issueType(),
    assignee: row.text("assignee"),
    owner: row.text("owner"),
    ...(lease === undefined ? {} : { lease }),
    fence: row.count("fence"),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(closedAt === undefined ? {} : { closedAt }),
    ephemeral: row.flag("ephemeral"),
    molType: row.text("mol_type"),
    labels: row.texts("labels"),
    dependencies: row.dependencies(),
    comments: row.comments(),
    claims: row.claims(),
    aliases: row.texts("aliases"),
    ...(metadata === undefined || metadata === null ? {} : { metadata }),
    ...workMembers(row),
  };
}

/** Ours alone. What another program wrote under these names means nothing to us and keeps its bytes. */
function workMembers(row: Members): Pick<Issue, "startedFrom" | "changesTests" | "verified"> {
  const textOf = (value: JsonValue | undefined) => (typeof value === "string" ? value : "");
  const textsOf = (value: JsonValue | undefined) =>
    Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
  const [started, verified] = [row.value("started_from"), row.value("verified")];
  return {
    ...(isJsonObject(started) && textOf(started["commit"]) !== ""
      ? { startedFrom: { commit: textOf(started["commit"]), tests: textsOf(started["tests"]) } }
      : {}),
    changesTests: textsOf(row.value("changes_tests")),
    ...(isJsonObject(verified) && textOf(verified["commit"]) !== ""
      ? {
          verified: {
            commit: textOf(verified["commit"]),
            tree: textOf(verified["tree"]),
            policyDigest: textOf(verified["policy_digest"]),
            projectionDigest: textOf(verified["projection_digest"]),
            witnessRef: textOf(verified["witness_ref"]),
            at: textOf(verified["at"]),
          },
        }
      : {}),
  };
}

const yearZero = Date.parse("0000-01-01T00:00:00Z") / 1000;
const year10000 = Date.parse("+010000-01-01T00:00:00Z") / 1000;
const knownDependencyTypes: ReadonlySet<string> = new Set(dependencyTypes);

/** The members of a row or of an object in it, by what they must be. */
export class Members {
  constructor(
    private readonly row: JsonObject,
    private readonly of = "",
  ) {}

  value(name: string): JsonValue | undefined {
    return this.row[name];
  }

  required(name: string): string {
    const value = this.row[name];
    if (typeof value !== "string") throw this.unfit(name, "text");
    return value;
  }

  text(name: string): string {
    return this.defaulted(name, "");
  }

  defaulted(name: string, fallback: string): string {
    const value = this.row[name];
    return value === undefined || value === null ? fallback : this.required(name);
  }

  priority(): number {
    const value = this.row["priority"] ?? 2;
    if (typeof value !== "number" || (value | 0) !== value) throw this.unfit("priority", "a whole number");
    return value;
  }

  issueType(): IssueType {
    const value = this.defaulted("issue_type", "task").trim().toLowerCase();
    if (value !== "epic" && value !== "task") throw this.unfit("issue_type", "epic or task");
    return value;
  }

  count(name: string): number {
    const value = this.row[name] ?? 0;
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw this.unfit(name, "a count");
    return value as number;
  }

  flag(name: string): boolean {
    const value = this.row[name] ?? false;
    if (typeof value !== "boolean") throw this.unfit(name, "true or false");
    return value;
  }

  time(name: string): string | undefined {
    return this.row[name] === undefined || this.row[name] === null ? undefined : this.requiredTime(name);
  }

  requiredTime(name: string): string {
    const value = this.required(name);
    const instant = parseInstant(value);
    // An offset can carry a time out of the years that RFC 3339 can write.
    if (instant === undefined || instant.seconds < yearZero || instant.seconds >= year10000) {
      throw this.unfit(name, "an RFC3339 timestamp");
    }
    return value;
  }

  lease(name: string): Lease | undefined {
    const value = this.row[name];
    if (value === undefined || value === null) return undefined;
    const lease = this.inside(name, value);
    const renewedAt = lease.time("renewed_at");
    return {
      leaseId: lease.required("lease_id"),
      owner: lease.required("owner"),
      acquiredAt: lease.requiredTime("acquired_at"),
      expiresAt: lease.requiredTime("expires_at"),
      ...(renewedAt === undefined ? {} : { renewedAt }),
    };
  }

  texts(name: string): readonly string[] {
    const list = this.list(name);
    if (list.some((item) => typeof item !== "string")) throw this.unfit(name, "a list of texts");
    return list as readonly string[];
  }

  dependencies(): readonly Dependency[] {
    return this.list("dependencies").map((value) => {
      const members = this.inside("dependencies[]", value);
      const name = members.value("type") === undefined ? "dep_type" : "type";
      const type = members.required(name);
      if (!knownDependencyTypes.has(type)) throw members.unfit(name, "a dependency type");
      const createdBy = members.text("created_by");
      return {
        issueId: members.required("issue_id"),
        dependsOnId: members.required("depends_on_id"),
        type: type as DependencyType,
        ...(createdBy === "" ? {} : { createdBy }),
      };
    });
  }

  comments(): readonly Comment[] {
    return this.list("comments").map((value) => {
      const members = this.inside("comments[]", value);
      return {
        author: members.text("author"),
        text: members.text("text"),
        createdAt: members.text("created_at"),
      };
    });
  }

  claims(): readonly ClaimRecord[] {
    return this.list("claims").map((value) => {
      const members = this.inside("claims[]", value);
      const lease = members.lease("lease");
      if (lease === undefined) throw members.unfit("lease", "an object");
      return { requestId: members.required("request_id"), fence: members.count("fence"), lease };
    });
  }

  list(name: string): readonly JsonValue[] {
    const value = this.row[name] ?? [];
    if (!Array.isArray(value)) throw this.unfit(name, "a list");
    return value as readonly JsonValue[];
  }

  private inside(name: string, value: JsonValue): Members {
    if (!isJsonObject(value)) throw this.unfit(name.replace("[]", ""), "made of objects");
    return new Members(value, `${this.of}${name}.`);
  }

  unfit(name: string, expected: string): UnfitError {
    return new UnfitError(`${this.of}${name} is ${quoted(this.row[name])}, expected ${expected}`);
  }
}
