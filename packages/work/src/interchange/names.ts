/**
 * One id, one issue: what happens when two branches gave the same id to
 * different issues.
 *
 * The issue that was created first keeps the id. The other is renamed to
 * `<id>-<digest>`, keeps its old id as an alias, and every reference that meant
 * it is rewritten. A later merge that meets the old id again (a rebase, a second
 * merge of the same branch) finds the issue by its alias.
 *
 * A reference meant the renamed issue when it was written on its side; one that
 * stood in the base already meant what the base called so.
 */
import {
  compareCodePoints,
  compareInstants,
  isJsonObject,
  type JsonObject,
  parseInstant,
  rawItems,
  sha256Hex,
} from "@bridle/record";
import { memberSource, patchObject, rawList, RawJson } from "../memory/issue-row.js";
import { orderedJson } from "../memory/source-json.js";
import { sameJson } from "./source.js";
import type { IssueTree, TreeRow } from "./tree.js";

export interface Three {
  readonly base: IssueTree;
  readonly left: IssueTree;
  readonly right: IssueTree;
}

export interface Renamed {
  readonly from: string;
  readonly to: string;
}

export interface NameOptions {
  /** The left side keeps its ids and its rows, as memory does when a file is imported. */
  readonly leftStays?: boolean;
}

export interface Named extends Three {
  /** Issues that this merge gave another id, by their old one. */
  readonly renamed: readonly Renamed[];
}

type TreeName = keyof Three;
type Renames = Readonly<Record<TreeName, Map<string, string>>>;

export function settleNames(three: Three, options: NameOptions = {}): Named {
  const followed = renameAll(three, followAliases(three));
  const { renames, renamed, fences } = collisions(followed, options);
  if (renamed.length === 0) return { ...followed, renamed };
  return { ...raiseFences(renameAll(followed, renames), fences), renamed };
}

// --- Issues that an earlier merge renamed -----------------------------------------------------------

function followAliases(three: Three): Renames {
  const renames: Renames = { base: new Map(), left: new Map(), right: new Map() };
  for (const side of ["left", "right"] as const) {
    for (const [id, now] of aliases(three[side])) {
      for (const name of ["base", "left", "right"] as const) {
        const row = name === side ? undefined : three[name].rows.get(id);
        if (row === undefined) continue;
        const to = whereIs(row, three[side].rows.get(id), now, three[side]);
        const known = renames[name].get(id);
        if (to === undefined || three[name].rows.has(to)) continue;
        if (known === undefined || compareCodePoints(to, known) < 0) renames[name].set(id, to);
      }
    }
  }
  return renames;
}

/** Where the issue stands that is called so elsewhere; undefined when it still is called so here. */
function whereIs(
  row: TreeRow,
  same: TreeRow | undefined,
  ids: readonly string[],
  tree: IssueTree,
): string | undefined {
  const likeness = (other: TreeRow | undefined) =>
    other === undefined || !sameCreation(row, other) ? 0 : sameTitle(row, other) ? 2 : 1;
  const found = ids
    .map((id) => ({ id, like: likeness(tree.rows.get(id)) }))
    .sort((one, other) => other.like - one.like || compareCodePoints(one.id, other.id))[0];
  return found !== undefined && found.like > likeness(same) ? found.id : undefined;
}

function aliases(tree: IssueTree): Map<string, string[]> {
  const byAlias = new Map<string, string[]>();
  for (const [id, { row }] of tree.rows) {
    for (const alias of textsOf(row["aliases"])) byAlias.set(alias, [...(byAlias.get(alias) ?? []), id]);
  }
  return byAlias;
}

// --- Issues that were given the same id -------------------------------------------------------------

interface Collisions {
  readonly renames: Renames;
  readonly renamed: Renamed[];
  /** Fences that must not be reached again, by the id that somebody else had too. */
  readonly fences: ReadonlyMap<string, number>;
}

function collisions(three: Three, { leftStays = false }: NameOptions): Collisions {
  const { base, left, right } = three;
  const renames: Renames = { base: new Map(), left: new Map(), right: new Map() };
  const renamed: Renamed[] = [];
  const fences = new Map<string, number>();
  const taken = new Set([base, left, right].flatMap(({ rows }) => [...rows.keys()]));
  const ids = [...left.rows.keys()].filter((id) => right.rows.has(id)).sort(compareCodePoints);
  for (const id of ids) {
    const [before, one, other] = [base.rows.get(id), left.rows.get(id), right.rows.get(id)];
    if (one === undefined || other === undefined) continue;
    if (areOne(before, one, other, leftStays)) continue;
    const loser = leftStays || isFirst(one, other) ? "right" : "left";
    const row = loser === "right" ? other : one;
    const to = freeName(id, row, taken);
    taken.add(to);
    renames[loser].set(id, to);
    if (before !== undefined && sameCreation(before, row)) renames.base.set(id, to);
    renamed.push({ from: id, to });
    const fence = row.row["fence"];
    if (!leftStays && typeof fence === "number" && fence > 0) fences.set(id, fence);
  }
  return { renames, renamed, fences };
}

function areOne(base: TreeRow | undefined, left: TreeRow, right: TreeRow, byCreation: boolean): boolean {
  if (left.text === right.text) return true;
  if (base === undefined) {
    return byCreation ? mayBeSame(left, right) : sameCreation(left, right) && sameTitle(left, right);
  }
  if (sameJson(base.text, left.text) || sameJson(base.text, right.text)) return true;
  const [isLeft, isRight] = [sameCreation(base, left), sameCreation(base, right)];
  if (isLeft && isRight) return true;
  return !isLeft && !isRight && sameCreation(left, right) && sameTitle(left, right);
}

