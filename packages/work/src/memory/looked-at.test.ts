/** Issues as a person looks at them: found, listed, shown, with what they wait for. */
import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { workLimits } from "../limits.js";
import { blockedItems, openBlockers } from "./blocked.js";
import { keepsWaiting, roleOf } from "./dependency-kinds.js";
import { edgesOf } from "./edges.js";
import { addIssue } from "./edit/add.js";
import { appended } from "./edit/appended.js";
import { closeIssue } from "./edit/close.js";
import { findIssue } from "./find.js";
import { IssueGraph } from "./graph.js";
import { listIssues } from "./list.js";
import { IssueNode } from "./node.js";
import { begunItems, readyItems } from "./ready.js";
import { resolveIssue, resolveNode } from "./resolve.js";
import { searchIssues } from "./search.js";
import { showIssue } from "./show.js";
import { type DependencyType, dependencyTypes } from "./types.js";
import { namesAcceptance, namesVerification } from "./verification.js";

const now = Date.parse("2026-05-01T00:00:00Z");

function graphOf(...rows: readonly JsonObject[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [i, row] of rows.entries())
    graph.put(
      new IssueNode(String(row["id"]), { title: "t", ...row }, JSON.stringify({ title: "t", ...row }), i + 1),
    );
  return graph;
}

const edge = (issue_id: string, depends_on_id: string, type = "blocks") => ({
  issue_id,
  depends_on_id,
  type,
});

describe("a list of issues", () => {
  const graph = graphOf(
    { id: "b", status: "open", assignee: "ada", issue_type: " Epic ", labels: ["x", "y"], priority: 1 },
    { id: "a", status: "closed", assignee: "ada", labels: ["x"] },
    { id: "c", status: "open", labels: "x" },
    { id: "d", title: 7 },
  );
  const ids = (filter: Parameters<typeof listIssues>[1]) => listIssues(graph, filter).map(({ id }) => id);

  it("is by id, without rows that are no issues, and holds what every filter lets through", () => {
    expect(ids({})).toEqual(["a", "b", "c"]);
    expect(ids({ status: "open" })).toEqual(["b", "c"]);
    expect(ids({ assignee: "ada" })).toEqual(["a", "b"]);
    expect(ids({ issueType: "task" })).toEqual(["a", "c"]);
    expect(ids({ issueType: "epic" })).toEqual(["b"]);
    expect(ids({ labels: ["x"] })).toEqual(["a", "b"]);
    expect(ids({ labels: ["x", "y"] })).toEqual(["b"]);
    expect(ids({ status: "open", assignee: "ada", labels: ["z"] })).toEqual([]);
    expect(listIssues(graph, { status: "open" })[0]).toEqual({
      ...{ id: "b", title: "t", status: "open", priority: 1, issueType: "epic", assignee: "ada" },
    });
  });
});

describe("an issue by its id", () => {
  const graph = graphOf(
    { id: "bd-1", aliases: ["old-1"] },
    { id: "bd-2", title: 7 },
    { id: "bd-3", aliases: "old-3" },
  );
  const refusal = (found: object) =>
    found as { refused: string; hint: string; message: string; detail: object };

  it("is found, or refused by the class that was asked for, with what may have been meant", () => {
    expect(findIssue(graph, "bd-1")).toMatchObject({ node: { id: "bd-1" }, issue: { id: "bd-1" } });
    const near = refusal(findIssue(graph, "bd-11"));
    expect(near).toMatchObject({ refused: "issue_not_found", detail: { issueId: "bd-11" } });
    expect(near.hint).toMatch(/^Did you mean bd-1\? /);
    expect(refusal(findIssue(graph, "old-1")).hint).toBe("A merge renamed it to bd-1.");
    expect(refusal(findIssue(graph, "zzzzzzzz")).hint).toMatch(/^`premath issue list`/);
    expect(refusal(findIssue(graph, "old-3", "lease_not_found")).refused).toBe("lease_not_found");
  });

  it("whose row is no issue is refused with its line, to be changed and to be looked at", () => {
    const found = refusal(findIssue(graph, "bd-2"));
    expect(found).toMatchObject({ refused: "issue_row_invalid", detail: { issueId: "bd-2", line: 2 } });
    expect(found.message).toMatch(/^bd-2 \(line 2\) is not changed/);
    expect(resolveIssue(graph, "bd-2")).toMatchObject({
      ...{ refused: "issue_row_invalid", detail: { issueId: "bd-2", line: 2 } },
    });
    expect(resolveNode(graph, "bd-2")).toMatchObject({ id: "bd-2" });
  });

  it("that a merge renamed is looked at under its old one", () => {
    expect(resolveIssue(graph, "old-1")).toMatchObject({ node: { id: "bd-1" } });
    expect(isRefusal(resolveIssue(graph, "old-3"))).toBe(true);
    expect(resolveIssue(graph, "none")).toMatchObject({ refused: "issue_not_found" });
  });
});

