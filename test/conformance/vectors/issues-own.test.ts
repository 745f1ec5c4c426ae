/** Our own small vectors in the public form: every class, and the cases between the public ones. */
import type { JsonObject } from "@bridle/record";
import { vectorDigest } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { coverageOf, disagreement, evaluate, invarianceGroups } from "./issues/evaluate.js";
import type { Vector } from "./issues/types.js";

const capabilityId = "capabilities.own";
const nowUnixMs = 1_000_000;

function vector(mode: string, artifacts: JsonObject, more: Partial<Vector> = {}): Vector {
  const request = { mode, claimedCapabilities: [capabilityId] };
  return { capabilityId, vectorId: "golden/own", artifacts: { request, nowUnixMs, ...artifacts }, ...more };
}

/** Accepted when no class is named. */
async function comesTo(given: Vector, failureClass: string | undefined): Promise<void> {
  const verdict = await evaluate(given);
  const expected =
    failureClass === undefined
      ? { result: "accepted", expectedFailureClasses: [] }
      : { result: "rejected", expectedFailureClasses: failureClass.split(" and ") };
  expect(disagreement(verdict, expected)).toBeUndefined();
}

type Row<Given = JsonObject> = readonly [name: string, given: Given, failureClass?: string];

function each<Given>(rows: readonly Row<Given>[], vectorOf: (given: Given) => Vector): void {
  for (const [name, given, failureClass] of rows) test(name, () => comesTo(vectorOf(given), failureClass));
}

const lease = { leaseId: "l-1", owner: "ada", expiresAtUnixMs: 4_600_000 };
const held = { id: "bd-1", status: "in_progress", assignee: "ada", lease };
const stale = { ...held, lease: { ...lease, expiresAtUnixMs: nowUnixMs } };
const free = { id: "bd-1", status: "open" };
const ada = { assignee: "ada" };
const bob = { assignee: "bob" };
const after = (owner: string, leaseId: string, more: JsonObject = {}): JsonObject => ({
  status: "in_progress",
  assignee: owner,
  lease: { leaseId, owner, state: "active", ...more },
});

