/** Issues and steps by the path that a call names, without a file; for tests. */
import type { Clock, JsonObject } from "@bridle/record";
import { IssueTable, MemoryIssues } from "./memory-issues.js";
import { MemorySteps } from "./memory-steps.js";
import type { Engine } from "./open.js";

export function memoryEngine(clock: Pick<Clock, "now">): Engine {
  const tables = new Map<string, IssueTable>();
  const trajectories = new Map<string, JsonObject[]>();
  const at = <Value>(map: Map<string, Value>, path: string, make: () => Value): Value => {
    const known = map.get(path) ?? make();
    map.set(path, known);
    return known;
  };
  return {
    issues: async ({ path, shown = path }) =>
      new MemoryIssues({ clock, shown, table: at(tables, path, () => new IssueTable()) }),
    steps: async ({ path }) => new MemorySteps(at(trajectories, path, () => [])),
  };
}
