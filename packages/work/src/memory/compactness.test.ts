import { expect, test } from "vitest";
import { looseEdges } from "./compactness.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";

function graphOf(
  issues: Readonly<Record<string, readonly [status: string, ...edges: string[]]>>,
): IssueGraph {
  const graph = new IssueGraph();
  for (const [id, [status, ...edges]] of Object.entries(issues)) {
    const dependencies = edges.map((edge) => {
      const [type, depends_on_id] = edge.includes(" ") ? edge.split(" ") : ["blocks", edge];
      return { issue_id: id, depends_on_id: depends_on_id ?? "", type: type ?? "" };
    });
    const row = { id, title: id, status, dependencies };
    graph.put(new IssueNode(id, row, JSON.stringify(row), 7));
  }
  return graph;
}

test("[RUNTIME-9.2] an edge to a closed blocker and one that another path implies are found, with the command", () => {
  const graph = graphOf({
    a: ["open", "b", "c", "done"],
    b: ["open", "c"],
    c: ["open"],
    done: ["closed", "c"],
    e: ["in_progress", "related done", "parent-child b", "c"],
  });
  expect(looseEdges(graph)).toEqual([
    {
      issueId: "a",
      class: "issue_graph.compactness.transitive_block_edge",
      message:
        "it is blocked by c through another blocker already; take it out with `premath dep remove a c --type blocks`",
      line: 7,
    },
    {
      issueId: "a",
      class: "issue_graph.compactness.closed_block_edge",
      message:
        "it is blocked by done, which is closed; take it out with `premath dep remove a done --type blocks`",
      line: 7,
    },
  ]);
});

test("a circle of blockers is no reason to go round for ever", () => {
  const graph = graphOf({ a: ["open", "b"], b: ["open", "a"] });
  expect(looseEdges(graph)).toEqual([]);
});
