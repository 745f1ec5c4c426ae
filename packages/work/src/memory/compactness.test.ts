import fc from "fast-check";
import { expect, test } from "vitest";
import { holds } from "../../../../test/support/property.js";
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
        "it is blocked by c through b already; take it out with `premath dep remove a c --type blocks`",
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

test("only issues at work are judged, and the way to a blocker may lead through any", () => {
  const graph = graphOf({
    a: ["blocked", "b", "c"],
    b: ["open", "c"],
    c: ["open"],
    x: [" In_Progress ", "closed", "c"],
    closed: ["closed", "c"],
    y: ["open", "b", "z"],
    z: ["open", "y"],
  });
  expect(looseEdges(graph).map(({ issueId, class: of, message }) => [issueId, of, message])).toEqual([
    [
      "x",
      "issue_graph.compactness.transitive_block_edge",
      "it is blocked by c through closed already, but closed is closed; take that edge out with `premath dep remove x closed --type blocks`",
    ],
    [
      "x",
      "issue_graph.compactness.closed_block_edge",
      "it is blocked by closed, which is closed; take it out with `premath dep remove x closed --type blocks`",
    ],
    [
      "y",
      "issue_graph.compactness.transitive_block_edge",
      "it is blocked by b through y already, but z is blocked by y in turn; take that edge out with `premath dep remove z y --type blocks`",
    ],
  ]);
});

const ids = ["a", "b", "c", "d", "e", "f", "g"] as const;
const statuses = ["open", "open", "in_progress", "Open ", "blocked", "closed", " CLOSED", "deferred"];

interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly type: string;
}

const drawnGraph = fc.record({
  status: fc.array(fc.constantFrom(...statuses), { minLength: 6, maxLength: 6 }),
  edges: fc.array(
    fc.record({
      from: fc.nat(5),
      // The last of them is an issue that is not there.
      to: fc.nat(6),
      type: fc.constantFrom("blocks", "blocks", "blocks", "Blocks ", "related", "parent-child"),
    }),
    { minLength: 6, maxLength: 24 },
  ),
});

function drawnOf(status: readonly string[], edges: readonly Drawn[]): IssueGraph {
  const of = (from: number) => edges.filter((edge) => edge.from === from);
  return graphOf(
    Object.fromEntries(
      status.map((each, at) => [
        ids[at],
        [each, ...of(at).map(({ to, type }) => `${type.trim()} ${ids[to]}`)],
      ]),
    ),
  );
}

/** The original's rule once more, from its words alone and on a table of who reaches whom. */
function byTable(status: readonly string[], edges: readonly Drawn[]): string[] {
  const blocks = ids.map((_, from) =>
    ids.map((__, to) =>
      edges.some((e) => e.from === from && e.to === to && e.type.trim().toLowerCase() === "blocks"),
    ),
  );
  const reaches = blocks.map((row) => [...row]);
  for (const via of ids.keys())
    for (const from of ids.keys())
      for (const to of ids.keys())
        if (reaches[from]?.[via] && reaches[via]?.[to]) (reaches[from] as boolean[])[to] = true;
  const plain = (at: number) => (status[at] ?? "").trim().toLowerCase();
  const found: string[] = [];
  for (const from of ids.keys()) {
    if (plain(from) !== "open" && plain(from) !== "in_progress") continue;
    for (const to of ids.keys()) {
      if (!blocks[from]?.[to]) continue;
      if (plain(to) === "closed") found.push(`${ids[from]} ${ids[to]} closed_block_edge`);
      else if (ids.some((_, other) => other !== to && blocks[from]?.[other] && reaches[other]?.[to]))
        found.push(`${ids[from]} ${ids[to]} transitive_block_edge`);
    }
  }
  return found;
}

test("[RUNTIME-9.2] on any graph the edges found are those of the original's rule", () => {
  let findings = 0;
  holds(
    fc.property(drawnGraph, ({ status, edges }) => {
      const told = looseEdges(drawnOf(status, edges)).map(({ issueId, class: of, message }) => {
        const target = /^it is blocked by (\S+?),? /.exec(message)?.[1];
        return `${issueId} ${target} ${of.split(".").at(-1)}`;
      });
      expect(told).toEqual(byTable(status, edges));
      findings += told.length;
    }),
    1_000,
  );
  expect(findings).toBeGreaterThan(300);
});

test("whoever runs the commands until nothing is found has no issue that waits for less", () => {
  holds(
    fc.property(drawnGraph, ({ status, edges }) => {
      // Without circles, which no command of ours makes.
      let left: readonly Drawn[] = edges.filter(({ from, to }) => from < to);
      const waitsFor = () => {
        const reach = (from: number): number[] =>
          left
            .filter((e) => e.from === from && e.type.trim().toLowerCase() === "blocks")
            .filter(({ to }) => (status[to] ?? "").trim().toLowerCase() !== "closed")
            .flatMap(({ to }) => [to, ...reach(to)]);
        return status.map((_, at) => [...new Set(reach(at))].sort());
      };
      const before = waitsFor();
      for (;;) {
        const [first] = looseEdges(drawnOf(status, left));
        if (first === undefined) break;
        const [, from, to] = /dep remove (\S+) (\S+) --type blocks/.exec(first.message) ?? [];
        const kept = left.filter((e) => !(ids[e.from] === from && ids[e.to] === to));
        expect(kept.length).toBeLessThan(left.length);
        left = kept;
        expect(waitsFor()).toEqual(before);
      }
    }),
  );
});
