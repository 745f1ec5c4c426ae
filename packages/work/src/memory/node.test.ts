/** What decides whether an issue is ready is read from its row at once, and judged when it is odd. */
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { byUrgency, IssueNode } from "./node.js";

function nodeOf(members: JsonObject, id = "a"): IssueNode {
  const row = { id, title: "t", ...members };
  return new IssueNode(id, row, JSON.stringify(row), 1);
}

const tie = (depends_on_id: unknown, type: unknown = "blocks") => ({ depends_on_id, type }) as JsonObject;

describe("a row", () => {
  it("that says little is an open issue that waits for nobody", () => {
    const node = nodeOf({});
    expect(node).toMatchObject({
      ...{ title: "t", status: "open", priority: 2, assignee: "", blockers: [], parents: [], requestIds: [] },
      ...{ settled: false, isWork: true, isEpic: false, withheld: false, sound: true, closed: false },
    });
    expect([node.leaseEndMs, node.leaseOwner, node.closedAt]).toEqual([undefined, undefined, undefined]);
    expect(node.closedMs).toBe(-Infinity);
  });

  it("that says more is read as it says", () => {
    const node = nodeOf({
      ...{ status: "closed", priority: 0, assignee: "ada", issue_type: " Epic ", created_at: 7 },
      ...{ closed_at: "2026-01-01T00:00:00.25Z", claims: [{ request_id: "r" }, {}, 7] },
      lease: { owner: "ada", expires_at: "2026-01-01T00:00:00Z" },
      dependencies: [
        tie("b"),
        tie("b"),
        tie("c", "parent-child"),
        tie("c", "parent-child"),
        tie("d", "related"),
      ],
    });
    expect(node).toMatchObject({
      ...{ status: "closed", priority: 0, assignee: "ada", isEpic: true, settled: true, closed: true },
      ...{ blockers: ["b"], parents: ["c"], requestIds: ["r"], createdAt: 7, leaseOwner: "ada" },
      ...{ leaseEndMs: Date.UTC(2026, 0, 1), closedMs: Date.UTC(2026, 0, 1) + 250 },
    });
  });

  it.each<[string, JsonObject]>([
    ["title is no text", { title: 7 }],
    ["status is no text", { status: 7 }],
    ["priority is no whole number", { priority: 1.5 }],
    ["priority is no number", { priority: "1" }],
    ["dependencies are no list", { dependencies: {} }],
    ["dependency is no object", { dependencies: ["b"] }],
    ["dependency has no target", { dependencies: [tie(7)] }],
    ["dependency has no type", { dependencies: [tie("b", 7)] }],
    ["lease has no end", { lease: {} }],
    ["lease ends at no time", { lease: { expires_at: "soon" } }],
    ["lease is no object", { lease: 7 }],
    ["type is none", { issue_type: "bug" }],
  ])("whose %s is not sound", (_, members) => {
    expect(nodeOf(members).sound).toBe(false);
  });

  it("has nothing in the place of what is not what it should be", () => {
    const node = nodeOf({
      ...{ title: 7, status: 7, priority: "1", assignee: 7, dependencies: 7, claims: 7, closed_at: 7 },
      lease: { owner: 7, expires_at: 7 },
    });
    expect(node).toMatchObject({
      ...{ title: "", status: "", priority: 2, assignee: "", blockers: [], parents: [], requestIds: [] },
    });
    expect([node.leaseEndMs, node.leaseOwner, node.closedAt]).toEqual([undefined, undefined, undefined]);
  });

  it("is withheld while it is open, and null withholds nobody", () => {
    const withheld = (members: JsonObject) => nodeOf(members).withheld;
    expect([withheld({ withheld: {} }), withheld({ withheld: true })]).toEqual([true, true]);
    expect([withheld({ withheld: null }), withheld({ withheld: {}, status: "closed" })]).toEqual([
      false,
      false,
    ]);
  });
});

describe("a record of beads", () => {
  it.each<[JsonObject, boolean]>([
    [{ issue_type: "task" }, true],
    [{ issue_type: "bug" }, true],
    [{ issue_type: "message" }, false],
    [{ issue_type: " Gate " }, false],
    [{ issue_type: "task", beads: { issue_type: "agent" } }, false],
    [{ issue_type: "task", beads: { issue_type: "bug" } }, true],
    [{ issue_type: "epic", beads: { issue_type: "agent" } }, true],
    [{ issue_type: "task", beads: 7 }, true],
    [{ _type: "memory" }, false],
  ])("%j is work: %s", (members, isWork) => {
    expect(nodeOf(members).isWork).toBe(isWork);
  });

  it.each<[JsonObject, boolean]>([
    [{ status: "pinned" }, true],
    [{ status: "blocked", beads: { status: "pinned" } }, true],
    [{ status: "blocked", beads: { status: "deferred" } }, false],
    [{ status: "open", beads: { status: "pinned" } }, false],
    [{ status: "blocked" }, false],
  ])("%j keeps nobody waiting: %s", (members, settled) => {
    expect(nodeOf(members).settled).toBe(settled);
  });
});

it("work is offered by priority, then id, whatever order it stands in", () => {
  const nodes = [
    nodeOf({ priority: 10 }, "a"),
    nodeOf({ priority: 2 }, "c"),
    nodeOf({}, "b"),
    nodeOf({ priority: -1 }, "z"),
  ];
  expect(byUrgency(nodes).map(({ id }) => id)).toEqual(["z", "b", "c", "a"]);
});
