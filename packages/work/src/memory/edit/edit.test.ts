/** What each change of an issue makes of its row, and what it refuses. */
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { decideOnStores, decidesOnBothStores } from "../../../../../test/support/both-stores.js";
import { IssueGraph } from "../graph.js";
import { IssueNode } from "../node.js";
import type { Decide, Outcome } from "../types.js";
import { addIssue, type NewIssue } from "./add.js";
import type { Changed } from "./changed.js";
import { closeIssue, reopenIssue } from "./close.js";
import { commentIssue } from "./comment.js";
import { discoverIssue } from "./discover.js";
import { checkFields } from "./fields.js";
import { labelIssue } from "./labels.js";
import { updateIssue } from "./update.js";

decidesOnBothStores();

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const now = "2026-01-31T09:30:00Z";
const earlier = "2026-01-30T00:00:00Z";

/** A graph of these rows; the id is also the title when there is none. */
function graphOf(...rows: (JsonObject & { readonly id: string })[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [i, row] of rows.entries()) {
    const text = JSON.stringify({ title: row.id, ...row });
    graph.put(new IssueNode(row.id, JSON.parse(text) as JsonObject, text, i + 1));
  }
  return graph;
}

function decided<Answer>(decide: Decide<Answer>, graph: IssueGraph): Outcome<Answer> {
  const outcome = decideOnStores(decide, graph, nowMs);
  if (isRefusal(outcome)) throw new Error(`${outcome.refused}: ${outcome.message}`);
  return outcome;
}

function rowOf<Answer extends Changed>(decide: Decide<Answer>, graph: IssueGraph): JsonObject {
  const { answer, rows } = decided(decide, graph);
  expect(answer.changed).toBe(true);
  expect(rows).toHaveLength(1);
  return JSON.parse(rows[0]?.text ?? "") as JsonObject;
}

function refusalOf(decide: Decide<unknown>, graph: IssueGraph): Refusal {
  const outcome = decideOnStores(decide, graph, nowMs);
  if (!isRefusal(outcome)) throw new Error("it was not refused");
  return outcome;
}

const heldBy = (owner: string, expires_at = "2026-01-31T10:00:00Z") => ({
  status: "in_progress",
  assignee: owner,
  fence: 3,
  lease: { lease_id: `lease1_x_${owner}`, owner, acquired_at: earlier, expires_at },
});

const blockedBy = (id: string, ...blockers: string[]) => ({
  dependencies: blockers.map((depends_on_id) => ({ issue_id: id, depends_on_id, type: "blocks" })),
});

