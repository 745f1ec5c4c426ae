/**
 * One row of issue memory as the snapshot digests it: declaration order,
 * defaults filled in, what is empty left out, times in one spelling.
 *
 * A row without `created_at` or `updated_at` has none here; filling in the
 * current time, as a loader does, would give the same memory a new digest at
 * every look.
 */
import {
  compareCodePoints,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseInstant,
  rawMembers,
} from "@bridle/record";
import { quoted } from "../text.js";
import { orderedJson } from "./source-json.js";

export interface IssueLine {
  readonly id: string;
  /** Compact JSON, without a newline. */
  readonly line: string;
}

const dependencyTypes: ReadonlySet<string> = new Set([
  "blocks",
  "parent-child",
  "conditional-blocks",
  "related",
  "discovered-from",
  "relates-to",
  "duplicates",
  "supersedes",
  "waits-for",
  "replies-to",
]);

/** A row that breaks the row schema answers with what is wrong, in a few words. */
export function issueLine(row: JsonObject, text: string): IssueLine | { readonly problem: string } {
  try {
    const id = new Members(row).required("id");
    return { id, line: compactLine(row, text) };
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message };
    throw error;
  }
}

class Unfit extends Error {}

function compactLine(row: JsonObject, text: string): string {
  const members = new Members(row);
  const line = new LineWriter();
  line.add("id", members.required("id"));
  line.add("title", members.required("title"));
  for (const name of ["description", "design", "acceptance_criteria", "notes"])
    line.add(name, members.text(name));
  line.add("status", members.defaulted("status", "open"));
  line.add("priority", members.priority());
  line.add("issue_type", members.issueType());
  for (const name of ["assignee", "owner"]) line.add(name, members.text(name));
  line.add("lease", members.lease());
  for (const name of ["created_at", "updated_at", "closed_at"]) line.add(name, members.time(name));
  line.add("ephemeral", members.flag("ephemeral"));
  line.add("mol_type", members.text("mol_type"));
  line.add("labels", members.labels());
  line.add("dependencies", members.dependencies());
  const metadata = row["metadata"];
  if (metadata !== undefined && metadata !== null) {
    line.addSource("metadata", orderedJson(rawMembers(text).get("metadata") ?? "null"));
  }
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

/** The members of a row, a lease or a dependency, by what they must be. */
class Members {
  constructor(
    private readonly row: JsonObject,
    private readonly of = "",
  ) {}

  required(name: string): string {
    const value = this.row[name];
    if (typeof value !== "string") throw this.unfit(name, "text");
    return value;
  }

  /** Absent when empty. */
  text(name: string): string | undefined {
    const value = this.defaulted(name, "");
    return value === "" ? undefined : value;
  }

  defaulted(name: string, fallback: string): string {
    return this.row[name] === undefined ? fallback : this.required(name);
  }

  priority(): number {
    const value = this.row["priority"] ?? 2;
    if (typeof value !== "number" || (value | 0) !== value) throw this.unfit("priority", "a whole number");
    return value;
  }

  issueType(): string {
    const value = this.defaulted("issue_type", "task").trim().toLowerCase();
    if (value !== "epic" && value !== "task") throw this.unfit("issue_type", "epic or task");
    return value;
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
    const rendered = renderTime(this.required(name));
    if (rendered === undefined) throw this.unfit(name, "an RFC3339 timestamp");
    return rendered;
  }

  lease(): JsonObject | undefined {
    const value = this.row["lease"];
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw this.unfit("lease", "an object");
    const lease = new Members(value, "lease.");
    return {
      lease_id: lease.required("lease_id"),
      owner: lease.required("owner"),
      acquired_at: lease.requiredTime("acquired_at"),
      expires_at: lease.requiredTime("expires_at"),
      renewed_at: lease.time("renewed_at"),
    };
  }

  labels(): string[] | undefined {
    const labels = this.list("labels");
    if (labels.some((label) => typeof label !== "string")) throw this.unfit("labels", "a list of texts");
    return labels.length === 0 ? undefined : (labels as string[]);
  }

  dependencies(): JsonObject[] | undefined {
    const dependencies = this.list("dependencies").map((value) => {
      if (!isJsonObject(value)) throw this.unfit("dependencies", "a list of objects");
      const members = new Members(value, "dependencies[].");
      const type = members.required(value["type"] === undefined ? "dep_type" : "type");
      if (!dependencyTypes.has(type)) throw members.unfit("type", "a dependency type");
      return {
        issue_id: members.required("issue_id"),
        depends_on_id: members.required("depends_on_id"),
        type,
        created_by: members.text("created_by"),
      };
    });
    const order = ["depends_on_id", "type", "created_by", "issue_id"] as const;
    dependencies.sort((left, right) => {
      for (const name of order) {
        const difference = compareCodePoints(left[name] ?? "", right[name] ?? "");
        if (difference !== 0) return difference;
      }
      return 0;
    });
    return dependencies.length === 0 ? undefined : dependencies;
  }

  private list(name: string): readonly JsonValue[] {
    const value = this.row[name] ?? [];
    if (!Array.isArray(value)) throw this.unfit(name, "a list");
    return value as readonly JsonValue[];
  }

  private unfit(name: string, expected: string): Unfit {
    return new Unfit(`${this.of}${name} is ${quoted(this.row[name])}, expected ${expected}`);
  }
}

/** In UTC with `Z` and 0, 3, 6 or 9 digits of the fraction. */
function renderTime(text: string): string | undefined {
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  const date = new Date(instant.seconds * 1000);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) return undefined;
  const nanos = instant.fraction.slice(0, 9).replace(/0+$/, "");
  const digits = nanos.padEnd(Math.ceil(nanos.length / 3) * 3, "0");
  return `${date.toISOString().slice(0, 19)}${digits === "" ? "" : `.${digits}`}Z`;
}
