/** What follows from the issues: always what a look at every issue would say, however the graph came to be. */
import { compareCodePoints, type JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { blockedItems } from "./blocked.js";
import { IssueGraph } from "./graph.js";
import { compareUrgency, IssueNode } from "./node.js";
import { begunItems, readyItems } from "./ready.js";
import { dependencyTypes } from "./types.js";

const ids = ["bd-1", "bd-2", "bd-3", "bd-10", "é", "😀"];
const people = ["ada", "bob"];
const requests = ["r1", "r2"];
const at = (ms: number) => new Date(ms).toISOString();
/** Times that leases end at, and that questions are asked at. */
const times = [1_000, 2_000, 3_000];

const dependency = fc.record({
  depends_on_id: fc.constantFrom(...ids, "gone"),
  type: fc.constantFrom(...dependencyTypes),
});
const lease = fc.record({ owner: fc.constantFrom(...people), end: fc.constantFrom(...times) });
const drawn = fc.record({
  id: fc.constantFrom(...ids),
  status: fc.constantFrom("open", "open", "in_progress", "blocked", "closed", "Open", "strange"),
  priority: fc.constantFrom(0, 1, 2, null, -1),
  assignee: fc.constantFrom("", "", ...people),
  dependencies: fc.array(dependency, { maxLength: 3 }),
  lease: fc.option(lease, { nil: undefined }),
  claim: fc.option(fc.constantFrom(...requests), { nil: undefined }),
  fault: fc.constantFrom("none", "none", "none", "title", "status", "notes", "dependencies"),
});
type Drawn = (typeof drawn extends fc.Arbitrary<infer T> ? T : never) & {};

function rowOf({ id, lease: held, claim, dependencies, fault, ...rest }: Drawn): JsonObject {
  const leaseRow = held && {
    lease_id: `l-${id}`,
    owner: held.owner,
    acquired_at: at(0),
    expires_at: at(held.end),
  };
  return {
    id,
    title: fault === "title" ? 7 : `title of ${id}`,
    ...rest,
    ...(fault === "status" ? { status: [] } : {}),
    ...(fault === "notes" ? { notes: 7 } : {}),
    dependencies:
      fault === "dependencies"
        ? [{ depends_on_id: 3 }]
        : dependencies.map((edge) => ({ issue_id: id, ...edge })),
    ...(leaseRow ? { lease: leaseRow } : {}),
    ...(claim && leaseRow ? { claims: [{ request_id: claim, fence: 1, lease: leaseRow }] } : {}),
  };
}

function nodeOf(row: JsonObject, line = 1): IssueNode {
  return new IssueNode(String(row["id"]), row, JSON.stringify(row), line);
}

function graphOf(rows: Iterable<JsonObject>): IssueGraph {
  const graph = new IssueGraph();
  for (const row of rows) graph.put(nodeOf(row));
  return graph;
}

const idsOf = (nodes: Iterable<IssueNode>) => [...nodes].map(({ id }) => id);

/** Everything that can be asked. */
function answers(graph: IssueGraph) {
  return {
    size: graph.size,
    sorted: idsOf(graph.sorted()),
    ready: idsOf(graph.ready()),
    blocked: idsOf(graph.blocked()),
    inProgress: idsOf(graph.inProgress()),
    standing: graph.standing(),
    unsound: idsOf(graph.unsound()).sort(compareCodePoints),
    unresolved: graph.sorted().map((node) => graph.unresolved(node)),
    claimable: [...times, 500, 2_500].flatMap((now) =>
      [...people, "eve"].map((who) => graph.claimable(who, now)?.id),
    ),
    claimedBy: requests.map((request) => graph.claimedBy(request)?.id),
    dependents: [...ids, "gone"].map((id) => [...graph.dependents(id)].sort(compareCodePoints)),
    freeId: graph.freeId(),
    items: [readyItems(graph), blockedItems(graph), begunItems(graph, 2_000)],
  };
}

describe("a graph that was changed", () => {
  it("answers as one that was read afresh, whatever was put and when questions were asked", () => {
    const step = fc.record({ row: drawn, ask: fc.constantFrom("nothing", "list", "claim") });
    holds(
      fc.property(fc.array(step, { maxLength: 25 }), fc.integer(), (steps, turn) => {
        const graph = new IssueGraph();
        const last = new Map<string, JsonObject>();
        for (const { row, ask } of steps) {
          const made = rowOf(row);
          graph.put(nodeOf(made));
          last.set(row.id, made);
          if (ask === "list") expect(idsOf(graph.ready())).toEqual(idsOf(graphOf(last.values()).ready()));
          if (ask === "claim") graph.claimable("ada", 2_000);
        }
        const rows = [...last.values()];
        const shift = rows.length === 0 ? 0 : Math.abs(turn) % rows.length;
        const fresh = graphOf([...rows.slice(shift), ...rows.slice(0, shift)]);
        expect(answers(graph)).toEqual(answers(fresh));
      }),
      1_000,
    );
  });
});

describe("ready and blocked", () => {
  const drawnGraph = fc
    .array(drawn, { maxLength: 12 })
    .map((rows) => graphOf(new Map(rows.map((row) => [row.id, rowOf(row)])).values()));
  const indexed = (graph: IssueGraph) => {
    graph.claimable("nobody", 0);
    return graph;
  };
  const graphs = fc.oneof(drawnGraph, drawnGraph.map(indexed));

  /** By the rule itself, from the issue upwards. */
  const waitsIn = (graph: IssueGraph, node: IssueNode, seen: ReadonlySet<string> = new Set()): boolean => {
    if (node.blockers.some((id) => graph.get(id)?.status !== "closed")) return true;
    return node.parents.some((id) => {
      const parent = seen.has(id) ? undefined : graph.get(id);
      return parent !== undefined && waitsIn(graph, parent, new Set([...seen, node.id]));
    });
  };

  it("divide the open issues: each is ready, or waits for a blocker or with a parent, and never both", () => {
    holds(
      fc.property(graphs, (graph) => {
        const ready = new Set(idsOf(graph.ready()));
        const blocked = new Set(idsOf(graph.blocked()));
        for (const node of graph.nodes()) {
          if (!node.sound) {
            expect([ready.has(node.id), blocked.has(node.id)]).toEqual([false, false]);
            continue;
          }
          const waits = waitsIn(graph, node);
          expect(ready.has(node.id)).toBe(node.status === "open" && !waits);
          expect(blocked.has(node.id)).toBe(node.status !== "closed" && (waits || node.status === "blocked"));
        }
      }),
      500,
    );
  });

  it("are in order: ready by priority, then id; blocked by id; and every blocker that is named is open or missing", () => {
    holds(
      fc.property(graphs, (graph) => {
        expect(idsOf(graph.ready())).toEqual(idsOf([...graph.ready()].sort(compareUrgency)));
        const blocked = blockedItems(graph);
        expect(blocked.map(({ id }) => id)).toEqual(blocked.map(({ id }) => id).sort(compareCodePoints));
        for (const { id, blockers, manualBlocked, waitsWith } of blocked) {
          expect(manualBlocked || blockers.length > 0 || waitsWith.length > 0).toBe(true);
          for (const { issueId, dependsOnId, blockerStatus, blockerMissing } of blockers) {
            expect(issueId).toBe(id);
            expect(blockerMissing).toBe(graph.get(dependsOnId) === undefined);
            expect(blockerStatus).toBe(graph.get(dependsOnId)?.status ?? null);
            expect(blockerStatus).not.toBe("closed");
          }
        }
      }),
      500,
    );
  });

  it("leave nothing claimable that a look at every issue would not offer first", () => {
    holds(
      fc.property(graphs, fc.constantFrom(...times, 2_500), fc.constantFrom(...people), (graph, now, who) => {
        const offered = [...graph.nodes()]
          .filter((node) => {
            const { issue } = node;
            if ("problem" in issue || waitsIn(graph, node)) return false;
            if (node.isEpic && graph.openChildren(node.id) > 0) return false;
            const ended = node.leaseEndMs !== undefined && node.leaseEndMs <= now;
            if (ended) return ["open", "in_progress"].includes(issue.status);
            if (issue.status !== "open" || !["", who].includes(issue.assignee)) return false;
            return issue.lease === undefined || issue.lease.owner === who;
          })
          .sort(compareUrgency);
        expect(graph.claimable(who, now)?.id).toBe(offered[0]?.id);
      }),
      1_000,
    );
  });
});

describe("an issue that is ready", () => {
  const edge = (id: string) => ({ depends_on_id: id, type: "blocks" });
  const row = (id: string, more: JsonObject = {}) => ({ id, title: id, ...more });

  it("names the blocker that was closed last, whatever offsets the times are written with", () => {
    const graph = graphOf([
      row("a", { status: "closed", closed_at: "2026-01-01T12:00:00+05:00" }),
      row("b", { status: "closed", closed_at: "2026-01-01T08:00:00Z" }),
      row("c", { status: "closed" }),
      row("d", { dependencies: [edge("a"), edge("b"), edge("c")] }),
      row("e", { dependencies: [edge("c")] }),
      row("f", { dependencies: [{ depends_on_id: "a", type: "related" }] }),
    ]);
    expect(readyItems(graph).map(({ id, unblockedBy }) => [id, unblockedBy])).toEqual([
      ["d", { issueId: "b", closedAt: "2026-01-01T08:00:00Z" }],
      ["e", { issueId: "c", closedAt: null }],
      ["f", undefined],
    ]);
  });

  it("may have null where a default is meant, as its row in full may", () => {
    const node = nodeOf({ id: "a", title: "a", status: null, priority: null, issue_type: null });
    expect([node.sound, node.status, node.priority]).toEqual([true, "open", 2]);
    expect("problem" in node.issue).toBe(false);
  });

  it("is not offered when its priority is none that an issue can have", () => {
    for (const priority of [1.5, "1", 2 ** 40]) {
      const node = nodeOf({ id: "a", title: "a", priority });
      expect(node.sound).toBe(false);
      expect("problem" in node.issue).toBe(true);
    }
  });
});
