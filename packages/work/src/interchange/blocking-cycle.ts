/** Issues that wait for each other, so that none of them can ever be ready. */
import { compareCodePoints, isJsonObject, type JsonObject } from "@bridle/record";
import { isBlocking } from "../memory/dependency-kinds.js";

/** One such cycle, first and last the same; undefined when there is none. Closed issues wait for nobody. */
export function blockingCycle(rows: ReadonlyMap<string, { readonly row: JsonObject }>): string[] | undefined {
  const done = new Set<string>();
  const next = (id: string) => {
    const row = rows.get(id)?.row;
    return row === undefined || row["status"] === "closed" ? [] : blockersOf(row);
  };
  for (const start of [...rows.keys()].sort(compareCodePoints)) {
    const path: { readonly id: string; readonly rest: string[] }[] = [];
    const onPath = new Set<string>();
    const enter = (id: string) => {
      path.push({ id, rest: next(id) });
      onPath.add(id);
    };
    if (!done.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const id = last.rest.shift();
      if (id === undefined) {
        path.pop();
        onPath.delete(last.id);
        done.add(last.id);
      } else if (onPath.has(id)) {
        const ids = path.map((step) => step.id);
        return [...ids.slice(ids.indexOf(id)), id];
      } else if (!done.has(id)) enter(id);
    }
  }
  return undefined;
}

function blockersOf({ dependencies }: JsonObject): string[] {
  if (!Array.isArray(dependencies)) return [];
  const ids = dependencies.flatMap((dependency) => {
    if (!isJsonObject(dependency)) return [];
    const { depends_on_id: id, type = dependency["dep_type"] } = dependency;
    return typeof id === "string" && typeof type === "string" && isBlocking(type) ? [id] : [];
  });
  return ids.sort(compareCodePoints);
}
