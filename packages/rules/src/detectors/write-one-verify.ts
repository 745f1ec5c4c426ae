/**
 * R-WRITE-ONE-VERIFY: what was written intact is read back once at most.
 *
 * What a newcomer gets wrong: parts that do not overlap are one read of a long file,
 * and after anything that may have changed the file the count ends. What a command
 * shows of a file is not counted.
 */
import type { JsonObject } from "@bridle/record";
import { pathOf } from "../paths.js";
import { changesOf } from "../reading/changes.js";
import type { Detector, Finding } from "../types.js";

export const writeOneVerify: Detector = {
  begin() {
    /** Parts read since the intact write, by path. */
    const read = new Map<string, Part[]>();

    const note = (path: string, part: Part): Finding | undefined => {
      const parts = read.get(path);
      if (parts === undefined) return undefined;
      if (parts.some((earlier) => overlaps(earlier, part))) {
        return {
          what: `${path} was written with integrity=ok, read back once, and is read again although nothing changed.`,
          remedy: `Trust the report of the write and the one read of ${path}, and go on.`,
        };
      }
      parts.push(part);
      return undefined;
    };

    return {
      ran(call, outcome) {
        const changes = changesOf(call, outcome);
        if (changes === "anything") read.clear();
        else for (const path of changes) read.delete(path);
        const path = pathOf(call.args);
        if (path === undefined || !outcome.ok) return undefined;
        switch (call.tool) {
          case "write_file":
            if (/\bintegrity\s*[=:]\s*ok\b/.test(outcome.output)) read.set(path, []);
            return undefined;
          case "read_file":
          case "read_file_chunked":
            return note(path, partOf(call.args, outcome.output));
          case "grep_file":
            return note(path, wholeFile);
          default:
            return undefined;
        }
      },
    };
  },
};

/** What a read asks for. Two parts in different units are not compared. */
interface Part {
  readonly unit: "line" | "chunk";
  readonly from: number;
  /** Included. */
  readonly to: number;
}

const wholeFile: Part = { unit: "line", from: 1, to: Number.POSITIVE_INFINITY };

/** `output` tells where a read ended that did not say so. */
function partOf({ chunk, offset, limit }: JsonObject, output: string): Part {
  if (typeof chunk === "number") return { unit: "chunk", from: chunk, to: chunk };
  const from = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return { unit: "line", from, to: from + limit - 1 };
  const next = /\b(?:next|go on with) offset[ =:]*(\d+)/i.exec(output)?.[1];
  return { unit: "line", from, to: next === undefined ? Number.POSITIVE_INFINITY : Number(next) - 1 };
}

function overlaps(one: Part, other: Part): boolean {
  if (one.unit !== other.unit) return isWhole(one) || isWhole(other);
  return one.from <= other.to && other.from <= one.to;
}

function isWhole(part: Part): boolean {
  return part.unit === "line" && part.from <= 1 && part.to === Number.POSITIVE_INFINITY;
}
