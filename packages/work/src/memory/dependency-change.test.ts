/** Dependencies change as they were asked to, and nothing else in the row does. */
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideOnStores, decidesOnBothStores } from "../../../../test/support/both-stores.js";
import { holds } from "../../../../test/support/property.js";
import { integrityOf, waitsIn } from "./cycle.js";
import { addDependency, removeDependency, replaceDependency } from "./dependency-change.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { type Decide, dependencyTypes } from "./types.js";

decidesOnBothStores();

const nowMs = Date.UTC(2026, 10, 15, 9, 30);
const now = "2026-11-15T09:30:00Z";

function put(graph: IssueGraph, text: string, line = 1): void {
  const row = JSON.parse(text) as JsonObject;
  graph.put(new IssueNode(String(row["id"]), row, text, line));
}

function graphOf(...rows: string[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [i, text] of rows.entries()) put(graph, text, i + 1);
  return graph;
}

const plain = (...ids: string[]) => graphOf(...ids.map((id) => `{"id":"${id}","title":"${id}"}`));

/** Decides, and lets the rows count. */
function apply<Answer>(graph: IssueGraph, decide: Decide<Answer>): Answer {
  const outcome = decideOnStores(decide, graph, nowMs);
  if (isRefusal(outcome)) throw new Error(`${outcome.refused}: ${outcome.message}`);
  for (const { text } of outcome.rows) put(graph, text);
  return outcome.answer;
}

function refusal<Answer>(graph: IssueGraph, decide: Decide<Answer>): Refusal {
  const outcome = decideOnStores(decide, graph, nowMs);
  if (!isRefusal(outcome)) throw new Error("was not refused");
  return outcome;
}

const edge = (issueId: string, dependsOnId: string, type: (typeof dependencyTypes)[number] = "blocks") => ({
  issueId,
  dependsOnId,
  type,
});