describe("issue_claim", () => {
  const rows: readonly Row[] = [
    ["a free issue", { issueBefore: free, claim: ada, expectedAfter: after("ada", "lease1_bd-1_ada") }],
    [
      "the default lasts an hour",
      {
        issueBefore: free,
        claim: ada,
        expectedAfter: after("ada", "lease1_bd-1_ada", { expiresAtUnixMs: nowUnixMs + 3_600_000 }),
      },
    ],
    [
      "a time to live",
      {
        issueBefore: free,
        claim: { ...ada, leaseTtlSeconds: 30 },
        expectedAfter: after("ada", "lease1_bd-1_ada", { expiresAtUnixMs: nowUnixMs + 30_000 }),
      },
    ],
    [
      "a stale lease is taken over",
      { issueBefore: stale, claim: bob, expectedAfter: after("bob", "lease1_bd-1_bob") },
    ],
    [
      "a stale lease of one's own gets a new id",
      { issueBefore: stale, claim: { ...ada, leaseId: "l-2" }, expectedAfter: after("ada", "l-2") },
    ],
    [
      "an active lease of one's own without an id gets the one that is asked for",
      {
        issueBefore: { ...held, lease: { owner: "ada", expiresAtUnixMs: 4_600_000 } },
        claim: { ...ada, leaseId: "l-2" },
        expectedAfter: after("ada", "l-2"),
      },
    ],
    ["assigned to oneself without a lease", { issueBefore: { ...free, ...ada }, claim: ada }],
    ["an issue that is set to blocked", { issueBefore: { ...free, status: "blocked" }, claim: ada }],
    ["closed", { issueBefore: { ...held, status: "closed" }, claim: bob }, "issue_claim_closed"],
    ["held by another", { issueBefore: held, claim: bob }, "lease_contention_active"],
    [
      "held by another, before the term is looked at",
      { issueBefore: held, claim: { ...bob, leaseTtlSeconds: 1 } },
      "lease_contention_active",
    ],
    [
      "assigned to another without a lease",
      { issueBefore: { ...free, ...ada }, claim: bob },
      "issue_already_claimed",
    ],
    ["too long", { issueBefore: free, claim: { ...ada, leaseTtlSeconds: 86_401 } }, "lease_invalid_ttl"],
    [
      "half a second more",
      { issueBefore: free, claim: { ...ada, leaseTtlSeconds: 60.5 } },
      "lease_invalid_ttl",
    ],
    [
      "an end that is now",
      { issueBefore: free, claim: { ...ada, leaseExpiresAtUnixMs: nowUnixMs } },
      "lease_invalid_expires_at",
    ],
    [
      "an end that is no time",
      { issueBefore: free, claim: { ...ada, leaseExpiresAtUnixMs: "soon" } },
      "lease_invalid_expires_at",
    ],
    [
      "both",
      { issueBefore: free, claim: { ...ada, leaseTtlSeconds: 60, leaseExpiresAtUnixMs: 2_000_000 } },
      "lease_binding_ambiguous",
    ],
    ["blank", { issueBefore: free, claim: { assignee: " " } }, "lease_invalid_assignee"],
    ["no issue", { claim: ada }, "lease_not_found"],
    [
      "another outcome than expected",
      { issueBefore: free, claim: ada, expectedAfter: { status: "open" } },
      "issue_claim_transition_mismatch",
    ],
    [
      "another state than expected",
      { issueBefore: free, claim: ada, expectedAfter: { lease: { state: "stale" } } },
      "issue_claim_transition_mismatch",
    ],
  ];
  each(rows, (artifacts) => vector("issue_claim", artifacts));
});

describe("issue_lease_renew", () => {
  const mine = { ...ada, leaseId: "l-1" };
  const rows: readonly Row[] = [
    [
      "one's own",
      {
        issueBefore: { ...held, lease: { ...lease, acquiredAtUnixMs: 500_000 } },
        renew: { ...mine, leaseTtlSeconds: 60 },
        expectedAfter: after("ada", "l-1", {
          expiresAtUnixMs: nowUnixMs + 60_000,
          acquiredAtUnixMs: 500_000,
          renewedAtUnixMs: nowUnixMs,
        }),
      },
    ],
    [
      "a contended one is set right",
      {
        issueBefore: { ...held, status: "open", assignee: "" },
        renew: mine,
        expectedAfter: after("ada", "l-1"),
      },
    ],
    [
      "none, before the term is looked at",
      { issueBefore: free, renew: { ...mine, leaseTtlSeconds: 1 } },
      "lease_missing",
    ],
    [
      "the term, before it is seen to be closed",
      { issueBefore: { ...held, status: "closed" }, renew: { ...mine, leaseTtlSeconds: 1 } },
      "lease_invalid_ttl",
    ],
    [
      "closed, before it is seen to be stale",
      { issueBefore: { ...stale, status: "closed" }, renew: mine },
      "lease_issue_closed",
    ],
    [
      "stale, before the owner is looked at",
      { issueBefore: stale, renew: { ...mine, ...bob } },
      "lease_stale",
    ],
    [
      "another's, before its id is looked at",
      { issueBefore: held, renew: { ...bob, leaseId: "l-2" } },
      "lease_owner_mismatch",
    ],
    ["another id", { issueBefore: held, renew: { ...ada, leaseId: "l-2" } }, "lease_id_mismatch"],
    ["no id", { issueBefore: held, renew: ada }, "lease_id_mismatch"],
    [
      "both",
      { issueBefore: held, renew: { ...mine, leaseTtlSeconds: 60, leaseExpiresAtUnixMs: 2_000_000 } },
      "lease_binding_ambiguous",
    ],
    [
      "another outcome than expected",
      { issueBefore: held, renew: mine, expectedAfter: after("bob", "l-1") },
      "issue_lease_renew_transition_mismatch",
    ],
  ];
  each(rows, (artifacts) => vector("issue_lease_renew", artifacts));
});