describe("adding", () => {
  it("takes the smallest free id and fills in the defaults, members in the order of the contract", () => {
    const graph = graphOf({ id: "bd-1" }, { id: "bd-3" }, { id: "other" });
    const row = rowOf(addIssue({ title: "  New\t", notes: "n", labels: ["b", " a", "b"] }), graph);
    expect(JSON.stringify(row)).toBe(
      `{"id":"bd-2","title":"New","notes":"n","status":"open","priority":2,"issue_type":"task","created_at":"${now}",` +
        `"updated_at":"${now}","ephemeral":false,"labels":["b","a"]}`,
    );
  });

  it("keeps every field that was given", () => {
    const given: NewIssue = {
      id: "x-1",
      title: "t",
      description: " d ",
      design: "g",
      acceptanceCriteria: "a",
      notes: "n",
      status: "blocked",
      priority: 0,
      issueType: "epic",
      assignee: " ada ",
      owner: "bob",
      ephemeral: true,
    };
    expect(decided(addIssue(given), graphOf()).answer.issue).toMatchObject({
      ...given,
      assignee: "ada",
      createdAt: now,
    });
  });

  it("as closed says when it was closed", () => {
    expect(rowOf(addIssue({ title: "t", status: "closed" }), graphOf())["closed_at"]).toBe(now);
  });

  it.each<[string, NewIssue, string, RegExp]>([
    ["an id that is taken", { title: "t", id: " bd-1 " }, "issue_exists", /already exists: bd-1/],
    ["a blank id", { title: "t", id: " " }, "issue_invalid", /blank or has white space/],
    ["an id of two words", { title: "t", id: "bd 1" }, "issue_invalid", /white space/],
    ["a blank title", { title: " \n" }, "issue_invalid", /title is blank/],
    ["a blank label", { title: "t", labels: ["a", " "] }, "issue_invalid", /label is blank/],
    [
      "an unknown status",
      { title: "t", status: "opne" },
      "issue_invalid",
      /open, in_progress, blocked or closed/,
    ],
    ["an unknown type", { title: "t", issueType: "story" }, "issue_invalid", /expected epic or task/],
    ["a priority out of range", { title: "t", priority: 7 }, "issue_invalid", /0, 1, 2, 3 or 4/],
  ])("refuses %s", (_, request, failureClass, says) => {
    const refusal = refusalOf(addIssue(request), graphOf({ id: "bd-1" }));
    expect(refusal.refused).toBe(failureClass);
    expect(refusal.message).toMatch(says);
  });

  it("names the nearest value that would do", () => {
    const hint = (fields: Parameters<typeof checkFields>[0]) => checkFields(fields)?.hint;
    expect(hint({ status: "in-progress" })).toBe("Did you mean in_progress?");
    expect(hint({ status: "CLOSED" })).toBe("Did you mean closed?");
    expect(hint({ issueType: "epics" })).toBe("Did you mean epic?");
    expect(hint({ priority: 7 })).toBe("Did you mean 4?");
    expect(hint({ priority: -1 })).toBe("Did you mean 0?");
    expect(hint({ priority: 1.4 })).toBe("Did you mean 1?");
    expect(hint({ status: "wontfix" })).toBeUndefined();
  });
});