describe("adding a dependency", () => {
  it("puts it behind the others and touches nothing else but the time", () => {
    const odd =
      '{"big":18446744073709551615,"id":"a","dependencies":[{"type":"related","weight":1.0,"depends_on_id":"c",' +
      '"issue_id":"a","dep":"\\u0062"}],"title":"a","x":1e2}';
    const graph = graphOf(odd, '{"id":"b","title":"b"}');
    expect(apply(graph, addDependency({ ...edge("a", "b"), createdBy: " ada " }))).toEqual({
      ...edge("a", "b"),
      createdBy: "ada",
    });
    expect(graph.get("a")?.text).toBe(
      odd
        .replace("}]", '},{"issue_id":"a","depends_on_id":"b","type":"blocks","created_by":"ada"}]')
        .replace(/}$/, `,"updated_at":"${now}"}`),
    );
  });

  it("is checked in the order of the contract", () => {
    const graph = plain("a", "b", "c");
    expect(refusal(graph, addDependency(edge("x", "y")))).toMatchObject({
      refused: "issue_not_found",
      message: "issue not found: x",
    });
    expect(refusal(graph, addDependency(edge("a", "y")))).toMatchObject({
      refused: "issue_not_found",
      message: "issue not found: y",
    });
    expect(refusal(graph, addDependency(edge("a", "a", "related")))).toMatchObject({
      refused: "dependency_self_loop",
      message: expect.stringContaining("dependency self-loop is not allowed") as string,
    });
    apply(graph, addDependency(edge("a", "b")));
    expect(refusal(graph, addDependency(edge("a", "b")))).toMatchObject({
      refused: "dependency_exists",
      message: "dependency already exists: a -> b (blocks)",
    });
    apply(graph, addDependency(edge("a", "b", "related")));
    apply(graph, addDependency(edge("b", "c", "parent-child")));
    expect(refusal(graph, addDependency(edge("c", "a", "waits-for")))).toMatchObject({
      refused: "dependency_cycle",
      message: "dependency cycle detected: c -> a (waits-for); path: c -> a -> b -> c",
      detail: { cyclePath: ["c", "a", "b", "c"] },
    });
  });

  it("lets a parent wait for the work that was discovered from it", () => {
    const graph = plain("parent", "child");
    apply(graph, addDependency(edge("child", "parent", "discovered-from")));
    apply(graph, addDependency(edge("parent", "child")));
    expect(integrityOf(waitsIn(graph, "full")).hasCycle).toBe(false);
  });

  it("that would close a circle through a closed issue is refused, because it may be reopened", () => {
    const graph = graphOf(
      '{"id":"a","title":"a","status":"closed","dependencies":[{"issue_id":"a","depends_on_id":"b","type":"blocks"}]}',
      '{"id":"b","title":"b"}',
    );
    expect(refusal(graph, addDependency(edge("b", "a"))).refused).toBe("dependency_cycle");
  });

  it("with an old fence is refused", () => {
    const graph = graphOf('{"id":"a","title":"a","fence":3}', '{"id":"b","title":"b"}');
    expect(refusal(graph, addDependency({ ...edge("a", "b"), fence: 2 })).refused).toBe("lease_fence_stale");
    expect(apply(graph, addDependency({ ...edge("a", "b"), fence: 3 }))).toEqual(edge("a", "b"));
  });

  it("to a row that is no issue is refused with its line", () => {
    const graph = graphOf('{"id":"b","title":"b"}', '{"id":"a"}');
    expect(refusal(graph, addDependency(edge("a", "b")))).toMatchObject({
      refused: "issue_row_invalid",
      detail: { line: 2 },
    });
  });

  const ids = ["a", "b", "c", "d", "e"];
  const changes = fc.array(
    fc.record({
      from: fc.constantFrom(...ids),
      to: fc.constantFrom(...ids),
      type: fc.constantFrom(...dependencyTypes),
      toType: fc.constantFrom(...dependencyTypes),
      verb: fc.constantFrom("add", "add", "add", "replace", "remove"),
    }),
    { maxLength: 40, size: "max" },
  );

  it("or replacing or removing, in any sequence that is accepted, never makes a cycle", () => {
    let refused = 0;
    holds(
      fc.property(changes, (asked) => {
        const graph = plain(...ids);
        for (const { from, to, type, toType, verb } of asked) {
          const ends = edge(from, to, type);
          const decide = {
            add: addDependency(ends),
            remove: removeDependency(ends),
            replace: replaceDependency({ ...ends, fromType: type, toType }),
          }[verb] as Decide<unknown>;
          const outcome = decideOnStores(decide, graph, nowMs);
          if (isRefusal(outcome)) {
            if (outcome.refused === "dependency_cycle") refused++;
            continue;
          }
          for (const { text } of outcome.rows) put(graph, text);
          for (const scope of ["active", "full"] as const) {
            expect(integrityOf(waitsIn(graph, scope))).toEqual({ hasCycle: false, cyclePath: null });
          }
        }
      }),
    );
    expect(refused).toBeGreaterThan(20);
  });
});