describe("an issue that is shown", () => {
  const lease = (expires_at: string) => ({
    ...{ lease_id: "l", owner: "ada", acquired_at: "2026-04-01T00:00:00Z", expires_at },
  });
  const graph = graphOf(
    {
      ...{ id: "a", status: "in_progress", assignee: "ada", external_ref: "https://x", extra: 1, fence: 3 },
      ...{
        lease: lease("2026-05-01T00:00:01Z"),
        dependencies: [edge("a", "b"), edge("a", "gone", "related")],
      },
    },
    { id: "b", title: "other", status: "open", dependencies: [edge("b", "c", "parent-child")] },
    { id: "c", dependencies: [edge("c", "a", "related")], external_ref: 7 },
  );
  const show = (id: string) => {
    const found = resolveIssue(graph, id);
    if (isRefusal(found)) throw new Error(found.message);
    return showIssue(graph, found, now);
  };

  it("has what it depends on and what depends on it, with what stands at the other end", () => {
    expect(show("a").dependencies).toMatchObject([
      { dependsOnId: "b", type: "blocks", blocking: true, title: "other", status: "open" },
      { dependsOnId: "gone", type: "related", blocking: false, title: null, status: null },
    ]);
    expect(show("a").dependents).toMatchObject([
      { issueId: "c", type: "related", blocking: false, title: "t" },
    ]);
    expect(show("c").dependents).toMatchObject([{ issueId: "b", type: "parent-child" }]);
  });

  it("has its lease with how it stands, its link, and the names of members that nobody knows", () => {
    expect(show("a")).toMatchObject({
      ...{
        id: "a",
        fence: 3,
        link: "https://x",
        unknownMembers: ["external_ref", "extra"],
        line: 1,
        ready: false,
      },
      ...{ waitsFor: ["b"], lease: { owner: "ada", renewedAt: null, state: "active" } },
    });
    expect(show("c")).toMatchObject({
      link: null,
      lease: null,
      createdAt: null,
      closedAt: null,
      metadata: null,
    });
  });
});

describe("what cannot be begun", () => {
  it("says which blockers are open or missing, in the order of the row, and what was blocked by hand", () => {
    const graph = graphOf(
      {
        id: "a",
        dependencies: [edge("a", "gone"), edge("a", "done"), edge("a", "b"), edge("a", "c", "related")],
      },
      { id: "b", status: "blocked" },
      { id: "c" },
      { id: "done", status: "closed" },
    );
    expect(blockedItems(graph)).toMatchObject([
      {
        ...{ id: "a", manualBlocked: false, waitsWith: [] },
        blockers: [
          { dependsOnId: "gone", blockerStatus: null, blockerMissing: true },
          { dependsOnId: "b", blockerStatus: "blocked", blockerMissing: false },
        ],
      },
      { id: "b", manualBlocked: true, blockers: [] },
    ]);
    expect(openBlockers(graph, graph.get("c") as IssueNode)).toEqual([]);
  });

  it("tells since when and for what it is withheld, as far as the row says it", () => {
    const withheld = { since: "2026-04-01T00:00:00Z", class: "gate_timeout" };
    const graph = graphOf({ id: "a", withheld }, { id: "b", withheld: true }, { id: "c", withheld: null });
    expect(blockedItems(graph)).toMatchObject([
      { id: "a", withheld },
      { id: "b", withheld: { since: "", class: "" } },
    ]);
  });
});