describe("updating", () => {
  it("changes what is named, removes what is named empty, and leaves the rest", () => {
    const graph = graphOf({ id: "bd-1", notes: "old", design: "d", owner: "bob", updated_at: earlier });
    const row = rowOf(
      updateIssue("bd-1", { title: "T", notes: "", acceptanceCriteria: "a", issueType: "epic" }, {}),
      graph,
    );
    expect(row).toEqual({
      title: "T",
      id: "bd-1",
      design: "d",
      owner: "bob",
      updated_at: now,
      acceptance_criteria: "a",
      issue_type: "epic",
    });
  });

  it("ends the lease with any status but in_progress, and keeps the fence and the assignee", () => {
    for (const status of ["open", "blocked", "closed"]) {
      const row = rowOf(
        updateIssue("bd-1", { status }, { actor: "ada" }),
        graphOf({ id: "bd-1", ...heldBy("ada") }),
      );
      expect(row).toMatchObject({ status, fence: 3, assignee: "ada" });
      expect(row).not.toHaveProperty("lease");
    }
    const row = rowOf(
      updateIssue("bd-1", { status: "in_progress" }, { actor: "ada" }),
      graphOf({ id: "bd-1", ...heldBy("ada") }),
    );
    expect(row).toHaveProperty("lease");
  });

  it("sets closed_at once, and takes it back with the reason when the issue is no longer closed", () => {
    const closed = { id: "bd-1", status: "closed", closed_at: earlier, close_reason: "done" };
    expect(rowOf(updateIssue("bd-1", { status: "closed" }, {}), graphOf(closed))).toMatchObject({
      closed_at: earlier,
      close_reason: "done",
    });
    expect(rowOf(updateIssue("bd-1", { status: "closed" }, {}), graphOf({ id: "bd-1" }))["closed_at"]).toBe(
      now,
    );
    const row = rowOf(updateIssue("bd-1", { status: "in_progress" }, {}), graphOf(closed));
    expect(row).not.toHaveProperty("closed_at");
    expect(row).not.toHaveProperty("close_reason");
  });

  it("of status or assignee is refused while another's lease is active, unless the fence is the last one", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    for (const fields of [{ status: "open" }, { assignee: "bob" }, { assignee: "" }]) {
      for (const asker of [{}, { actor: "bob" }, { actor: " " }]) {
        const refusal = refusalOf(updateIssue("bd-1", fields, asker), graph);
        expect(refusal.refused).toBe("lease_contention_active");
        expect(refusal.hint).toContain("--actor ada or --fence 3");
      }
      expect(rowOf(updateIssue("bd-1", fields, { fence: 3 }), graph)["fence"]).toBe(3);
      expect(rowOf(updateIssue("bd-1", fields, { actor: "ada" }), graph)["fence"]).toBe(3);
    }
  });

  it("of other fields is anybody's, but not under an old fence", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    expect(rowOf(updateIssue("bd-1", { notes: "n" }, { actor: "bob" }), graph)).toHaveProperty("lease");
    for (const fence of [0, 2, 4]) {
      expect(refusalOf(updateIssue("bd-1", { notes: "n" }, { fence, actor: "ada" }), graph).refused).toBe(
        "lease_fence_stale",
      );
    }
  });

  it("by the holder may hand the assignee on, and the lease stays", () => {
    const row = rowOf(
      updateIssue("bd-1", { assignee: "bob" }, { actor: "ada" }),
      graphOf({ id: "bd-1", ...heldBy("ada") }),
    );
    expect(row).toMatchObject({ assignee: "bob", lease: { owner: "ada" } });
  });

  it("is free when the lease has ended", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada", now) });
    expect(rowOf(updateIssue("bd-1", { status: "open" }, { actor: "bob" }), graph)["fence"]).toBe(3);
  });

  it("to closed keeps the rules of closing", () => {
    const graph = graphOf({ id: "bd-1", ...blockedBy("bd-1", "bd-2") }, { id: "bd-2" });
    expect(refusalOf(updateIssue("bd-1", { status: "closed" }, {}), graph).refused).toBe(
      "issue_close_blocked",
    );
  });

  it("names what is wrong with the request", () => {
    const graph = graphOf({ id: "bd-1" });
    expect(refusalOf(updateIssue("bd-1", {}, {}), graph).refused).toBe("issue_update_empty");
    expect(refusalOf(updateIssue("bd-2", { title: "t" }, {}), graph)).toMatchObject({
      refused: "issue_not_found",
      message: "issue not found: bd-2",
    });
    expect(refusalOf(updateIssue("bd-1", { title: " " }, {}), graph).refused).toBe("issue_invalid");
    expect(refusalOf(updateIssue("bd-1", { status: "done" }, {}), graph).refused).toBe("issue_invalid");
    expect(
      refusalOf(updateIssue("bd-1", { title: "t" }, {}), graphOf({ id: "bd-1", priority: "high" })).refused,
    ).toBe("issue_row_invalid");
  });
});

