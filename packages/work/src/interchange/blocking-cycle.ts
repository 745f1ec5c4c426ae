/** Issues that wait for each other, so that none of them can ever be ready. */
import { isJsonObject, type JsonObject } from "@bridle/record";
import { integrityOf } from "../memory/cycle.js";
import { isBlocking } from "../memory/dependency-kinds.js";

/** One such cycle, first and last the same; undefined when there is none. Closed issues wait for nobody. */
export function blockingCycle(
  rows: ReadonlyMap<string, { readonly row: JsonObject }>,
): readonly string[] | undefined {
  const open = [...rows].filter(([, { row }]) => row["status"] !== "closed");
  const ids = new Set(open.map(([id]) => id));
  const waits = new Map(open.map(([id, { row }]) => [id, blockersOf(row).filter((other) => ids.has(other))]));
  return integrityOf(waits).cyclePath ?? undefined;
}

function blockersOf({ dependencies }: JsonObject): string[] {
  if (!Array.isArray(dependencies)) return [];
  const ids = dependencies.flatMap((dependency) => {
    if (!isJsonObject(dependency)) return [];
    const { depends_on_id: id, type = dependency["dep_type"] } = dependency;
    return typeof id === "string" && typeof type === "string" && isBlocking(type) ? [id] : [];
  });
  return [...new Set(ids)];
}
