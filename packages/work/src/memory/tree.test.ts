/** Issues as a tree: everything once, cycles cut, nothing lost. */
import type { JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { issueTree, type TreeItem, type TreeOptions } from "./tree.js";

/** `{a: "parent-child b"}`: a depends on b. */
function graphOf(edges: Readonly<Record<string, string>>, closed: readonly string[] = []): IssueGraph {
  const graph = new IssueGraph();
  for (const [id, waits] of Object.entries(edges)) {
    const dependencies = waits
      .split(", ")
      .filter((edge) => edge !== "")
      .map((edge) => {
        const [type = "", target = ""] = edge.split(" ");
        return { issue_id: id, depends_on_id: target, type };
      });
    const row: JsonObject = { id, title: id, status: closed.includes(id) ? "closed" : "open", dependencies };
    graph.put(new IssueNode(id, row, JSON.stringify(row), 1));
  }
  return graph;
}

const drawing = (items: readonly TreeItem[]) =>
  items.map(
    ({ depth, id, via, mark }) => `${"  ".repeat(depth)}${via ?? "·"} ${id}${mark ? ` ${mark}` : ""}`,
  );

const options: TreeOptions = { depthMax: 8, hideClosed: false };

describe("the tree", () => {
  it("has children below their parents and blockers below those who wait", () => {
    const graph = graphOf({
      epic: "",
      b: "parent-child epic, blocks c",
      a: "parent-child epic, related b",
      c: "parent-child epic",
    });
    expect(drawing(issueTree(graph, undefined, options))).toEqual([
      "· epic",
      "  parent-child a",
      "  parent-child b",
      "    blocks c",
      "  parent-child c",
    ]);
    expect(drawing(issueTree(graph, "b", options))).toEqual(["· b", "  blocks c"]);
  });

  it("cuts a cycle and marks where, also one that nothing leads to", () => {
    const graph = graphOf({ a: "blocks b", b: "waits-for c", c: "blocks a", self: "blocks self" });
    expect(drawing(issueTree(graph, undefined, options))).toEqual([
      "· a",
      "  blocks b",
      "    waits-for c",
      "      blocks a cycle",
      "· self",
      "  blocks self cycle",
    ]);
  });

  it("unfolds an issue once, names what is missing, and stops at the depth", () => {
    const graph = graphOf({ a: "blocks c", b: "blocks c", c: "blocks d", d: "blocks gone" });
    expect(drawing(issueTree(graph, undefined, options))).toEqual([
      "· a",
      "  blocks c",
      "    blocks d",
      "      blocks gone missing",
      "· b",
      "  blocks c repeated",
    ]);
    expect(drawing(issueTree(graph, undefined, { ...options, depthMax: 1 }))).toEqual([
      "· a",
      "  blocks c cut",
      "· b",
      "  blocks c cut",
    ]);
  });

  it("without closed issues has their children at the top", () => {
    const graph = graphOf({ epic: "", a: "parent-child epic, blocks b", b: "", lost: "parent-child gone" }, [
      "epic",
      "b",
    ]);
    expect(drawing(issueTree(graph, undefined, { ...options, hideClosed: true }))).toEqual(["· a", "· lost"]);
  });

  it("holds every issue, unfolds none twice, and grows with the dependencies only", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const edge = fc
      .tuple(
        fc.constantFrom("parent-child", "blocks", "waits-for", "related"),
        fc.constantFrom(...ids, "gone"),
      )
      .map((pair) => pair.join(" "));
    const edges = fc.array(edge, { maxLength: 4 }).map((list) => list.join(", "));
    const all = fc.record(Object.fromEntries(ids.map((id) => [id, edges])));
    holds(
      fc.property(all, fc.integer({ min: 1, max: 8 }), (drawn, depthMax) => {
        const items = issueTree(graphOf(drawn), undefined, { depthMax: depthMax + 8, hideClosed: false });
        expect(new Set(items.map(({ id }) => id).filter((id) => id !== "gone"))).toEqual(new Set(ids));
        const edgeCount = Object.values(drawn).join(", ").split(", ").length;
        expect(items.length).toBeLessThanOrEqual(edgeCount + ids.length);
        const shallow = issueTree(graphOf(drawn), undefined, { depthMax, hideClosed: false });
        expect(Math.max(...shallow.map(({ depth }) => depth))).toBeLessThanOrEqual(depthMax);
      }),
      500,
    );
  });
});