describe("closing", () => {
  it("ends the lease, keeps fence and assignee, and says when and how it ended", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    const row = rowOf(closeIssue("bd-1", { fence: 3, reason: " done " }), graph);
    expect(row).toMatchObject({
      status: "closed",
      fence: 3,
      assignee: "ada",
      closed_at: now,
      close_reason: "done",
    });
    expect(row).not.toHaveProperty("lease");
    expect(row).not.toHaveProperty("forced");
  });

  it("a closed issue is accepted and changes nothing, not even when it was closed", () => {
    const graph = graphOf({ id: "bd-1", status: "closed", closed_at: earlier });
    const { answer, rows } = decided(closeIssue("bd-1", { reason: "again" }), graph);
    expect([answer.changed, answer.issue.closedAt, rows]).toEqual([false, earlier, []]);
  });

  it("is refused while another holds it, while a blocker is open or missing, and with an old fence", () => {
    const held = graphOf({ id: "bd-1", ...heldBy("ada") });
    expect(refusalOf(closeIssue("bd-1", { actor: "bob" }), held).refused).toBe("lease_contention_active");
    expect(refusalOf(closeIssue("bd-1", { fence: 2 }), held).refused).toBe("lease_fence_stale");
    const blocked = graphOf(
      { id: "bd-1", ...blockedBy("bd-1", "bd-2", "bd-3", "gone") },
      { id: "bd-2", status: "closed" },
      { id: "bd-3", status: "blocked" },
    );
    const refusal = refusalOf(closeIssue("bd-1", {}), blocked);
    expect(refusal.refused).toBe("issue_close_blocked");
    expect(refusal.message).toBe("bd-1 waits for bd-3 (blocked), gone (not there)");
    expect(refusal.detail).toEqual({ issueId: "bd-1", blockers: ["bd-3", "gone"] });
  });

  it("by force tells in the row what was overruled, why, by whom and when, behind what was forced before", () => {
    const before = { at: earlier, reason: "r", n: 1 };
    const graph = graphOf(
      { id: "bd-1", ...heldBy("ada"), ...blockedBy("bd-1", "bd-2"), forced: [before] },
      { id: "bd-2" },
    );
    const decide = closeIssue("bd-1", { actor: "bob", force: " ada left " });
    expect(rowOf(decide, graph)["forced"]).toEqual([
      before,
      {
        at: now,
        by: "bob",
        action: "issue.close",
        reason: "ada left",
        over: [
          { class: "lease_contention_active", says: expect.stringContaining("held by ada") },
          { class: "issue_close_blocked", says: "bd-1 waits for bd-2 (open)" },
        ],
      },
    ]);
    expect(decided(decide, graph).answer.forced.map((over) => over.class)).toEqual([
      "lease_contention_active",
      "issue_close_blocked",
    ]);
  });

  it("by force keeps a member `forced` that another program wrote", () => {
    const graph = graphOf({ id: "bd-1", forced: "yes", ...blockedBy("bd-1", "gone") });
    expect(rowOf(closeIssue("bd-1", { force: "r" }), graph)["forced"]).toEqual([
      "yes",
      expect.objectContaining({ reason: "r" }),
    ]);
  });

  it("by force is not recorded when nothing had to be overruled", () => {
    const { answer, rows } = decided(closeIssue("bd-1", { force: "just in case" }), graphOf({ id: "bd-1" }));
    expect(answer.forced).toEqual([]);
    expect(rows[0]?.text).not.toContain("forced");
  });

  it("by force needs a reason, and does not help against an old fence", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    expect(refusalOf(closeIssue("bd-1", { force: " " }), graph).refused).toBe("issue_force_reason_missing");
    expect(refusalOf(closeIssue("bd-1", { force: "r", fence: 2 }), graph).refused).toBe("lease_fence_stale");
  });

  it("says which issues are ready now", () => {
    const graph = graphOf(
      { id: "bd-1" },
      { id: "bd-2" },
      { id: "bd-3", ...blockedBy("bd-3", "bd-1") },
      { id: "bd-4", ...blockedBy("bd-4", "bd-1", "bd-2") },
      { id: "bd-5", status: "blocked", ...blockedBy("bd-5", "bd-1") },
      { id: "bd-10", ...blockedBy("bd-10", "bd-1") },
    );
    expect(decided(closeIssue("bd-1", {}), graph).answer.unblocked).toEqual(["bd-10", "bd-3"]);
  });

  it("says which children are ready with a parent that waits no longer", () => {
    const under = (id: string, ...parents: string[]) => ({
      id,
      dependencies: parents.map((depends_on_id) => ({ issue_id: id, depends_on_id, type: "parent-child" })),
    });
    const graph = graphOf(
      { id: "a" },
      { id: "b" },
      { id: "waits", ...blockedBy("waits", "a") },
      { id: "waits-longer", ...blockedBy("waits-longer", "a", "b") },
      under("child", "waits"),
      under("grandchild", "child"),
      under("orphan", "waits", "gone"),
      under("kept", "waits-longer", "gone", "waits"),
    );
    expect(decided(closeIssue("a", {}), graph).answer.unblocked).toEqual([
      ...["child", "grandchild", "orphan", "waits"],
    ]);
    const circle = graphOf({ id: "a", ...blockedBy("a", "a") }, under("child", "a"));
    expect(decided(closeIssue("a", { force: "it waits for itself" }), circle).answer.unblocked).toEqual([
      "child",
    ]);
  });

  it("tells on which verified change it rests, and forgets it when the issue is open again", () => {
    const verified = {
      ...{ commit: "c", tree: "t", policyDigest: "pol", projectionDigest: "proj", witnessRef: "w" },
    };
    const row = rowOf(closeIssue("bd-1", { verified }), graphOf({ id: "bd-1" }));
    expect(row["verified"]).toEqual({
      ...{ commit: "c", tree: "t", policy_digest: "pol", projection_digest: "proj", witness_ref: "w" },
      at: now,
    });
    const closed = graphOf({ ...row, id: "bd-1" });
    expect(rowOf(reopenIssue("bd-1", {}), closed)).not.toHaveProperty("verified");
  });

  it("is refused for an issue that is not there", () => {
    expect(refusalOf(closeIssue("bd-2", {}), graphOf({ id: "bd-1" })).refused).toBe("issue_not_found");
    expect(refusalOf(reopenIssue("bd-2", {}), graphOf({ id: "bd-1" })).refused).toBe("issue_not_found");
  });
});

