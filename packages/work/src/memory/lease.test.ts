/** Who may claim, renew and release, in which order it is judged, and what becomes of the row. */
import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it, test } from "vitest";
import { formatTime, patchRow, readIssue } from "./issue-row.js";
import {
  type Asker,
  claim,
  type ClaimRequest,
  defaultLeaseId,
  guardHolder,
  isContended,
  type LeaseChange,
  leaseState,
  type LeaseTerm,
  release,
  type ReleaseRequest,
  renew,
  type RenewRequest,
  termEnd,
} from "./lease.js";
import type { Issue } from "./types.js";

const nowMs = Date.parse("2026-01-31T10:00:00Z");
const later = (seconds: number) => formatTime(nowMs + seconds * 1000);

function read(row: JsonObject): Issue {
  const issue = readIssue(row);
  if ("problem" in issue) throw new Error(issue.problem);
  return issue;
}

const rowOf = (change: JsonObject = {}): JsonObject => ({ id: "bd-1", title: "t", ...change });
const leaseOf = (owner: string, seconds: number): JsonObject => ({
  lease_id: `l-${owner}`,
  owner,
  acquired_at: later(-60),
  expires_at: later(seconds),
});
const heldBy = (owner: string, seconds = 60, change: JsonObject = {}): JsonObject =>
  rowOf({ status: "in_progress", assignee: owner, fence: 3, lease: leaseOf(owner, seconds), ...change });

type Change = LeaseChange | { readonly refused: string };

/** The refusal's class, or the issue as it is afterwards. */
function outcome(row: JsonObject, change: Change): string | Issue {
  if ("refused" in change) return change.refused;
  const { text } = patchRow("bd-1", JSON.stringify(row), change.patch);
  return read(JSON.parse(text) as JsonObject);
}
const claiming = (row: JsonObject, request: ClaimRequest, at = nowMs) =>
  outcome(row, claim(read(row), JSON.stringify(row), request, at));
const renewing = (row: JsonObject, request: RenewRequest, at = nowMs) =>
  outcome(row, renew(read(row), JSON.stringify(row), request, at));
const releasing = (row: JsonObject, request: ReleaseRequest) =>
  outcome(row, release(read(row), request, nowMs));

const ada = { assignee: "ada" };
const bob = { assignee: "bob" };

describe("a lease", () => {
  test.each([
    [59.999, "active"],
    [0.001, "active"],
    [0, "stale"],
    [-0.001, "stale"],
  ] as const)("that ends in %d s is %s", (seconds, state) => {
    expect(leaseState(read(heldBy("ada", seconds)).lease, nowMs)).toBe(state);
  });

  it("is active again when the clock is set back before its end", () => {
    const { lease } = read(heldBy("ada", 0));
    expect([leaseState(lease, nowMs), leaseState(lease, nowMs - 1)]).toEqual(["stale", "active"]);
    expect(leaseState(undefined, nowMs)).toBe("unleased");
  });

  test.each([
    ["bd-14", "ada", "lease1_bd-14_ada"],
    ["bd-14", "worker.1", "lease1_bd-14_worker_1"],
    ["BD 1", "  Ada Lovelace. ", "lease1_bd_1_ada_lovelace"],
    ["é", "…", "lease1_anon_anon"],
  ])("of %s and %s is called %s when nobody names it [RUNTIME-7.5]", (issueId, assignee, leaseId) => {
    expect(defaultLeaseId(issueId, assignee)).toBe(leaseId);
  });

  test.each([
    ["in progress and its owner's", {}, false],
    ["open", { status: "open" }, true],
    ["somebody else's", { assignee: "bob" }, true],
  ])("on an issue that is %s: contended %s", (_name, change, contended) => {
    expect(isContended(read(heldBy("ada", 60, change)), nowMs)).toBe(contended);
    expect(isContended(read(heldBy("ada", 0, change)), nowMs)).toBe(false);
  });
});

describe("the term of a lease", () => {
  test.each<[LeaseTerm, string]>([
    [{}, later(3_600)],
    [{ leaseTtlSeconds: 30 }, later(30)],
    [{ leaseTtlSeconds: 86_400 }, later(86_400)],
    [{ leaseExpiresAt: "2026-01-31T10:00:00.001Z" }, "2026-01-31T10:00:00.001Z"],
    [{ leaseExpiresAt: " 2026-01-31T12:30:00+02:00 " }, "2026-01-31T10:30:00Z"],
    [{ leaseExpiresAt: "9999-12-31T23:59:59Z" }, "9999-12-31T23:59:59Z"],
  ])("%j ends at %s", (term, end) => {
    expect(termEnd(term, nowMs)).toBe(end);
  });

  test.each<[LeaseTerm, string]>([
    [{ leaseTtlSeconds: 29 }, "lease_invalid_ttl"],
    [{ leaseTtlSeconds: 86_401 }, "lease_invalid_ttl"],
    [{ leaseTtlSeconds: 60.5 }, "lease_invalid_ttl"],
    [{ leaseTtlSeconds: Number.NaN }, "lease_invalid_ttl"],
    [{ leaseTtlSeconds: -60 }, "lease_invalid_ttl"],
    [{ leaseExpiresAt: "2026-01-31T10:00:00Z" }, "lease_invalid_expires_at"],
    [{ leaseExpiresAt: "2026-01-31T09:59:59.999Z" }, "lease_invalid_expires_at"],
    [{ leaseExpiresAt: "tomorrow" }, "lease_invalid_expires_at"],
    [{ leaseExpiresAt: "" }, "lease_invalid_expires_at"],
    [{ leaseExpiresAt: "9999-12-31T23:59:59-01:00" }, "lease_invalid_expires_at"],
    [{ leaseTtlSeconds: 60, leaseExpiresAt: later(60) }, "lease_binding_ambiguous"],
    [{ leaseTtlSeconds: 1, leaseExpiresAt: "no" }, "lease_binding_ambiguous"],
  ])("%j is refused: %s", (term, failureClass) => {
    expect(termEnd(term, nowMs)).toMatchObject({ refused: failureClass });
  });
});

