/**
 * Rows of beads' `issues.jsonl` as rows of ours, and back to the byte.
 *
 * Most members mean the same in both. Where beads allows values that we do not
 * (an issue type `bug`, a status `deferred`, a dependency of its own kind), the
 * row gets the nearest of ours, and what stood there is kept in a member
 * `beads` of the same object. The way back puts it where it was, unless our
 * value was changed since. All other bytes are left alone in both directions.
 */
import { isJsonObject, itemSpans, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import { newRow, RawJson } from "../memory/issue-row.js";
import { dependencyTypes, issueStatuses, type NewRow } from "../memory/types.js";
import { type Edit, SourceObject, splice } from "./splice.js";

const keptIn = "beads";

export interface Translated {
  readonly text: string;
  /** What was translated, e.g. `issue_type "bug" is taken as task`. */
  readonly translated: readonly string[];
}

/** How a value of beads is called here; undefined when it is called the same. */
type Translate = (value: JsonValue | undefined) => string | undefined;

const known = (values: readonly string[], value: string) => values.includes(value);

/** What nobody should be offered as work becomes `blocked`. */
const translateStatus: Translate = (value) => {
  if (typeof value !== "string" || known(issueStatuses, value)) return undefined;
  const plain = value.trim().toLowerCase();
  if (plain === "") return "open";
  if (plain === "tombstone") return "closed";
  if (plain === "hooked") return "in_progress";
  return known(issueStatuses, plain) ? plain : "blocked";
};

const translateType: Translate = (value) => {
  if (typeof value !== "string") return undefined;
  return ["epic", "task"].includes(value.trim().toLowerCase()) ? undefined : "task";
};

/** A kind of dependency that we do not know must not keep anybody waiting. */
const translateDependency: Translate = (value) =>
  typeof value !== "string" || known(dependencyTypes, value) ? undefined : "related";

const rowMembers: Readonly<Record<string, Translate>> = {
  status: translateStatus,
  issue_type: translateType,
};
const dependencyMembers: Readonly<Record<string, Translate>> = { type: translateDependency };

/** What beads remembers among its issues and is no issue. */
export function isMemory(row: JsonObject): boolean {
  return row["_type"] === "memory";
}

/** A row of such a memory that has no id or no title of an issue: the whole of it is kept in the row. */
export function memoryRow(text: string): NewRow {
  const { id, key, title } = JSON.parse(text) as JsonObject;
  const name = [title, key].find((value) => typeof value === "string" && value !== "");
  return newRow({
    id: typeof id === "string" && id !== "" ? id : `memory-${sha256Hex(text).slice(0, 12)}`,
    title: typeof name === "string" ? name : "a memory of beads",
    status: "open",
    issue_type: "task",
    _type: "memory",
    [keptIn]: new RawJson(`{"row":${text}}`),
  });
}

export function fromBeads(text: string): Translated {
  const row = new SourceObject(text);
  const edits: Edit[] = [];
  const translated: string[] = [];
  const take = (object: SourceObject, translations: typeof rowMembers, of: string) => {
    const kept: string[] = [];
    for (const [name, translate] of Object.entries(translations)) {
      const source = object.get(name);
      const ours = source === undefined ? undefined : translate(JSON.parse(source) as JsonValue);
      if (source === undefined || ours === undefined) continue;
      edits.push(object.set(name, JSON.stringify(ours)));
      kept.push(`${JSON.stringify(name)}:${source}`);
      translated.push(`${of}${name} ${source} is taken as ${ours}`);
    }
    const own = object.get(keptIn);
    if (own !== undefined) kept.push(`${JSON.stringify(keptIn)}:${own}`);
    if (kept.length > 0) edits.push(object.set(keptIn, `{${kept.join(",")}}`));
  };
  take(row, rowMembers, "");
  for (const dependency of dependenciesOf(row)) take(dependency, dependencyMembers, "dependency ");
  return { text: splice(text, edits), translated };
}

export function toBeads(text: string): string {
  const row = new SourceObject(text);
  const whole = row.get("_type") === '"memory"' ? row.get(keptIn) : undefined;
  const kept = whole?.startsWith("{") === true ? new SourceObject(whole).get("row") : undefined;
  if (kept !== undefined) return kept;
  const edits: Edit[] = [];
  const restore = (object: SourceObject, translations: typeof rowMembers) => {
    const source = object.get(keptIn);
    if (source === undefined || !isKept(JSON.parse(source) as JsonValue, translations)) return;
    const kept = new SourceObject(source);
    for (const [name, translate] of Object.entries(translations)) {
      const original = kept.get(name);
      const current = object.get(name);
      if (original === undefined || current === undefined) continue;
      if (translate(JSON.parse(original) as JsonValue) === JSON.parse(current)) {
        edits.push(object.set(name, original));
      }
    }
    const own = kept.get(keptIn);
    edits.push(own === undefined ? object.remove(keptIn) : object.set(keptIn, own));
  };
  restore(row, rowMembers);
  for (const dependency of dependenciesOf(row)) restore(dependency, dependencyMembers);
  return splice(text, edits);
}

/** A member of that name that somebody else made is left alone. */
function isKept(value: JsonValue, translations: typeof rowMembers): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(
      ([name, original]) =>
        name === keptIn || (Object.hasOwn(translations, name) && typeof original === "string"),
    )
  );
}

function dependenciesOf(row: SourceObject): SourceObject[] {
  const source = row.get("dependencies");
  if (source === undefined || !source.startsWith("[")) return [];
  const at = row.startOf("dependencies");
  return itemSpans(source).flatMap(({ start, end }) => {
    const item = source.slice(start, end);
    return item.startsWith("{") ? [new SourceObject(item, at + start)] : [];
  });
}