describe("reopening", () => {
  it("sets a closed issue to open, forgets when and why it was closed, and keeps the fence", () => {
    const closed = { status: "closed", closed_at: earlier, close_reason: "done", fence: 5, assignee: "ada" };
    expect(rowOf(reopenIssue("bd-1", {}), graphOf({ id: "bd-1", ...closed }))).toEqual({
      title: "bd-1",
      id: "bd-1",
      status: "open",
      fence: 5,
      assignee: "ada",
      updated_at: now,
    });
  });

  it("is refused when the issue is not closed, and with an old fence", () => {
    expect(refusalOf(reopenIssue("bd-1", {}), graphOf({ id: "bd-1" })).refused).toBe("issue_not_closed");
    const closed = graphOf({ id: "bd-1", status: "closed", fence: 5 });
    expect(refusalOf(reopenIssue("bd-1", { fence: 4 }), closed).refused).toBe("lease_fence_stale");
    expect(refusalOf(reopenIssue("bd-2", {}), closed).refused).toBe("issue_not_found");
  });
});

describe("discovering", () => {
  it("makes an open issue that says what it was discovered from, in one row", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    const decide = discoverIssue("bd-1", { title: "found", priority: 1 }, { actor: "ada", fence: 3 });
    expect(rowOf(decide, graph)).toMatchObject({
      id: "bd-2",
      status: "open",
      priority: 1,
      dependencies: [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "discovered-from", created_by: "ada" }],
    });
    expect(decided(decide, graph).answer.dependency).toEqual({
      issueId: "bd-2",
      dependsOnId: "bd-1",
      type: "discovered-from",
      createdBy: "ada",
    });
  });

  it("does not make its parent wait, nor wait for it", () => {
    const graph = graphOf({ id: "bd-1" });
    const [row] = decided(discoverIssue("bd-1", { title: "found" }, {}), graph).rows;
    graph.put(new IssueNode("bd-2", JSON.parse(row?.text ?? "") as JsonObject, row?.text ?? "", 2));
    expect([...graph.ready()].map(({ id }) => id)).toEqual(["bd-1", "bd-2"]);
  });

  it("is refused without the parent, with a taken id, and under an old fence of the parent", () => {
    const graph = graphOf({ id: "bd-1", fence: 2 });
    const refused = (parent: string, id?: string, fence?: number) =>
      refusalOf(
        discoverIssue(
          parent,
          { title: "t", ...(id === undefined ? {} : { id }) },
          fence === undefined ? {} : { fence },
        ),
        graph,
      ).refused;
    expect(refused("bd-2")).toBe("issue_discover_parent_missing");
    expect(refused("bd-1", "bd-1")).toBe("issue_discover_id_conflict");
    expect(refused("bd-1", undefined, 1)).toBe("lease_fence_stale");
  });
});