describe("issue_lease_release", () => {
  const gone = { status: "open", assignee: "", lease: null };
  const rows: readonly Row[] = [
    ["one's own", { issueBefore: held, release: { ...ada, leaseId: "l-1" }, expectedAfter: gone }],
    ["without saying whose", { issueBefore: held, release: {}, expectedAfter: gone }],
    ["a stale one", { issueBefore: stale, release: ada, expectedAfter: gone }],
    [
      "of a closed issue, which stays closed",
      {
        issueBefore: { ...held, status: "closed" },
        release: ada,
        expectedAfter: { ...gone, status: "closed" },
      },
    ],
    ["none, and none is expected", { issueBefore: free, release: {}, expectedAfter: gone }],
    ["none, but an owner is named", { issueBefore: free, release: ada }, "lease_missing"],
    ["none, but an id is named", { issueBefore: free, release: { leaseId: "l-1" } }, "lease_missing"],
    [
      "another's, before its id is looked at",
      { issueBefore: held, release: { ...bob, leaseId: "x" } },
      "lease_owner_mismatch",
    ],
    ["another id", { issueBefore: held, release: { leaseId: "x" } }, "lease_id_mismatch"],
    [
      "another outcome than expected",
      { issueBefore: held, release: ada, expectedAfter: { ...gone, lease } },
      "issue_lease_release_transition_mismatch",
    ],
  ];
  each(rows, (artifacts) => vector("issue_lease_release", artifacts));
});

describe("issue_ready_blocked", () => {
  const waits = (id: string, dependsOnId: string, type = "blocks", status = "open"): JsonObject => ({
    id,
    status,
    dependencies: [{ dependsOnId, type }],
  });
  const issues = (...list: JsonObject[]) => ({ issues: list });
  const sets = (ready: string[], blocked: string[]) => ({
    expectedReadyIds: ready,
    expectedBlockedIds: blocked,
  });
  const done = { id: "done", status: "closed" };
  const rows: readonly Row[] = [
    ["a closed blocker lets it go", { ...issues(done, waits("a", "done")), ...sets(["a"], []) }],
    ["a missing blocker holds it", { ...issues(waits("a", "nowhere")), ...sets([], ["a"]) }],
    [
      "every kind that blocks, of which a parent that waits for nothing is none",
      {
        ...issues(
          { id: "x", status: "open" },
          ...["blocks", "parent-child", "conditional-blocks", "waits-for"].map((type) =>
            waits(type, "x", type),
          ),
        ),
        ...sets(["parent-child", "x"], ["blocks", "conditional-blocks", "waits-for"]),
      },
    ],
    [
      "no other kind",
      {
        ...issues(
          { id: "x", status: "open" },
          ...["related", "discovered-from", "relates-to", "duplicates", "supersedes", "replies-to"].map(
            (type) => waits(type, "x", type),
          ),
        ),
        ...sets(
          ["x", "related", "discovered-from", "relates-to", "duplicates", "supersedes", "replies-to"],
          [],
        ),
      },
    ],
    [
      "a circle waits for itself",
      { ...issues(waits("a", "b"), waits("b", "a"), waits("c", "c")), ...sets([], ["a", "b", "c"]) },
    ],
    ["set to blocked is neither", { ...issues({ id: "a", status: "blocked" }), ...sets([], []) }],
    [
      "in progress with an open blocker is blocked",
      { ...issues({ id: "x" }, waits("a", "x", "blocks", "in_progress")), ...sets(["x"], ["a"]) },
    ],
    [
      "closed with an open blocker is neither",
      { ...issues({ id: "x" }, waits("a", "x", "blocks", "closed")), ...sets(["x"], []) },
    ],
    [
      "the last row of an id counts",
      { ...issues({ id: "a", status: "open" }, { id: "a", status: "closed" }), ...sets([], []) },
    ],
    [
      "the same blocker twice",
      {
        ...issues(
          { id: "x", status: "closed" },
          {
            id: "a",
            status: "open",
            dependencies: [
              { dependsOnId: "x", type: "blocks" },
              { dependsOnId: "x", type: "waits-for" },
            ],
          },
        ),
        ...sets(["a"], []),
      },
    ],
    ["order does not matter", { ...issues({ id: "b" }, { id: "a" }), ...sets(["b", "a"], []) }],
    ["no issues", { ...issues(), ...sets([], []) }],
    ["another ready set", { ...issues({ id: "a" }), ...sets([], []) }, "issue_ready_set_mismatch"],
    ["another blocked set", { ...issues(waits("a", "x")), ...sets([], []) }, "issue_blocked_set_mismatch"],
  ];
  each(rows, (artifacts) => vector("issue_ready_blocked", artifacts));
});