describe("what is ready, and what was begun", () => {
  it("says which blocker was closed last, of equals the one that is named first", () => {
    const closed = (id: string, closed_at?: string) => ({
      id,
      status: "closed",
      ...(closed_at && { closed_at }),
    });
    const graph = graphOf(
      { id: "a", dependencies: [edge("a", "x"), edge("a", "y"), edge("a", "z")] },
      { id: "b" },
      closed("x", "2026-01-02T00:00:00Z"),
      closed("y", "2026-01-02T01:30:00+01:00"),
      closed("z"),
    );
    expect(readyItems(graph)).toEqual([
      {
        ...{ id: "a", title: "t", status: "open", priority: 2 },
        unblockedBy: { issueId: "y", closedAt: "2026-01-02T01:30:00+01:00" },
      },
      { id: "b", title: "t", status: "open", priority: 2 },
    ]);
    const equal = graphOf(
      { id: "a", dependencies: [edge("a", "y"), edge("a", "x")] },
      closed("x", "2026-01-02T00:00:00Z"),
      closed("y", "2026-01-02T00:00:00Z"),
    );
    expect(readyItems(equal)[0]?.unblockedBy?.issueId).toBe("y");
    const unsaid = graphOf({ id: "a", dependencies: [edge("a", "x")] }, closed("x"));
    expect(readyItems(unsaid)[0]?.unblockedBy).toEqual({ issueId: "x", closedAt: null });
    const unread = graphOf(
      { id: "a", dependencies: [edge("a", "x"), edge("a", "y")] },
      closed("x", "2026-01-02 00:00:00Z"),
      closed("y", "2026-01-03 00:00:00Z"),
    );
    expect(readyItems(unread)[0]?.unblockedBy?.issueId).toBe("x");
  });

  it("counts the open children of an epic, and remembers an answer until an issue changes", () => {
    const graph = graphOf(
      { id: "e", issue_type: "epic" },
      { id: "one", dependencies: [edge("one", "e", "parent-child")] },
      { id: "two", status: "closed", dependencies: [edge("two", "e", "parent-child")] },
    );
    const first = readyItems(graph);
    expect(first.find(({ id }) => id === "e")).toMatchObject({ openChildren: 1 });
    expect(first.find(({ id }) => id === "one")).not.toHaveProperty("openChildren");
    expect(readyItems(graph)).toBe(first);
    graph.put(new IssueNode("new", { id: "new", title: "t" }, '{"id":"new","title":"t"}', 4));
    expect(readyItems(graph).map(({ id }) => id)).toContain("new");
  });

  it("lists the first that somebody works on, with how their leases stand at this moment", () => {
    const begun = (id: string, expires_at?: string): JsonObject => ({
      ...{ id, status: "in_progress", assignee: "ada" },
      ...(expires_at === undefined
        ? {}
        : { lease: { lease_id: "l", owner: "bob", acquired_at: "2026-04-01T00:00:00Z", expires_at } }),
    });
    const graph = graphOf(
      begun("a", "2026-05-01T00:00:01Z"),
      begun("b", "2026-05-01T00:00:00Z"),
      begun("c"),
      ...Array.from({ length: workLimits.inProgressListMax }, (_, i) => begun(`z-${i}`)),
    );
    const items = begunItems(graph, now);
    expect(items).toHaveLength(workLimits.inProgressListMax);
    expect(items.slice(0, 3)).toEqual([
      {
        id: "a",
        assignee: "ada",
        leaseState: "active",
        leaseOwner: "bob",
        leaseExpiresAt: "2026-05-01T00:00:01Z",
      },
      {
        id: "b",
        assignee: "ada",
        leaseState: "stale",
        leaseOwner: "bob",
        leaseExpiresAt: "2026-05-01T00:00:00Z",
      },
      { id: "c", assignee: "ada", leaseState: "unleased", leaseOwner: null, leaseExpiresAt: null },
    ]);
  });
});

describe("a search", () => {
  const score = (row: JsonObject, ...words: readonly string[]) =>
    searchIssues(graphOf({ id: "q", ...row }), words)[0]?.score;

  it("weighs a word by where it stands, four times where it is all that stands there", () => {
    expect(score({ id: "word-1", title: "x" }, "word")).toBe(16);
    expect(score({ id: "word", title: "x" }, "word")).toBe(64);
    expect(score({ title: "a word" }, "word")).toBe(8);
    expect(score({ title: "x", labels: ["a word", 7] }, "word")).toBe(4);
    expect(score({ title: "x", description: "a word" }, "word")).toBe(2);
    expect(score({ title: "x", notes: "a word" }, "word")).toBe(1);
    expect(score({ title: "x", comments: [{ text: "a word" }, "word"] }, "word")).toBe(1);
    expect(score({ title: "a word", notes: "more words" }, "word", "WORD", "more")).toBe(10);
  });
});

describe("what an issue says of its verification", () => {
  it.each([
    ["acceptance: x", true],
    ["Intro\n  Acceptance  Criteria :", true],
    ["the acceptance: x", false],
    ["acceptance x", false],
  ])("%j names its acceptance or not", (text, names) => expect(namesAcceptance(text)).toBe(names));

  it.each([
    ["npm test", true],
    ["  - `npm run check`", true],
    ["* cargo test", true],
    ["run `npx vitest` first", true],
    ["run npx vitest first", false],
    ["`npm test` and then look", true],
    ["- `npm test", true],
    ["npm test `x` more", false],
    ["nodes are many", false],
    ["`nodes`", false],
  ])("%j names a command or not", (text, names) => expect(namesVerification(text)).toBe(names));
});

