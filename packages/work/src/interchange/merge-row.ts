/**
 * Two rows of one issue that grew from a third, made one.
 *
 * Member by member: what one side changed is taken, what both changed alike is
 * taken, lists of things are merged as sets. Where both changed one member
 * differently, the row with the later `updated_at` wins, or the greater value,
 * and the value that lost is kept in `metadata.mergeConflicts`. Nothing depends
 * on which side is whose, so everybody who merges the same gets the same.
 */
import { compareCodePoints, rawItems, rawMembers } from "@bridle/record";
import { patchObject, RawJson } from "../memory/issue-row.js";
import { orderedJson } from "../memory/source-json.js";
import { settleLease } from "./merge-lease.js";
import { type Loss, RowSides, type SideName } from "./row-sides.js";
import { isObject, lesser, sameJson, type Source } from "./source.js";

export interface MergedRow {
  readonly text: string;
  readonly losses: readonly Loss[];
  /** Leases that the merge ended. */
  readonly leasesEnded: number;
}

export interface MergeRowOptions {
  /** The left issue is held: its status, assignee and lease stay, whatever the right one says. */
  readonly held?: boolean;
  /** Members stand in the order of this row; the base's when left out. */
  readonly order?: string;
}

/** What says where an issue stands; it comes from one side as a whole when both changed it. */
const standing = ["status", "closed_at", "close_reason"] as const;

/** Where members go that the base does not have; others follow by name. */
const contractOrder = [
  ...["id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority"],
  ...["issue_type", "assignee", "owner", "lease", "created_at", "updated_at", "closed_at", "ephemeral"],
  ...["mol_type", "labels", "dependencies", "metadata", "fence", "claims", "comments", "aliases"],
];

export function mergeRow(
  base: string | undefined,
  left: string,
  right: string,
  options: MergeRowOptions = {},
): MergedRow {
  const fence = Math.max(fenceOf(left), fenceOf(right));
  const whole = (text: string): MergedRow => ({
    // Nothing makes a fence smaller, not even an edit by hand on one side.
    text: fenceOf(text) < fence ? patchObject(text, { fence }) : text,
    losses: [],
    leasesEnded: 0,
  });
  if (sameJson(left, right)) return whole(options.order ?? written(base, left, right));
  if (sameJson(base, right)) return whole(left);
  if (sameJson(base, left)) return whole(right);
  const merged = new RowMerge(new RowSides(base, left, right), options).run();
  // Where one side says all of it already, its very row stays.
  const same = [left, right].find((side) => sameJson(side, merged.text));
  return same === undefined ? merged : { ...merged, text: same };
}

/** Of two rows that say the same: the one that somebody wrote anew, or the lesser. */
function written(base: string | undefined, left: string, right: string): string {
  if (left === base) return right;
  return right === base ? left : lesser(left, right);
}

function fenceOf(text: string): number {
  const fence = text.includes('"fence"') ? Number(rawMembers(text).get("fence") ?? 0) : 0;
  return Number.isSafeInteger(fence) ? fence : 0;
}

class RowMerge {
  constructor(
    private readonly sides: RowSides,
    private readonly options: MergeRowOptions,
  ) {}

  run(): MergedRow {
    const merged = new Map<string, Source>();
    for (const name of new Set([...this.sides.left.keys(), ...this.sides.right.keys()])) {
      if (name === "metadata" || name === "updated_at" || name === "fence") continue;
      if ((standing as readonly string[]).includes(name) || name === "lease" || name === "assignee") continue;
      merged.set(name, this.sides.member(name));
    }
    merged.set("updated_at", this.updatedAt());
    this.mergeStanding(merged);
    const leasesEnded = settleLease(this.sides, merged, this.options.held === true);
    merged.set("metadata", this.metadata());
    return { text: this.write(merged), losses: this.sides.losses, leasesEnded };
  }

  private updatedAt(): Source {
    const [left, right] = [this.sides.left.get("updated_at"), this.sides.right.get("updated_at")];
    return this.sides.winner(left, right) === "left" ? left : right;
  }

  private mergeStanding(merged: Map<string, Source>): void {
    const side = this.options.held === true ? "left" : this.standingWinner();
    for (const name of standing)
      merged.set(name, side === undefined ? this.sides.member(name) : this.sides.take(name, side));
  }

  private standingWinner(): SideName | undefined {
    if (!this.sides.isContested("status")) return undefined;
    return this.sides.winner(this.sides.left.get("status"), this.sides.right.get("status"));
  }

  /** With what was lost on the way; metadata that is no object cannot hold that and is kept among it. */
  private metadata(): Source {
    const { base, left, right, losses } = this.sides;
    const merged = this.mergeMetadata(base.get("metadata"), left.get("metadata"), right.get("metadata"));
    if (losses.length === 0) return merged;
    if (!isObject(merged)) this.loseMetadata(merged);
    const before = isObject(merged) ? merged : "{}";
    const conflicts = new RawJson(withLosses(rawMembers(before).get("mergeConflicts"), losses));
    return patchObject(patchObject(before, { mergeConflicts: undefined }), { mergeConflicts: conflicts });
  }

  private loseMetadata(value: Source): void {
    if (value === undefined || value === "null") return;
    const { base, losses } = this.sides;
    const sides = (["left", "right"] as const).filter(
      (side) => sameJson(this.sides[side].get("metadata"), value) && !sameJson(base.get("metadata"), value),
    );
    for (const side of sides) this.sides.lose("metadata", value, side);
    if (sides.length === 0) losses.push({ member: "metadata", value, updatedAt: undefined });
  }

  private mergeMetadata(base: Source, left: Source, right: Source): Source {
    const contested = !sameJson(base, left) && !sameJson(base, right);
    if (!contested || isObject(left) === isObject(right))
      return this.sides.value("metadata", base, left, right);
    // The object wins: what an earlier merge kept in it stays where it is looked for.
    return this.sides.take("metadata", isObject(left) ? "left" : "right");
  }

  private write(merged: ReadonlyMap<string, Source>): string {
    const first = this.options.order === undefined ? this.sides.base : rawMembers(this.options.order);
    const rank = (name: string) => {
      const at = contractOrder.indexOf(name);
      return at === -1 ? contractOrder.length : at;
    };
    const added = [...merged.keys()].filter((name) => !first.has(name));
    added.sort((one, other) => rank(one) - rank(other) || compareCodePoints(one, other));
    const members = [...first.keys(), ...added].flatMap((name) => {
      const source = merged.get(name);
      return source === undefined ? [] : [`${this.sides.nameOf(name)}:${source}`];
    });
    return `{${members.join(",")}}`;
  }
}

/** Each once, in an order that does not tell in how many merges they were lost. */
function withLosses(before: Source, losses: readonly Loss[]): string {
  const kept = before?.startsWith("[") === true ? rawItems(before) : before === undefined ? [] : [before];
  const lost = losses.map(({ member, value, updatedAt }) => {
    const time = updatedAt === undefined ? "" : `,"updated_at":${updatedAt}`;
    return `{"member":${JSON.stringify(member)},"value":${value}${time}}`;
  });
  const byMeaning = new Map(
    [...lost.sort(compareCodePoints), ...kept].map((entry) => [orderedJson(entry), entry]),
  );
  const entries = [...byMeaning].sort(([one], [other]) => compareCodePoints(one, other));
  return `[${entries.map(([, entry]) => entry).join(",")}]`;
}