describe("issue_lease_projection", () => {
  const sets = (staleIds: string[], contendedIds: string[]) => ({
    expectedStaleIssueIds: staleIds,
    expectedContendedIssueIds: contendedIds,
  });
  const issues = [
    held,
    { ...stale, id: "bd-2" },
    { ...held, id: "bd-3", assignee: "bob" },
    { ...stale, id: "bd-4", status: "open" },
    free,
  ];
  const rows: readonly Row[] = [
    [
      "each where it belongs",
      { issues: [...issues.slice(0, 4), { ...free, id: "bd-5" }], ...sets(["bd-4", "bd-2"], ["bd-3"]) },
    ],
    ["another stale set", { issues: [stale], ...sets([], []) }, "lease_stale_set_mismatch"],
    ["another contended set", { issues: [held], ...sets([], ["bd-1"]) }, "lease_contended_set_mismatch"],
  ];
  each(rows, (artifacts) => vector("issue_lease_projection", artifacts));
});

describe("issue_discover", () => {
  const parent = { existingIssues: [{ id: "bd-1" }, { id: "bd-2" }], parentIssue: { id: "bd-1" } };
  const found = { discoveredIssue: { id: "bd-9", title: "Found" } };
  const expectedDependency = { issueId: "bd-9", dependsOnId: "bd-1", type: "discovered-from" };
  const rows: readonly Row[] = [
    ["is linked, and nothing is lost", { ...parent, ...found, expectedDependency, expectedTotalIssues: 3 }],
    ["no parent", { ...parent, ...found, parentIssue: { id: "bd-7" } }, "issue_discover_parent_missing"],
    [
      "no parent, before the id is looked at",
      { ...parent, parentIssue: { id: "bd-7" }, discoveredIssue: { id: "bd-1" } },
      "issue_discover_parent_missing",
    ],
    [
      "an id that is taken",
      { ...parent, discoveredIssue: { id: "bd-2", title: "x" } },
      "issue_discover_id_conflict",
    ],
    [
      "another link",
      { ...parent, ...found, expectedDependency: { ...expectedDependency, type: "blocks" } },
      "issue_discover_link_mismatch",
    ],
    [
      "another number of issues",
      { ...parent, ...found, expectedDependency, expectedTotalIssues: 2 },
      "issue_discover_non_loss_violation",
    ],
  ];
  each(rows, (artifacts) => vector("issue_discover", artifacts));
});