describe("a dependency", () => {
  it("means what its type says, in each of three views", () => {
    const roles = (type: DependencyType) =>
      [...(["execution", "gtd", "groupoid"] as const)].map((view) => roleOf(type, view)).join(" ");
    expect(Object.fromEntries(dependencyTypes.map((type) => [type, roles(type)]))).toEqual({
      blocks: "blocking next-action constraint",
      "conditional-blocks": "blocking next-action constraint",
      "waits-for": "blocking next-action constraint",
      "parent-child": "blocking project-structure generator",
      "discovered-from": "informational captured-work provenance",
      "replies-to": "informational captured-work provenance",
      related: "informational reference provenance",
      "relates-to": "informational reference provenance",
      duplicates: "informational dedupe equivalence",
      supersedes: "informational dedupe equivalence",
    });
    expect(["parent-child", "blocks", "related", "unheard"].map(keepsWaiting)).toEqual([
      ...[false, true, false, false],
    ]);
  });

  it("is read where it has an end and a type, by either name of that, whoever wrote it", () => {
    const dependencies = [
      { depends_on_id: "x" },
      { type: "blocks" },
      7,
      { depends_on_id: "y", dep_type: "related" },
      { issue_id: "other", depends_on_id: "z", type: "blocks", created_by: "ada" },
    ];
    expect(edgesOf(graphOf({ id: "a", dependencies }).get("a") as IssueNode)).toEqual([
      { issueId: "a", dependsOnId: "y", type: "related", createdBy: "" },
      { issueId: "other", dependsOnId: "z", type: "blocks", createdBy: "ada" },
    ]);
    expect(edgesOf(graphOf({ id: "a", dependencies: "x" }).get("a") as IssueNode)).toEqual([]);
  });
});

describe("a list in a row that grows", () => {
  it.each([
    ['{"id":"a"}', '[{"n":1}]'],
    ['{"id":"a","list":null}', '[{"n":1}]'],
    ['{"id":"a","list":[ 1.0 ,"x"]}', '[1.0,"x",{"n":1}]'],
    ['{"id":"a","list":{"old":1.0}}', '[{"old":1.0},{"n":1}]'],
  ])("keeps what stands in %s", (text, list) => {
    expect(appended(text, "list", { n: 1 }).text).toBe(list);
  });
});

describe("members that we know", () => {
  it("are not told as unknown", () => {
    const known: JsonObject = {
      ...{
        id: "a",
        title: "t",
        description: "",
        design: "",
        acceptance_criteria: "",
        notes: "",
        status: "open",
      },
      ...{
        priority: 2,
        issue_type: "task",
        assignee: "",
        owner: "",
        lease: null,
        fence: 0,
        created_at: null,
      },
      ...{ updated_at: null, closed_at: null, ephemeral: false, mol_type: "", labels: [], dependencies: [] },
      ...{ comments: [], claims: [], aliases: [], metadata: null },
      ...{ started_from: null, changes_tests: [], verified: null },
    };
    const graph = graphOf({ ...known, mine: 1 });
    const found = resolveIssue(graph, "a");
    if (isRefusal(found)) throw new Error(found.message);
    expect(showIssue(graph, found, now).unknownMembers).toEqual(["mine"]);
  });
});

describe("an epic that is closed too early", () => {
  it("says how many of its children are open, and a number that is none which one may be meant", () => {
    const child = (id: string) => ({ id, dependencies: [edge(id, "e", "parent-child")] });
    const close = (...children: readonly JsonObject[]) =>
      closeIssue("e", {})(graphOf({ id: "e", issue_type: "epic" }, ...children), now) as {
        readonly message: string;
        readonly detail: object;
      };
    expect(close(child("a"))).toMatchObject({
      ...{ refused: "issue_close_open_children", message: "e is an epic with an open child" },
      detail: { issueId: "e", openChildren: 1 },
    });
    expect(close(child("a"), child("b")).message).toBe("e is an epic with 2 open children");
    const wrong = addIssue({ title: "t", priority: 1.5 } as never)(graphOf(), now) as {
      readonly hint: string;
    };
    expect(wrong.hint).toBe("Did you mean 1?");
  });
});
