/**
 * Who holds an issue after two branches were merged.
 *
 * A claim that both branches made is nobody's: both leases end, and the fence
 * rises above either, so that neither holder's next write is accepted. A lease
 * that only one side knows goes on, unless the other side has claimed the issue
 * more often since, or the issue is no longer in progress.
 */
import { compareInstants, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import type { RowSides, SideName } from "./row-sides.js";
import { instantOf, sameJson, type Source } from "./source.js";

interface Ended {
  readonly lease: string;
  readonly side: SideName;
}

interface Outcome {
  /** Source of the lease that goes on. */
  readonly lease?: string;
  /** Whose it is; both have it where it is left out. */
  readonly side?: SideName;
  readonly ended: readonly Ended[];
}

/** Sets lease, assignee, fence and, where a lease ended, status; answers how many ended. */
export function settleLease(merge: RowSides, merged: Map<string, Source>, held: boolean): number {
  const { lease, side, ended } = held ? heldOutcome(merge) : judge(merge, merged.get("status"));
  merged.set("lease", lease);
  merged.set("fence", fenceOf(merge, ended.length > 1));
  for (const one of ended) merge.lose("lease", one.lease, one.side);
  if (held) {
    merged.set("assignee", merge.take("assignee", "left"));
    return ended.length;
  }
  if (ended.length > 0 && isStatus(merged.get("status"), "in_progress")) merged.set("status", '"open"');
  const given = ended.length > 0 && isStatus(merged.get("status"), "open") ? ended : [];
  merged.set("assignee", side === undefined ? assigneeWithout(merge, given) : merge.take("assignee", side));
  return ended.length;
}

/** A lease that ends takes its holder along, as when it is released. */
function assigneeWithout(merge: RowSides, ended: readonly Ended[]): Source {
  const of = (name: SideName): Source => {
    const source = merge[name].get("assignee");
    const isHolder = (one: Ended) =>
      leaseOf(merge, name) !== undefined && source === JSON.stringify(textOf(one.lease, "owner"));
    return ended.some(isHolder) ? undefined : source;
  };
  return merge.value("assignee", merge.base.get("assignee"), of("left"), of("right"));
}

function heldOutcome(merge: RowSides): Outcome {
  const [left, right] = [leaseOf(merge, "left"), leaseOf(merge, "right")];
  const isAnother = right !== undefined && !(left !== undefined && sameLease(left, right));
  const ended: Ended[] = isAnother ? [{ lease: right, side: "right" }] : [];
  return { ...(left === undefined ? {} : { lease: left }), ended };
}

function judge(merge: RowSides, status: Source): Outcome {
  const base = leaseSource(merge.base.get("lease"));
  const [left, right] = [leaseOf(merge, "left"), leaseOf(merge, "right")];
  const goOn = (lease: string, side?: SideName): Outcome => {
    const isLast = side === undefined || fenceNumber(merge, side) === Math.max(...fences(merge));
    if (isLast && isStatus(status, "in_progress")) return { lease, ...(side && { side }), ended: [] };
    return { ended: [{ lease, side: side ?? merge.winner(left, right) }] };
  };
  if (left !== undefined && right !== undefined) {
    if (sameLease(left, right)) return goOn(longer(left, right));
    if (sameJson(base, left)) return goOn(right, "right");
    if (sameJson(base, right)) return goOn(left, "left");
    const ended: Ended[] = [
      { lease: left, side: "left" },
      { lease: right, side: "right" },
    ];
    return { ended };
  }
  const lease = left ?? right;
  // No lease, or given back by one side and left alone by the other.
  if (lease === undefined || sameJson(base, lease)) return { ended: [] };
  return goOn(lease, left === undefined ? "right" : "left");
}

/** Never below either side. */
function fenceOf(merge: RowSides, above: boolean): Source {
  const highest = Math.max(...fences(merge));
  if (above) return String(highest + 1);
  const sides: SideName[] = ["left", "right"];
  const sources = sides.flatMap((side) => {
    const source = merge[side].get("fence");
    return source !== undefined && fenceNumber(merge, side) === highest ? [source] : [];
  });
  return sources.sort()[0];
}

function fences(merge: RowSides): [number, number] {
  return [fenceNumber(merge, "left"), fenceNumber(merge, "right")];
}

function fenceNumber(merge: RowSides, side: SideName): number {
  const fence = Number(merge[side].get("fence") ?? 0);
  return Number.isSafeInteger(fence) ? fence : 0;
}

function leaseOf(merge: RowSides, side: SideName): Source {
  return leaseSource(merge[side].get("lease"));
}

function leaseSource(source: Source): Source {
  return source === "null" ? undefined : source;
}

/** Renewed or not, it is the claim of one holder. */
function sameLease(left: string, right: string): boolean {
  return ["lease_id", "owner", "acquired_at"].every((name) => textOf(left, name) === textOf(right, name));
}

function longer(left: string, right: string): string {
  const [ofLeft, ofRight] = [left, right].map((lease) =>
    instantOf(JSON.stringify(textOf(lease, "expires_at"))),
  );
  const order = ofLeft && ofRight ? compareInstants(ofLeft, ofRight) : 0;
  if (order !== 0) return order > 0 ? left : right;
  return left > right ? left : right;
}

function textOf(source: Source, name: string): string {
  const value = JSON.parse(source ?? "{}") as JsonValue;
  const member = isJsonObject(value) ? (value as JsonObject)[name] : undefined;
  return typeof member === "string" ? member : "";
}

function isStatus(source: Source, status: string): boolean {
  return source !== undefined && JSON.parse(source) === status;
}
