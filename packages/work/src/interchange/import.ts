/**
 * Rows from elsewhere into issue memory, all of them or none.
 *
 * A new id is added. An id that is there and says the same is left alone; one
 * that says something else is merged as in `merge-row.ts`, as if both had grown
 * from nothing: the later `updated_at` wins, sets are joined, what loses is kept
 * in metadata. An issue that somebody holds keeps its status, assignee and lease.
 */
import { type Refusal, isJsonObject, isRefusal, type JsonObject, grouped } from "@bridle/record";
import type { IssueGraph } from "../memory/graph.js";
import { readIssue } from "../memory/issue-row.js";
import { guardHolder } from "../memory/lease.js";
import type { Decide, NewRow } from "../memory/types.js";
import { fromBeads, isMemory, memoryRow } from "./beads.js";
import { blockingCycle } from "./blocking-cycle.js";
import { fromGithub } from "./github.js";
import { mergeRow } from "./merge-row.js";
import { type Renamed, settleNames } from "./names.js";
import { nestsTooDeep, readSourceLines, readText, unfitSource } from "./source-file.js";
import { emptyTree, type IssueTree, type TreeRow } from "./tree.js";

export const importFormats = ["beads", "github"] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportSource {
  readonly tree: IssueTree;
  readonly warnings: readonly string[];
}

export interface Imported {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: number;
  readonly renamed: readonly Renamed[];
  readonly warnings: readonly string[];
}

export function readImport(bytes: Uint8Array, shown: string, format: ImportFormat): ImportSource | Refusal {
  return format === "beads" ? readBeads(bytes, shown) : readGithub(bytes, shown);
}

function readBeads(bytes: Uint8Array, shown: string): ImportSource | Refusal {
  const lines = readSourceLines(bytes, shown);
  if (isRefusal(lines)) return lines;
  const strange = lines.nameless.find(({ row }) => !isMemory(row));
  if (strange !== undefined) return unfitSource(shown, strange.line, "the row has no id");
  const rows = new Map<string, TreeRow>();
  for (const { text } of lines.nameless) {
    const { id, text: source } = memoryRow(text);
    rows.set(id, { text: source, row: JSON.parse(source) as JsonObject });
  }
  const translated = new Map<string, number>();
  const warnings: string[] = [];
  for (const { line, text: source, row: given } of lines.rows) {
    if (isMemory(given) && typeof given["title"] !== "string") {
      const { id, text } = memoryRow(source);
      rows.set(id, { text, row: JSON.parse(text) as JsonObject });
      continue;
    }
    const { text, translated: kinds } = fromBeads(source);
    const row = JSON.parse(text) as JsonObject;
    const issue = readIssue(row);
    if ("problem" in issue) return unfitSource(shown, line, issue.problem);
    if (rows.has(issue.id))
      warnings.push(`${issue.id} stands more than once in ${shown}; its last row counts.`);
    for (const kind of kinds) translated.set(kind, (translated.get(kind) ?? 0) + 1);
    rows.set(issue.id, { text, row });
  }
  const comments = lines.head.length - lines.nameless.length;
  if (comments > 0) warnings.push(`${comments} comment lines of ${shown} were left out.`);
  for (const [kind, count] of translated) {
    const times = count === 1 ? "once" : `${grouped(count)} times`;
    warnings.push(`${kind}, ${times}; an export puts it back.`);
  }
  return { tree: { head: [], rows }, warnings: shortened(warnings) };
}

function readGithub(bytes: Uint8Array, shown: string): ImportSource | Refusal {
  const text = readText(bytes, shown);
  if (typeof text !== "string") return text;
  try {
    JSON.parse(text);
  } catch (error) {
    const problem =
      "it is not JSON; it should be what `gh issue list --json …` prints, or GitHub's REST answer";
    return unfitSource(shown, lineOfError(text, error), problem);
  }
  if (nestsTooDeep(text)) return unfitSource(shown, undefined, "it nests too deep");
  const found = fromGithub(text);
  if ("problem" in found) return unfitSource(shown, found.line, found.problem);
  const rows = new Map<string, TreeRow>();
  for (const { id, text: source, line } of found.rows) {
    const row = JSON.parse(source) as JsonObject;
    const issue = readIssue(row);
    if ("problem" in issue) return unfitSource(shown, line, `${id}: ${issue.problem}`);
    rows.set(id, { text: source, row });
  }
  const { pullRequests } = found;
  const left = `${grouped(pullRequests)} pull ${pullRequests === 1 ? "request was" : "requests were"} left out: only issues are taken over.`;
  return { tree: { head: [], rows }, warnings: pullRequests === 0 ? [] : [left] };
}

/** Where the parser stopped, if it says so. */
function lineOfError(text: string, error: unknown): number | undefined {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  return at === undefined ? undefined : text.slice(0, Number(at)).split("\n").length;
}

/** `actor` may change what it holds itself. */
export function importIssues(
  source: ImportSource,
  asker: { readonly actor?: string } = {},
): Decide<Imported> {
  return (graph, nowMs) => {
    const memory = treeOf(graph);
    const { right, renamed } = settleNames(
      { base: emptyTree, left: memory, right: source.tree },
      { leftStays: true },
    );
    const rows: NewRow[] = [];
    const added: string[] = [];
    const updated: string[] = [];
    for (const [id, { text }] of right.rows) {
      const node = graph.get(id);
      if (node === undefined) {
        rows.push({ id, text });
        added.push(id);
        continue;
      }
      const held = !("problem" in node.issue) && guardHolder(node.issue, asker, nowMs) !== undefined;
      const merged = mergeRow(undefined, node.text, text, { held, order: node.text }).text;
      if (merged === node.text) continue;
      rows.push({ id, text: merged });
      updated.push(id);
    }
    const all = new Map([...memory.rows, ...rows.map(({ id, text }) => [id, treeRow(text)] as const)]);
    const warnings = [...source.warnings, ...renamings(renamed), ...dangling(right, all), ...cycles(all)];
    const unchanged = right.rows.size - rows.length;
    return { answer: { added, updated, unchanged, renamed, warnings }, rows };
  };
}

function treeOf(graph: IssueGraph): IssueTree {
  return { head: [], rows: new Map([...graph.nodes()].map(({ id, text, row }) => [id, { text, row }])) };
}

function treeRow(text: string): TreeRow {
  return { text, row: JSON.parse(text) as JsonObject };
}

function renamings(renamed: readonly Renamed[]): string[] {
  return shortened(
    renamed.map(
      ({ from, to }) => `${from} is another issue here, so the imported one is ${to} (alias ${from}).`,
    ),
  );
}

function dangling({ rows }: IssueTree, all: ReadonlyMap<string, TreeRow>): string[] {
  const found: string[] = [];
  for (const [id, { row }] of rows) {
    for (const dependency of Array.isArray(row["dependencies"]) ? row["dependencies"] : []) {
      const target = isJsonObject(dependency) ? dependency["depends_on_id"] : undefined;
      if (typeof target === "string" && !all.has(target)) {
        found.push(`${id} depends on ${target}, which is nowhere; the dependency is kept.`);
      }
    }
  }
  return shortened(found);
}

function cycles(all: ReadonlyMap<string, TreeRow>): string[] {
  const cycle = blockingCycle(all);
  return cycle === undefined
    ? []
    : [`${cycle.join(" → ")} wait for each other; \`premath dep diagnostics\` shows it.`];
}

const listedMax = 5;

function shortened(sentences: readonly string[]): string[] {
  if (sentences.length <= listedMax) return [...sentences];
  return [...sentences.slice(0, listedMax), `And ${sentences.length - listedMax} more like this.`];
}