/** Created earlier, or smaller where that says nothing. */
function isFirst(left: TreeRow, right: TreeRow): boolean {
  const [one, other] = [left, right].map(({ row }) => createdAt(row));
  if (one !== undefined && other !== undefined && compareInstants(one, other) !== 0) {
    return compareInstants(one, other) < 0;
  }
  if ((one === undefined) !== (other === undefined)) return one !== undefined;
  return compareCodePoints(left.text, right.text) < 0;
}

const digestLengthMin = 6;

function freeName(id: string, { text }: TreeRow, taken: ReadonlySet<string>): string {
  const digest = sha256Hex(text);
  for (let length = digestLengthMin; ; length++) {
    const name = `${id}-${digest.slice(0, length)}${"x".repeat(Math.max(0, length - digest.length))}`;
    if (!taken.has(name)) return name;
  }
}

/**
 * Whoever held the renamed issue may still name the old id with its fence: that
 * fence must never be the one of the issue that kept the id.
 */
function raiseFences(three: Three, fences: ReadonlyMap<string, number>): Three {
  const raised = (tree: IssueTree): IssueTree => {
    const rows = new Map(tree.rows);
    for (const [id, fence] of fences) {
      const kept = rows.get(id);
      if (kept === undefined || Number(kept.row["fence"] ?? 0) > fence) continue;
      rows.set(id, treeRow(patchObject(kept.text, { fence: fence + 1 })));
    }
    return { ...tree, rows };
  };
  return fences.size === 0 ? three : { ...three, left: raised(three.left), right: raised(three.right) };
}

// --- Likeness ---------------------------------------------------------------------------------------

function sameCreation(left: TreeRow, right: TreeRow): boolean {
  const [one, other] = [left, right].map(({ row }) => createdAt(row));
  if (one !== undefined && other !== undefined) return compareInstants(one, other) === 0;
  return sameJson(memberSource(left.text, "created_at"), memberSource(right.text, "created_at"));
}

function mayBeSame(left: TreeRow, right: TreeRow): boolean {
  const unknown = createdAt(left.row) === undefined || createdAt(right.row) === undefined;
  return unknown || sameCreation(left, right);
}

function sameTitle(left: TreeRow, right: TreeRow): boolean {
  return left.row["title"] === right.row["title"];
}

function createdAt({ created_at: time }: JsonObject) {
  return typeof time === "string" ? parseInstant(time) : undefined;
}

function textsOf(value: JsonObject[string]): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

// --- Renaming ---------------------------------------------------------------------------------------

function renameAll(three: Three, renames: Renames): Three {
  const { base } = three;
  return {
    base: renameTree(base, renames.base, base),
    left: renameTree(three.left, renames.left, base),
    right: renameTree(three.right, renames.right, base),
  };
}

function renameTree(tree: IssueTree, renames: ReadonlyMap<string, string>, base: IssueTree): IssueTree {
  if (renames.size === 0) return tree;
  // What the base calls by the old name is this very issue, so references that stood there meant it too.
  const known = new Set(
    [...renames.keys()].filter((id) => {
      const [before, row] = [base.rows.get(id), tree.rows.get(id)];
      return before !== undefined && row !== undefined && sameCreation(before, row);
    }),
  );
  const rows = new Map<string, TreeRow>();
  for (const [id, row] of tree.rows) {
    const before = base.rows.get(id);
    const stood = new Set(before === undefined ? [] : listItems(before, "dependencies").map(orderedJson));
    const meant = (old: string, item: string) => known.has(old) || !stood.has(orderedJson(item));
    const to = renames.get(id);
    const referred = rewriteReferences(row, renames, meant);
    rows.set(to ?? id, to === undefined ? referred : renameRow(referred, id, to));
  }
  return { ...tree, rows };
}

function rewriteReferences(
  row: TreeRow,
  renames: ReadonlyMap<string, string>,
  meant: (old: string, item: string) => boolean,
): TreeRow {
  let changed = false;
  const items = listItems(row, "dependencies").map((item) => {
    const value: unknown = JSON.parse(item);
    if (!isJsonObject(value)) return item;
    const patch: Record<string, string> = {};
    for (const name of ["issue_id", "depends_on_id"]) {
      const old = value[name];
      const to = typeof old === "string" ? renames.get(old) : undefined;
      if (to !== undefined && meant(old as string, item)) patch[name] = to;
    }
    if (Object.keys(patch).length === 0) return item;
    changed = true;
    return patchObject(item, patch);
  });
  return changed ? treeRow(patchObject(row.text, { dependencies: rawList(items) })) : row;
}

function renameRow(row: TreeRow, from: string, to: string): TreeRow {
  const readdressed = (item: string) => {
    const value: unknown = JSON.parse(item);
    return isJsonObject(value) && value["issue_id"] === from ? patchObject(item, { issue_id: to }) : item;
  };
  const comments = listItems(row, "comments").map(readdressed);
  const own = listItems(row, "dependencies").map(readdressed);
  const known = textsOf(row.row["aliases"]);
  const aliases = known.includes(from)
    ? {}
    : { aliases: new RawJson(`[${[...listItems(row, "aliases"), JSON.stringify(from)].join(",")}]`) };
  return treeRow(
    patchObject(row.text, {
      id: to,
      ...(own.length === 0 ? {} : { dependencies: rawList(own) }),
      ...(comments.length === 0 ? {} : { comments: rawList(comments) }),
      ...aliases,
    }),
  );
}

function listItems({ text, row }: TreeRow, member: "dependencies" | "comments" | "aliases"): string[] {
  return Array.isArray(row[member]) ? rawItems(memberSource(text, member) ?? "[]") : [];
}

function treeRow(text: string): TreeRow {
  return { text, row: JSON.parse(text) as JsonObject };
}