describe("commenting", () => {
  it("adds a comment in beads' shape behind those that are there, with the next number", () => {
    const graph = graphOf({
      id: "bd-1",
      comments: [
        { id: 7, text: "a" },
        { id: "c-1", text: "b" },
      ],
    });
    const row = rowOf(commentIssue("bd-1", { text: "c\n", author: " ada " }), graph);
    expect(row).toMatchObject({ updated_at: now });
    expect(row["comments"]).toEqual([
      { id: 7, text: "a" },
      { id: "c-1", text: "b" },
      { id: 8, issue_id: "bd-1", author: "ada", text: "c\n", created_at: now },
    ]);
  });

  it("is anybody's, by the name of the author or else of the asker", () => {
    const graph = graphOf({ id: "bd-1", ...heldBy("ada") });
    const author = (request: { author?: string; actor?: string }) =>
      decided(commentIssue("bd-1", { text: "t", ...request }), graph).answer.comment.author;
    expect([author({ author: "bob", actor: "cleo" }), author({ actor: "cleo" }), author({})]).toEqual([
      "bob",
      "cleo",
      "",
    ]);
  });

  it("is refused when blank, under an old fence, and for an issue that is not there", () => {
    const graph = graphOf({ id: "bd-1", fence: 1 });
    expect(refusalOf(commentIssue("bd-1", { text: " " }), graph).refused).toBe("issue_invalid");
    expect(refusalOf(commentIssue("bd-1", { text: "t", fence: 0 }), graph).refused).toBe("lease_fence_stale");
    expect(refusalOf(commentIssue("bd-2", { text: "t" }), graph).refused).toBe("issue_not_found");
  });
});

describe("labelling", () => {
  const graph = graphOf({ id: "bd-1", labels: ["z", "a", "m"], fence: 1 });

  it("keeps the order of the row, puts new labels last, and none twice", () => {
    const request = { add: ["b", "z", " b"], remove: ["a", "not there"] };
    expect(rowOf(labelIssue("bd-1", request), graph)["labels"]).toEqual(["z", "m", "b"]);
  });

  it("leaves no empty list behind", () => {
    expect(rowOf(labelIssue("bd-1", { remove: ["z", "a", "m"] }), graph)).not.toHaveProperty("labels");
  });

  it("changes nothing when everything is so already", () => {
    const { answer, rows } = decided(labelIssue("bd-1", { add: ["a"], remove: ["x"] }), graph);
    expect([answer.changed, rows]).toEqual([false, []]);
  });

  it("is refused without a label, with a blank one, with one both ways, and under an old fence", () => {
    expect(refusalOf(labelIssue("bd-1", {}), graph).refused).toBe("issue_update_empty");
    expect(refusalOf(labelIssue("bd-1", { add: [" "] }), graph).refused).toBe("issue_invalid");
    expect(refusalOf(labelIssue("bd-1", { add: ["x"], remove: ["x"] }), graph).refused).toBe("issue_invalid");
    expect(refusalOf(labelIssue("bd-1", { add: ["x"], fence: 0 }), graph).refused).toBe("lease_fence_stale");
    expect(refusalOf(labelIssue("bd-2", { add: ["x"] }), graph).refused).toBe("issue_not_found");
  });
});
