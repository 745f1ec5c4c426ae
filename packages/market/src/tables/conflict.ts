/** What is said when two rows cannot both be true, and when made-up facts would meet real ones. */
import { compareCodePoints, Failure, type JsonObject } from "@bridle/record";
import type { MarketSource, SourceLine, TableName } from "../types.js";

export interface Claimed {
  readonly place: SourceLine;
  readonly row: object;
}

export function conflict(table: TableName, left: Claimed, right: Claimed): Failure {
  const [first, second] = comparePlaces(left.place, right.place) <= 0 ? [left, right] : [right, left];
  return new Failure("market_rows_conflict", {
    message:
      `${at(first)} and ${at(second)} disagree about one ${table}: ` +
      `${JSON.stringify(first.row)} and ${JSON.stringify(second.row)}`,
    hint: "Decide which one is right and remove the other; nothing was loaded.",
    detail: {
      table,
      first: { ...first.place, row: first.row as JsonObject },
      second: { ...second.place, row: second.row as JsonObject },
    },
  });
}

export function comparePlaces(left: SourceLine, right: SourceLine): number {
  return compareCodePoints(left.source, right.source) || left.line - right.line;
}

function at({ place }: Claimed): string {
  return `${place.source}:${place.line}`;
}

/** In order of name and digest, each once; refuses a mixture of real and synthetic ones. */
export function settleSources(sources: readonly MarketSource[]): readonly MarketSource[] {
  const real = sources.find(({ synthetic }) => !synthetic);
  const made = sources.find(({ synthetic }) => synthetic);
  if (real !== undefined && made !== undefined) {
    throw new Failure("market_sources_mixed", {
      message: `${made.name} is synthetic and ${real.name} is not; they never stand in the same tables`,
      hint: "Load them separately.",
      detail: { synthetic: made.name, real: real.name },
    });
  }
  const unique = new Map(sources.map((source) => [`${source.name}\n${source.sha256}`, source]));
  return [...unique.values()].sort(
    (a, b) => compareCodePoints(a.name, b.name) || compareCodePoints(a.sha256, b.sha256),
  );
}
