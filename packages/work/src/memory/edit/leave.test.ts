/** What a worker leaves behind in the row of an issue that it could not finish. */
import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { IssueGraph } from "../graph.js";
import { IssueNode } from "../node.js";
import type { Decide } from "../types.js";
import type { Changed } from "./changed.js";
import { attemptsOf, leaveIssue, type LeaveRequest, leftBy, returnAttempts } from "./leave.js";

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const now = "2026-01-31T09:30:00Z";
const lease = { lease_id: "l", owner: "ada", acquired_at: now, expires_at: "2026-01-31T10:00:00Z" };
const held: JsonObject = { status: "in_progress", assignee: "ada", fence: 3, lease };
const asked: LeaveRequest = {
  ...{ actor: "ada", fence: 3, step: "ada.bd-1.1", failureClass: "check_failed", message: "one test fails" },
  ...{ status: "open", costsAttempt: true },
};

function nodeOf(members: JsonObject): IssueNode {
  const row = { id: "bd-1", title: "t", ...members };
  return new IssueNode("bd-1", row, JSON.stringify(row), 1);
}

function outcomeOf(decide: Decide<Changed>, members: JsonObject) {
  const graph = new IssueGraph();
  graph.put(nodeOf(members));
  return decide(graph, nowMs);
}

/** The row that is written; undefined when none is. */
function rowOf(decide: Decide<Changed>, members: JsonObject): JsonObject | undefined {
  const outcome = outcomeOf(decide, members);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  const [row] = outcome.rows;
  expect(outcome.answer.changed).toBe(row !== undefined);
  return row && (JSON.parse(row.text) as JsonObject);
}

describe("an issue that is left", () => {
  it("is nobody's, and says which step left it, why and when", () => {
    expect(rowOf(leaveIssue("bd-1", asked), held)).toEqual({
      ...{ id: "bd-1", title: "t", status: "open", fence: 3, updated_at: now, attempts: 1 },
      left: {
        ...{ step: "ada.bd-1.1", failure_class: "check_failed", message: "one test fails", at: now },
      },
    });
  });

  it("stays with an assignee who was named by hand, and not by a lease", () => {
    expect(rowOf(leaveIssue("bd-1", asked), { ...held, assignee: "bob" })?.["assignee"]).toBe("bob");
    const unleased = { status: "in_progress", assignee: "ada", fence: 3 };
    expect(rowOf(leaveIssue("bd-1", asked), unleased)?.["assignee"]).toBe("ada");
  });

  it("counts the attempt only where that one costs something", () => {
    const attempts = (costsAttempt: boolean, before: JsonObject) =>
      rowOf(leaveIssue("bd-1", { ...asked, costsAttempt }), { ...held, ...before })?.["attempts"];
    expect([attempts(true, {}), attempts(false, {})]).toEqual([1, 0]);
    expect([attempts(true, { attempts: 2 }), attempts(false, { attempts: 2 })]).toEqual([3, 2]);
  });

  it("gets one label, once, and loses another", () => {
    const labels = (request: Partial<LeaveRequest>, before?: string[]) =>
      rowOf(leaveIssue("bd-1", { ...asked, ...request }), { ...held, ...(before && { labels: before }) })?.[
        "labels"
      ];
    expect(labels({}, ["a"])).toEqual(["a"]);
    expect(labels({ label: "review" })).toEqual(["review"]);
    expect(labels({ label: "review" }, ["a", "review"])).toEqual(["a", "review"]);
    expect(labels({ unlabel: "review" }, ["review", "a"])).toEqual(["a"]);
  });

  it("is left once by one step, and again by the next", () => {
    const left = { step: asked.step, failure_class: "x", message: "m", at: now };
    expect(rowOf(leaveIssue("bd-1", asked), { ...held, left })).toBeUndefined();
    expect(rowOf(leaveIssue("bd-1", { ...asked, step: "ada.bd-1.2" }), { ...held, left })).toBeDefined();
  });

  it("is not left under an old fence, nor by another than its holder", () => {
    const late = leaveIssue("bd-1", { ...asked, fence: 2 });
    expect(outcomeOf(late, held)).toMatchObject({ refused: "lease_fence_stale" });
    const { fence: _, ...unfenced } = asked;
    const other = leaveIssue("bd-1", { ...unfenced, actor: "bob" });
    expect(outcomeOf(other, held)).toMatchObject({ refused: "lease_contention_active" });
  });

  it("is refused when it is not there", () => {
    expect(outcomeOf(leaveIssue("bd-2", asked), held)).toMatchObject({ refused: "issue_not_found" });
    expect(outcomeOf(returnAttempts("bd-2", 1), held)).toMatchObject({ refused: "issue_not_found" });
  });
});

describe("attempts that did not count", () => {
  it("are taken back, to none at the least", () => {
    expect(rowOf(returnAttempts("bd-1", 2), { attempts: 3 })).toMatchObject({ attempts: 1 });
    expect(rowOf(returnAttempts("bd-1", 5), { attempts: 3 })).toMatchObject({ attempts: 0 });
    expect(rowOf(returnAttempts("bd-1", 1), {})).toBeUndefined();
  });

  it("open an issue that they had blocked, and leave any other status alone", () => {
    expect(rowOf(returnAttempts("bd-1", 1), { status: "blocked", attempts: 1 })).toMatchObject({
      status: "open",
      updated_at: now,
    });
    expect(rowOf(returnAttempts("bd-1", 1), { status: "blocked" })).toMatchObject({ status: "open" });
    expect(rowOf(returnAttempts("bd-1", 1), { ...held, attempts: 1 })).toMatchObject({
      ...{ status: "in_progress", lease },
    });
  });
});

describe("what a row says of earlier attempts", () => {
  it.each([
    [undefined, 0],
    [2, 2],
    [0, 0],
    [-1, 0],
    [1.5, 0],
    ["2", 0],
  ])("%j attempts are %i", (attempts, count) => {
    expect(attemptsOf(nodeOf(attempts === undefined ? {} : { attempts }))).toBe(count);
  });

  it("is read with nothing in the place of what is no text, and not at all where it is no object", () => {
    const left = { step: "s", failure_class: "c", message: "m", at: now };
    expect(leftBy(nodeOf({ left }))).toEqual({ step: "s", failureClass: "c", message: "m", at: now });
    expect(leftBy(nodeOf({ left: { step: 7 } }))).toEqual({
      ...{ step: "", failureClass: "", message: "", at: "" },
    });
    expect([leftBy(nodeOf({})), leftBy(nodeOf({ left: "s" }))]).toEqual([undefined, undefined]);
  });
});