describe("issue_event_replay_cache", () => {
  const events = [{ schema: "issue.event.v1", action: "upsert_issue", issue: { id: "bd-1" } }];
  const snapshot = { issues: [{ id: "bd-1" }] };
  const refs = { eventStreamRef: vectorDigest("ev1_", events), snapshotRef: vectorDigest("iss1_", snapshot) };
  const rows: readonly Row[] = [
    ["both refs hit", { events, snapshot, ...refs, cacheEntry: refs, expectedCacheHit: true }],
    ["no entry misses", { events, snapshot, ...refs, cacheEntry: null, expectedCacheHit: false }],
    [
      "another snapshot misses",
      { events, snapshot, ...refs, cacheEntry: { ...refs, snapshotRef: "iss1_0" }, expectedCacheHit: false },
    ],
    [
      "a hit that is none",
      { events, snapshot, ...refs, cacheEntry: { ...refs, eventStreamRef: "ev1_0" }, expectedCacheHit: true },
      "issue_event_replay_cache_hit_mismatch",
    ],
    [
      "a miss that is none",
      { events, snapshot, ...refs, cacheEntry: refs, expectedCacheHit: false },
      "issue_event_replay_cache_hit_mismatch",
    ],
    [
      "another event ref",
      { events, snapshot, ...refs, eventStreamRef: "ev1_0" },
      "issue_event_replay_ref_mismatch",
    ],
  ];
  each(rows, (artifacts) => vector("issue_event_replay_cache", artifacts));
});

describe("harness recovery", () => {
  const lineageRefs = [
    "ctx://issue/bd-1/a",
    "cover://worker-loop/bd-1/b",
    "refinement://worker-loop/bd-1/w.1/c",
  ];
  const [ctx, cover, refinement] = lineageRefs as [string, string, string];
  interface Changes {
    readonly session?: JsonObject;
    readonly bootstrap?: JsonObject;
    readonly stop?: JsonObject;
    readonly row?: JsonObject;
  }
  const harness = ({ session, bootstrap, stop, row }: Changes = {}): Vector => ({
    capabilityId,
    vectorId: "golden/own",
    artifacts: {
      claimedCapabilities: [capabilityId],
      harness: {
        session: {
          stateBefore: "stopped",
          bootstrap: { mode: "resume", lineageRefs, ...bootstrap },
          ...session,
        },
        stop: {
          issueId: "bd-1",
          leaseState: "stale",
          sessionStateAfter: "stopped",
          recommendedAction: "issue_claim",
          trajectoryRow: {
            stepKind: "premath.harness.step.v1",
            lineageRefs: lineageRefs.toReversed(),
            witnessRefs: ["lease://handoff/bd-1/stale/abc"],
            ...row,
          },
          ...stop,
        },
      },
    },
  });
  const both = (...refs: string[]): Changes => ({
    bootstrap: { lineageRefs: refs },
    row: { lineageRefs: refs },
  });

  const rows: readonly Row<Changes>[] = [
    ["a stopped session is resumed", {}],
    ["an active one is resumed", { session: { stateBefore: "active" } }, "harness_bootstrap_mode_mismatch"],
    ["a stopped one is attached to", { bootstrap: { mode: "attach" } }, "harness_bootstrap_mode_mismatch"],
    ["it goes on after the stop", { stop: { sessionStateAfter: "active" } }, "harness_stop_state_invalid"],
    [
      "a stale lease is renewed",
      { stop: { recommendedAction: "issue_lease_renew" } },
      "harness_recovery_action_mismatch",
    ],
    [
      "a state that is none: every class that applies is named",
      { stop: { leaseState: "fine" } },
      "harness_recovery_action_mismatch and harness_handoff_lease_ref_mismatch",
    ],
    ["another kind of row", { row: { stepKind: "step" } }, "harness_trajectory_kind_invalid"],
    ["no lineage", both(), "harness_lineage_ref_missing"],
    ["no refinement in the row", { row: { lineageRefs: [ctx, cover] } }, "harness_lineage_ref_missing"],
    ["half a ref", both("ctx://issue/bd-1", cover, refinement), "harness_lineage_ref_malformed"],
    ["another issue", both("ctx://issue/bd-2/a", cover, refinement), "harness_lineage_ref_mismatch"],
    [
      "two lineages",
      { row: { lineageRefs: ["ctx://issue/bd-1/z", cover, refinement] } },
      "harness_lineage_ref_mismatch",
    ],
    ["no lease ref", { row: { witnessRefs: ["ci://1"] } }, "harness_handoff_lease_ref_missing"],
    [
      "half a lease ref",
      { row: { witnessRefs: ["lease://handoff/bd-1/stale"] } },
      "harness_handoff_lease_ref_malformed",
    ],
    [
      "the lease of another issue",
      { row: { witnessRefs: ["lease://handoff/bd-2/stale/abc"] } },
      "harness_handoff_lease_ref_mismatch",
    ],
    [
      "another state of the lease",
      { row: { witnessRefs: ["lease://handoff/bd-1/active/abc"] } },
      "harness_handoff_lease_ref_mismatch",
    ],
  ];
  each(rows, harness);

  test.each([
    ["active", "issue_lease_renew"],
    ["stale", "issue_claim"],
    ["contended", "stop"],
    ["released", "issue_claim"],
    ["unleased", "issue_claim"],
  ])("%s: %s", async (leaseState, recommendedAction) => {
    const witnessRefs = [`lease://handoff/bd-1/${leaseState}/abc`];
    await comesTo(
      harness({
        stop: {
          leaseState,
          recommendedAction,
          trajectoryRow: {
            stepKind: "premath.harness.step.v1",
            lineageRefs,
            witnessRefs,
          },
        },
      }),
      undefined,
    );
  });
});

