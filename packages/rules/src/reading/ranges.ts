/** Which part of a file a read asks for. Two parts in different units are not compared. */
import type { JsonObject } from "@bridle/record";

export interface Part {
  readonly unit: "line" | "char" | "chunk";
  readonly from: number;
  /** Included. */
  readonly to: number;
}

export const wholeFile: Part = { unit: "line", from: 1, to: Number.POSITIVE_INFINITY };

/** `output` tells where a read ended that did not say so. */
export function partOf(args: JsonObject, output: string): Part {
  const number = (...names: string[]) => {
    for (const name of names) if (typeof args[name] === "number") return args[name];
    return undefined;
  };
  const chunk = number("chunk", "chunk_index", "index", "page");
  if (chunk !== undefined) return { unit: "chunk", from: chunk, to: chunk };
  const char = number("char_offset", "byte_offset");
  if (char !== undefined) {
    const length = number("max_chars", "char_limit", "length", "limit");
    return {
      unit: "char",
      from: char,
      to: length === undefined ? Number.POSITIVE_INFINITY : char + length - 1,
    };
  }
  const from = number("offset", "start_line", "start", "from_line", "line") ?? 1;
  const end = number("end_line", "end", "to_line");
  const limit = number("limit", "lines", "max_lines");
  const next = /next offset[ =:]*(\d+)/i.exec(output)?.[1];
  const to =
    end ??
    (limit === undefined
      ? next === undefined
        ? Number.POSITIVE_INFINITY
        : Number(next) - 1
      : from + limit - 1);
  return { unit: "line", from, to };
}

export function overlaps(one: Part, other: Part): boolean {
  if (one.unit !== other.unit) return isWhole(one) || isWhole(other);
  return one.from <= other.to && other.from <= one.to;
}

function isWhole(part: Part): boolean {
  return part.unit === "line" && part.from <= 1 && part.to === Number.POSITIVE_INFINITY;
}