describe("a claim", () => {
  it("of a free issue makes a lease, and the fence grows [RUNTIME-7.5]", () => {
    expect(claiming(rowOf({ fence: 7, closed_at: later(-5) }), { assignee: " ada " })).toMatchObject({
      status: "in_progress",
      assignee: "ada",
      fence: 8,
      lease: { leaseId: "lease1_bd-1_ada", owner: "ada", acquiredAt: later(0), expiresAt: later(3_600) },
      updatedAt: later(0),
    });
  });

  it("of what is one's own goes on with the lease under its id, and the fence grows", () => {
    const claimed = claiming(heldBy("ada"), { ...ada, leaseId: "other", leaseTtlSeconds: 90 });
    expect(claimed).toMatchObject({
      fence: 4,
      lease: { leaseId: "l-ada", acquiredAt: later(-60), expiresAt: later(90), renewedAt: later(0) },
    });
  });

  it("of what somebody let lapse begins a new lease", () => {
    expect(claiming(heldBy("ada", 0), { ...bob, leaseId: "mine" })).toMatchObject({
      assignee: "bob",
      fence: 4,
      lease: { leaseId: "mine", owner: "bob", acquiredAt: later(0) },
    });
    const again = claiming(heldBy("ada", 0), ada);
    expect(again).toMatchObject({ lease: { leaseId: "lease1_bd-1_ada", acquiredAt: later(0) } });
    expect(again).not.toHaveProperty("lease.renewedAt");
  });

  test.each<[string, JsonObject, ClaimRequest]>([
    ["lease_invalid_assignee", rowOf({ status: "closed" }), { assignee: " " }],
    ["issue_claim_closed", heldBy("ada", 60, { status: "closed" }), { ...bob, leaseTtlSeconds: 1 }],
    ["lease_contention_active", heldBy("ada", 0.001), { ...bob, leaseTtlSeconds: 1 }],
    ["issue_already_claimed", rowOf(ada), { ...bob, leaseTtlSeconds: 1 }],
    ["lease_invalid_ttl", rowOf({ fence: 3 }), { ...bob, leaseTtlSeconds: 1, fence: 2 }],
    ["lease_fence_stale", rowOf({ fence: 3 }), { ...bob, fence: 2 }],
  ])("is refused, %s before what comes after it", (failureClass, row, request) => {
    expect(claiming(row, request)).toBe(failureClass);
  });

  it("keeps members that we do not know, in the row and in a lease that goes on", () => {
    const text = `{"id":"bd-1","title":"t","n":18446744073709551615,"status":"in_progress","assignee":"ada","lease":{"host":1.0,"lease_id":"l","owner":"ada","acquired_at":"2026-01-31T09:00:00Z","expires_at":"2026-01-31T11:00:00Z"},"claims":[{"request_id":"r","fence":1,"lease":{"lease_id":"l","owner":"ada","acquired_at":"2026-01-31T09:00:00Z","expires_at":"2026-01-31T11:00:00Z"},"by":1e2}]}`;
    const issue = read(JSON.parse(text) as JsonObject);
    const change = claim(issue, text, { ...ada, requestId: "r-2" }, nowMs);
    if (isRefusal(change)) throw new Error(change.message);
    const row = patchRow("bd-1", text, change.patch).text;
    expect(row).toContain(`"n":18446744073709551615`);
    expect(row).toContain(`"lease":{"host":1.0,`);
    expect(row).toContain(`"by":1e2}`);
    expect(read(JSON.parse(row) as JsonObject).claims.map(({ requestId }) => requestId)).toEqual([
      "r",
      "r-2",
    ]);
  });

  it("remembers the last eight request ids", () => {
    let row = rowOf();
    for (let i = 1; i <= 12; i++) {
      const change = claim(read(row), JSON.stringify(row), { ...ada, requestId: `r-${i}` }, nowMs);
      if (isRefusal(change)) throw new Error(change.message);
      row = JSON.parse(patchRow("bd-1", JSON.stringify(row), change.patch).text) as JsonObject;
    }
    const { claims, fence } = read(row);
    expect(claims.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 8 }, (_, i) => `r-${i + 5}`),
    );
    expect([fence, claims.at(-1)?.fence]).toEqual([12, 12]);
  });
});