describe("removing a dependency", () => {
  it("removes the one of the type, and the member with the last one", () => {
    const graph = plain("a", "b");
    apply(graph, addDependency(edge("a", "b")));
    apply(graph, addDependency(edge("a", "b", "related")));
    expect(apply(graph, removeDependency(edge("a", "b")))).toEqual(edge("a", "b"));
    expect(graph.get("a")?.row["dependencies"]).toEqual([
      { issue_id: "a", depends_on_id: "b", type: "related" },
    ]);
    apply(graph, removeDependency(edge("a", "b", "related")));
    expect(graph.get("a")?.text).toBe(`{"id":"a","title":"a","updated_at":"${now}"}`);
  });

  it("works when the other issue is gone, and for both spellings of the type", () => {
    const graph = graphOf(
      '{"id":"a","title":"a","dependencies":[{"issue_id":"a","depends_on_id":"gone","dep_type":"waits-for"},' +
        '{"issue_id":"a","depends_on_id":"b","dep_type":"related"}]}',
    );
    apply(graph, removeDependency(edge("a", "gone", "waits-for")));
    expect(graph.get("a")?.text).toContain(
      '"dependencies":[{"issue_id":"a","depends_on_id":"b","dep_type":"related"}]',
    );
  });

  it("that is not there says which ones are", () => {
    const graph = plain("a", "b", "c");
    expect(refusal(graph, removeDependency(edge("x", "b"))).refused).toBe("issue_not_found");
    expect(refusal(graph, removeDependency(edge("a", "b")))).toMatchObject({
      refused: "dependency_not_found",
      message: "dependency not found: a -> b (blocks)",
      hint: "a has no dependencies.",
    });
    apply(graph, addDependency(edge("a", "c", "related")));
    expect(refusal(graph, removeDependency(edge("a", "b"))).hint).toBe("a depends on c (related).");
  });
});

describe("replacing a dependency", () => {
  const replacing = (fromType: (typeof dependencyTypes)[number], toType: (typeof dependencyTypes)[number]) =>
    replaceDependency({ issueId: "a", dependsOnId: "b", fromType, toType });

  it("changes its type and keeps what it says besides", () => {
    const graph = graphOf(
      '{"id":"a","title":"a","dependencies":[{"note":1.0,"dep_type":"related","issue_id":"a","depends_on_id":"b",' +
        '"created_by":"ada"}]}',
      '{"id":"b","title":"b"}',
    );
    expect(apply(graph, replacing("related", "blocks"))).toEqual({ ...edge("a", "b"), createdBy: "ada" });
    expect(graph.get("a")?.text).toContain(
      '[{"note":1.0,"issue_id":"a","depends_on_id":"b","created_by":"ada","type":"blocks"}]',
    );
    const renamed = { issueId: "a", dependsOnId: "b", fromType: "blocks", toType: "waits-for" } as const;
    apply(graph, replaceDependency({ ...renamed, createdBy: "bob" }));
    expect(graph.get("a")?.text).toContain('"created_by":"bob","type":"waits-for"}');
    const nobodys = graphOf(
      '{"id":"a","title":"a","dependencies":[{"type":"related","issue_id":"a","depends_on_id":"b"}]}',
      '{"id":"b","title":"b"}',
    );
    expect(apply(nobodys, replacing("related", "blocks"))).toStrictEqual(edge("a", "b"));
  });

  it("is refused where an end or the edge is missing, or the new one is there", () => {
    const graph = plain("a", "b");
    expect(refusal(graph, replacing("blocks", "related")).refused).toBe("dependency_not_found");
    apply(graph, addDependency(edge("a", "b")));
    expect(refusal(graph, replacing("blocks", "blocks")).refused).toBe("dependency_exists");
    apply(graph, addDependency(edge("a", "b", "related")));
    expect(refusal(graph, replacing("blocks", "related")).refused).toBe("dependency_exists");
    const ends = { fromType: "blocks", toType: "related" } as const;
    expect(refusal(graph, replaceDependency({ issueId: "x", dependsOnId: "b", ...ends })).refused).toBe(
      "issue_not_found",
    );
    expect(refusal(graph, replaceDependency({ issueId: "a", dependsOnId: "x", ...ends })).refused).toBe(
      "issue_not_found",
    );
    expect(refusal(graph, replaceDependency({ issueId: "a", dependsOnId: "a", ...ends })).refused).toBe(
      "dependency_self_loop",
    );
  });

  it("that becomes blocking and would close a circle is refused", () => {
    const graph = plain("a", "b");
    apply(graph, addDependency(edge("b", "a")));
    apply(graph, addDependency(edge("a", "b", "related")));
    expect(refusal(graph, replacing("related", "conditional-blocks"))).toMatchObject({
      refused: "dependency_cycle",
      detail: { cyclePath: ["a", "b", "a"] },
    });
  });
});