describe("the claim of the capability", () => {
  const unclaimed = (more: Partial<Vector> = {}) =>
    vector(
      "issue_claim",
      { request: { mode: "issue_claim", claimedCapabilities: [] }, issueBefore: free, claim: ada },
      more,
    );

  test("is asked for, whatever the mode", async () => {
    await comesTo(unclaimed(), "capability_not_claimed");
    await comesTo(
      vector("issue_claim", { request: { mode: "issue_claim" }, issueBefore: free, claim: ada }),
      "capability_not_claimed",
    );
    const elsewhere = vector("x", { request: { mode: "elsewhere", claimedCapabilities: ["other"] } });
    expect(coverageOf(elsewhere)).toBe("claim");
    await comesTo(elsewhere, "capability_not_claimed");
  });

  test("is not asked for in a local profile", async () => {
    await comesTo(unclaimed({ profile: "local" }), undefined);
  });
});

test("a vector with a member that nothing here judges is not covered, and never passes", () => {
  const judged = vector("issue_ready_blocked", { issues: [], expectedReadyIds: [], expectedBlockedIds: [] });
  expect(coverageOf(judged)).toBe("mode");
  for (const name of ["crossLaneRoute", "expectedLocRef", "somethingNew"]) {
    const more: Vector = { ...judged, artifacts: { ...judged.artifacts, [name]: "loc1_x" } };
    expect([name, coverageOf(more)]).toEqual([name, "none"]);
  }
});

test("a mode that we have no code for is not covered, and never passes", async () => {
  const elsewhere = vector("required_projection", {});
  expect(coverageOf(elsewhere)).toBe("none");
  await expect(evaluate(elsewhere)).rejects.toThrow("no code for required_projection");
});

test("invariance vectors are compared by scenario", () => {
  const of = (vectorId: string, semanticScenarioId: string) =>
    vector("issue_claim", {}, { vectorId, semanticScenarioId });
  const groups = invarianceGroups([
    of("invariance/a", "s"),
    of("invariance/b", "s"),
    of("golden/c", "s"),
    of("invariance/d", "t"),
  ]);
  expect(groups.map(({ vectors }) => vectors.map(({ vectorId }) => vectorId))).toEqual([
    ["invariance/a", "invariance/b"],
    ["invariance/d"],
  ]);
});