describe("a renewal", () => {
  const mine = { ...ada, leaseId: "l-ada" };

  it("moves the end and leaves the fence", () => {
    const row = heldBy("ada", 0.001, { status: "open", assignee: "bob" });
    expect(renewing(row, { ...mine, leaseTtlSeconds: 30, fence: 3 })).toMatchObject({
      status: "in_progress",
      assignee: "ada",
      fence: 3,
      lease: { leaseId: "l-ada", acquiredAt: later(-60), expiresAt: later(30), renewedAt: later(0) },
    });
  });

  test.each<[string, JsonObject, RenewRequest]>([
    ["lease_invalid_assignee", rowOf(), { ...mine, assignee: "" }],
    ["lease_missing", rowOf({ status: "closed" }), { ...mine, leaseTtlSeconds: 1 }],
    ["lease_invalid_ttl", heldBy("ada", 0, { status: "closed" }), { ...mine, leaseTtlSeconds: 1 }],
    ["lease_issue_closed", heldBy("ada", 0, { status: "closed" }), mine],
    ["lease_stale", heldBy("ada", 0), { ...bob, leaseId: "x" }],
    ["lease_owner_mismatch", heldBy("ada"), { ...bob, leaseId: "x" }],
    ["lease_id_mismatch", heldBy("ada"), { ...ada, leaseId: " ", fence: 2 }],
    ["lease_fence_stale", heldBy("ada"), { ...mine, fence: 2 }],
    ["lease_fence_stale", heldBy("ada"), { ...mine, fence: 4 }],
  ])("is refused, %s before what comes after it", (failureClass, row, request) => {
    expect(renewing(row, request)).toBe(failureClass);
  });

  it("is possible again when the clock was set back", () => {
    expect(renewing(heldBy("ada", 0), mine, nowMs)).toBe("lease_stale");
    expect(renewing(heldBy("ada", 0), mine, nowMs - 1)).toMatchObject({ status: "in_progress" });
  });
});

describe("a release", () => {
  test.each<[string, JsonObject, ReleaseRequest, string]>([
    ["by its owner", heldBy("ada"), ada, "open"],
    ["by its id", heldBy("ada"), { leaseId: "l-ada" }, "open"],
    ["by its fence", heldBy("ada"), { fence: 3 }, "open"],
    ["by nobody, as the vectors have it", heldBy("ada"), { assignee: " " }, "open"],
    ["of a stale lease", heldBy("ada", 0), ada, "open"],
    ["of a closed issue", heldBy("ada", 60, { status: "closed" }), ada, "closed"],
    ["of a blocked issue", heldBy("ada", 60, { status: "blocked" }), ada, "blocked"],
  ])("%s leaves no lease and no assignee, and the fence", (_name, row, request, status) => {
    const released = releasing(row, request);
    expect(released).toMatchObject({ status, assignee: "", fence: 3 });
    expect(released).not.toHaveProperty("lease");
  });

  it("of nothing changes nothing", () => {
    expect(release(read(rowOf()), {}, nowMs)).toEqual({ changed: false, patch: {} });
  });

  test.each<[string, JsonObject, ReleaseRequest]>([
    ["lease_missing", rowOf(), ada],
    ["lease_missing", rowOf(), { leaseId: "x" }],
    ["lease_fence_stale", rowOf({ fence: 3 }), { fence: 2 }],
    ["lease_owner_mismatch", heldBy("ada"), { ...bob, leaseId: "x" }],
    ["lease_id_mismatch", heldBy("ada"), { leaseId: "x", fence: 2 }],
    ["lease_fence_stale", heldBy("ada"), { ...ada, fence: 2 }],
  ])("is refused: %s", (failureClass, row, request) => {
    expect(releasing(row, request)).toBe(failureClass);
  });
});

describe("a change of an issue that is held", () => {
  test.each<[string, JsonObject, Asker, string | undefined]>([
    ["its holder", heldBy("ada"), { actor: " ada " }, undefined],
    ["whoever names the last fence", heldBy("ada"), { fence: 3 }, undefined],
    ["anybody, once the lease has ended", heldBy("ada", 0), {}, undefined],
    ["anybody, without a lease", rowOf(), {}, undefined],
    ["nobody else", heldBy("ada"), { actor: "bob" }, "lease_contention_active"],
    ["nobody who does not say who", heldBy("ada"), {}, "lease_contention_active"],
    ["no holder with an old fence", heldBy("ada"), { actor: "ada", fence: 2 }, "lease_fence_stale"],
    ["nobody by a fence of the future", heldBy("ada"), { fence: 4 }, "lease_fence_stale"],
    ["nobody by fence 0", heldBy("ada", 60, { fence: 0 }), { fence: 0 }, "lease_contention_active"],
  ])("may be made by %s", (_name, row, asker, failureClass) => {
    expect(guardHolder(read(row), asker, nowMs)?.refused).toBe(failureClass);
  });
});
