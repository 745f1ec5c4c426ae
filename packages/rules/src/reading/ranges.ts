/** Which part of a file a read asks for. Two parts in different units are not compared. */
import type { JsonObject } from "@bridle/record";

export interface Part {
  readonly unit: "line" | "chunk";
  readonly from: number;
  /** Included. */
  readonly to: number;
}

export const wholeFile: Part = { unit: "line", from: 1, to: Number.POSITIVE_INFINITY };

/** `output` tells where a read ended that did not say so. */
export function partOf({ chunk, offset, limit }: JsonObject, output: string): Part {
  if (typeof chunk === "number") return { unit: "chunk", from: chunk, to: chunk };
  const from = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return { unit: "line", from, to: from + limit - 1 };
  const next = /\b(?:next|go on with) offset[ =:]*(\d+)/i.exec(output)?.[1];
  return { unit: "line", from, to: next === undefined ? Number.POSITIVE_INFINITY : Number(next) - 1 };
}

export function overlaps(one: Part, other: Part): boolean {
  if (one.unit !== other.unit) return isWhole(one) || isWhole(other);
  return one.from <= other.to && other.from <= one.to;
}

function isWhole(part: Part): boolean {
  return part.unit === "line" && part.from <= 1 && part.to === Number.POSITIVE_INFINITY;
}
