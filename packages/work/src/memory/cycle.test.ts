/** Cycles are found where they are, reported the same every time, and quickly. */
import { compareCodePoints, type JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { firstCycle, type GraphScope, integrityOf, isActive, pathText, waitsIn } from "./cycle.js";
import { isBlocking } from "./dependency-kinds.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { dependencyTypes } from "./types.js";

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly type: string;
}

function graphOf(statuses: Readonly<Record<string, string>>, edges: readonly Edge[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [id, status] of Object.entries(statuses)) {
    const dependencies = edges
      .filter(({ from }) => from === id)
      .map(({ to, type }) => ({ issue_id: id, depends_on_id: to, type }));
    const row: JsonObject = { id, title: id, status, dependencies };
    graph.put(new IssueNode(id, row, JSON.stringify(row), 1));
  }
  return graph;
}

/** The search of the contract, word for word and without regard for time. */
function plainSearch(statuses: Readonly<Record<string, string>>, edges: readonly Edge[], scope: GraphScope) {
  const ids = Object.keys(statuses)
    .filter((id) => scope === "full" || isActive(statuses[id] ?? ""))
    .sort(compareCodePoints);
  const targets = (id: string) =>
    [...new Set(edges.filter(({ from, type }) => from === id && isBlocking(type)).map(({ to }) => to))]
      .filter((to) => ids.includes(to))
      .sort(compareCodePoints);
  for (const id of ids) {
    for (const target of targets(id)) {
      const paths: string[][] = [[target]];
      const seen = new Set([target]);
      for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
        const last = path.at(-1) ?? "";
        if (last === id) return [id, ...path];
        for (const next of targets(last)) {
          if (seen.has(next)) continue;
          seen.add(next);
          paths.push([...path, next]);
        }
      }
    }
  }
  return null;
}

const ids = ["bd-1", "bd-10", "bd-2", "bd-3", "é", "𝒳", "\uffff"];
const statuses = fc.record(
  Object.fromEntries(
    ids.map((id) => [id, fc.constantFrom("open", "in_progress", "blocked", "closed", " Open ", "someday")]),
  ),
) as fc.Arbitrary<Record<string, string>>;
const edge = fc.record({
  from: fc.constantFrom(...ids),
  to: fc.constantFrom(...ids, "missing"),
  type: fc.constantFrom("blocks", "blocks", ...dependencyTypes),
});

describe("a cycle", () => {
  it("is found exactly where a search from every issue finds it, with the same path, in both scopes", () => {
    let cycles = 0;
    holds(
      fc.property(
        statuses,
        fc.array(edge, { maxLength: 16 }),
        fc.constantFrom<GraphScope>("active", "full"),
        (known, edges, scope) => {
          const expected = plainSearch(known, edges, scope);
          if (expected !== null) cycles++;
          const waits = waitsIn(graphOf(known, edges), scope);
          expect(integrityOf(waits)).toEqual({ hasCycle: expected !== null, cyclePath: expected });
        },
      ),
      1_000,
    );
    expect(cycles).toBeGreaterThan(share(100, 40));
  });

  it("does not depend on the order of rows", () => {
    holds(
      fc.property(statuses, fc.array(edge, { maxLength: 16 }), (known, edges) => {
        const turned = Object.fromEntries(Object.entries(known).reverse());
        const path = firstCycle(waitsIn(graphOf(known, edges), "full"));
        expect(firstCycle(waitsIn(graphOf(turned, [...edges].reverse()), "full"))).toEqual(path);
      }),
    );
  });

  it("of one issue is the issue twice", () => {
    const graph = graphOf({ a: "open" }, [{ from: "a", to: "a", type: "waits-for" }]);
    expect(firstCycle(waitsIn(graph, "active"))).toEqual(["a", "a"]);
  });

  it("through edges that do not block is none", () => {
    const graph = graphOf({ parent: "open", child: "open" }, [
      { from: "child", to: "parent", type: "discovered-from" },
      { from: "parent", to: "child", type: "blocks" },
    ]);
    expect(integrityOf(waitsIn(graph, "full"))).toEqual({ hasCycle: false, cyclePath: null });
  });

  it("through a closed or blocked issue counts in the full scope only", () => {
    const edges = [
      { from: "a", to: "b", type: "blocks" },
      { from: "b", to: "a", type: "blocks" },
    ];
    for (const status of ["closed", "blocked"]) {
      const graph = graphOf({ a: "open", b: status }, edges);
      expect(firstCycle(waitsIn(graph, "active"))).toBeNull();
      expect(firstCycle(waitsIn(graph, "full"))).toEqual(["a", "b", "a"]);
    }
  });

  it("as long as a hundred thousand issues is found without recursion, and its end is cut in a sentence", () => {
    const count = 100_000;
    const id = (n: number) => `bd-${String(n).padStart(6, "0")}`;
    const waits = new Map<string, string[]>();
    for (let n = 0; n < count; n++) waits.set(id(n), n + 1 < count ? [id(n + 1)] : []);
    expect(firstCycle(waits)).toBeNull();
    waits.set(id(count - 1), [id(0)]);
    const path = firstCycle(waits) ?? [];
    expect(path).toHaveLength(count + 1);
    expect(pathText(path)).toBe(
      "bd-000000 -> bd-000001 -> bd-000002 -> bd-000003 -> bd-000004 -> bd-000005 -> bd-000006 -> bd-000007 -> " +
        "(99985 more) -> bd-099993 -> bd-099994 -> bd-099995 -> bd-099996 -> bd-099997 -> bd-099998 -> bd-099999 -> " +
        "bd-000000",
    );
  });
});
