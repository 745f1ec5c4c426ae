/** Handoffs say how a lease stands, what to do about it, and carry refs that can be checked. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { holds } from "../../../../test/support/property.js";
import {
  checkHandoffRefs,
  checkLineageRefs,
  handoffLeaseState,
  handoffLeaseStates,
  handoffRef,
  parseHandoffRef,
  parseLineageRef,
  recoveryAction,
} from "./handoff.js";

const nowMs = Date.parse("2026-01-31T10:00:00Z");
const lease = { lease_id: "l", owner: "ada", expires_at: "2026-01-31T10:00:00.001Z" };
const held = { id: "bd-1", title: "t", status: "in_progress", assignee: "ada", lease };

describe("the state of a lease at a handoff", () => {
  test.each([
    ["missing_issue", undefined],
    ["closed_with_lease", { ...held, status: "closed" }],
    ["closed_with_lease", { ...held, status: "closed", lease: { expires_at: "never" } }],
    ["released", { ...held, status: "closed", lease: null }],
    ["unleased", { id: "bd-1", status: "in_progress", assignee: "ada" }],
    ["invalid_expires_at", { ...held, lease: { ...lease, expires_at: "soon" } }],
    ["invalid_expires_at", { ...held, lease: { ...lease, expires_at: [lease.expires_at] } }],
    ["invalid_expires_at", { ...held, lease: "mine" }],
    ["stale", { ...held, lease: { ...lease, expires_at: "2026-01-31T10:00:00Z" } }],
    ["stale", { ...held, status: "open", lease: { ...lease, expires_at: "2026-01-31T12:00:00+02:00" } }],
    ["contended", { ...held, status: "open" }],
    ["contended", { ...held, assignee: "bob" }],
    ["active", held],
  ] as const)("%s", (state, row) => {
    expect(handoffLeaseState(row, nowMs)).toBe(state);
  });

  it("recommends what the vectors recommend, and to stop where they say nothing", () => {
    expect(Object.fromEntries(handoffLeaseStates.map((state) => [state, recoveryAction(state)]))).toEqual({
      active: "issue_lease_renew",
      stale: "issue_claim",
      released: "issue_claim",
      unleased: "issue_claim",
      contended: "stop",
      missing_issue: "stop",
      closed_with_lease: "stop",
      invalid_expires_at: "stop",
    });
  });
});

describe("a handoff ref", () => {
  const handoff = {
    issueId: "bd-1",
    workerId: "worker.1",
    leaseId: "lease1_bd-1_worker_1",
    leaseOwner: "worker.1",
    leaseState: "released",
    leaseAction: "release_closed",
    status: "closed",
    assignee: "worker.1",
  } as const;

  it("has the digest that another implementation computed", () => {
    expect(handoffRef(handoff)).toBe(
      "lease://handoff/bd-1/released/fafb87127e8a954701d3c3a9489630ccec35429d573e6ab510a9de716725165a",
    );
  });

  it("of any issue can be parsed and is its own", () => {
    holds(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.constantFrom(...handoffLeaseStates),
        (issueId, leaseState) => {
          fc.pre(!issueId.includes("\n") && issueId.isWellFormed());
          const ref = handoffRef({ ...handoff, issueId, leaseState });
          expect(parseHandoffRef(ref)?.digest).toMatch(/^[0-9a-f]{64}$/);
          expect(checkHandoffRefs(["ciw://other", ref], { issueId, leaseState })).toBeUndefined();
          expect(checkHandoffRefs([ref], { issueId: `${issueId}x`, leaseState })).toBe("mismatch");
        },
      ),
    );
  });

  test.each([
    ["missing", ["ciw://w/1"]],
    ["missing", []],
    ["malformed", ["lease://handoff/bd-1/stale"]],
    ["malformed", ["lease://handoff/bd-1/stale/a b"]],
    ["missing", ["lease://renew/bd-1/stale/abc"]],
    [undefined, ["lease://handoff/bd-1/stale/abc", "lease://handoff/bd-1//abc"]],
    [undefined, ["lease://handoff/bd-2/stale/abc", "lease://handoff/bd-1/stale/abc"]],
    ["malformed", ["lease://handoff/bd-2/stale/abc", "lease://handoff/bd-1//abc"]],
    ["mismatch", ["lease://handoff/bd-2/stale/abc"]],
    ["mismatch", ["lease://handoff/bd-1/active/abc"]],
    [undefined, ["lease://handoff/bd-1/stale/abc"]],
  ])("is %s in %j", (problem, refs) => {
    expect(checkHandoffRefs(refs, { issueId: "bd-1", leaseState: "stale" })).toBe(problem);
  });
});

describe("lineage refs", () => {
  const [ctx, cover, refinement] = [
    "ctx://issue/bd-1/a1",
    "cover://worker-loop/bd-1/b2",
    "refinement://worker-loop/bd-1/worker.1/c3",
  ] as const;

  it("are parsed by their kind", () => {
    expect(parseLineageRef(ctx)).toEqual({ kind: "ctx", issue: "bd-1", digest: "a1" });
    expect(parseLineageRef(cover)).toEqual({ kind: "cover", issue: "bd-1", digest: "b2" });
    expect(parseLineageRef(refinement)).toEqual({
      kind: "refinement",
      issue: "bd-1",
      worker: "worker.1",
      digest: "c3",
    });
    expect(parseLineageRef("ci://412")).toBeUndefined();
  });

  test.each([
    [[], [refinement, cover, ctx]],
    [["malformed"], [refinement, cover, ctx, "ci://412"]],
    [["missing"], [ctx, cover]],
    [["missing"], []],
    [
      ["malformed", "missing", "mismatch"],
      ["ctx://issue/bd-2/a1", "cover:half"],
    ],
    [["malformed"], [ctx, cover, "refinement://worker-loop/bd-1/c3"]],
    [["malformed"], ["ctx://issue/bd-1", cover, refinement]],
    [["mismatch"], ["ctx://issue/bd-2/a1", cover, refinement]],
  ])("are %j in %j", (problems, refs) => {
    expect(checkLineageRefs(refs, "bd-1")).toEqual(problems);
  });
});
