import type { JsonObject } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { escalate } from "../evidence/escalation.js";
import { decideRetry } from "../evidence/retry-decision.js";
import { parseRetryPolicy, type RetryPolicy } from "../evidence/retry-policy.js";
import { sealedDigest } from "../seal.js";
import { decideClaim } from "../memory/claim.js";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import { addIssue } from "../memory/edit/add.js";
import { MemoryIssues } from "../store/memory-issues.js";
import { attentionReasons } from "./attention.js";
import { observationOf, type Witnesses } from "./observation.js";

const noon = Date.UTC(2026, 0, 31, 12);
const nothing: Witnesses = { instructions: [] };
const required: JsonObject = {
  ...{ witnessKind: "ci.required.v1", projectionDigest: "proj1_a", typedCoreProjectionDigest: "ev1_a" },
  ...{ policyDigest: "pol1_a", verdictClass: "accepted", failureClasses: [], changedPaths: ["a", "b"] },
  ...{ requiredChecks: ["test", "lint"], executedChecks: ["test"], runFinishedAt: "2026-01-31T11:00:00Z" },
};
const decision: JsonObject = {
  decision: "accept",
  reasonClass: "verified_accept",
  projectionDigest: "proj1_a",
};
const instruction = (more: JsonObject): JsonObject => ({
  ...{ witnessKind: "ci.instruction.v1", instructionId: "20260131-x", verdictClass: "accepted" },
  ...{ instructionClassification: { state: "typed", kind: "ci.gate.check" }, policyDigest: "pol1_i" },
  ...{ runFinishedAt: "2026-01-31T10:00:00Z", ...more },
});
const seen = (witnesses: Partial<Witnesses>, graph?: IssueGraph, nowMs = noon) =>
  observationOf({ witnesses: { ...nothing, ...witnesses }, graph, nowMs });

function graphOf(...rows: JsonObject[]): IssueGraph {
  const graph = new IssueGraph();
  for (const [i, row] of rows.entries())
    graph.put(new IssueNode(String(row["id"]), row, JSON.stringify(row), i + 1));
  return graph;
}

describe("the state", () => {
  it.each<[string, Partial<Witnesses>, string, string | null]>([
    ["nothing ran", {}, "empty", null],
    ["checks ran and nobody decided", { required }, "running", null],
    [
      "checks failed",
      { required: { ...required, verdictClass: "rejected", failureClasses: ["check_failed"] } },
      "rejected",
      "check_failed",
    ],
    ["accepted", { required, decision }, "accepted", null],
    [
      "rejected by the decision",
      { required, decision: { ...decision, decision: "reject", reasonClass: "verification_reject" } },
      "rejected",
      "verification_reject",
    ],
    ["a decision that is none", { decision: { decision: "maybe" } }, "error", "rejected_without_reason"],
    ["an instruction alone", { instructions: [instruction({})] }, "running", null],
  ])("of: %s", (_what, witnesses, state, topFailureClass) => {
    const { summary } = seen(witnesses);
    expect(summary).toMatchObject({ state, topFailureClass });
    expect(summary.needsAttention).toBe(topFailureClass !== null);
  });

  it("counts what ran and what changed", () => {
    expect(seen({ required, decision }).summary).toMatchObject({
      ...{ requiredCheckCount: 2, executedCheckCount: 1, changedPathCount: 2 },
      ...{ latestProjectionDigest: "proj1_a", latestInstructionId: null },
    });
  });
});

describe("what needs somebody", () => {
  const reasonsOf = (...given: Parameters<typeof seen>) =>
    seen(...given).attention.map(({ reason }) => reason);

  it("is nothing where all is well", () => {
    expect(reasonsOf({ required, decision, instructions: [instruction({})] }, graphOf())).toEqual([]);
  });

  it.each<[string, Partial<Witnesses>, string]>([
    ["another policy", { required, decision: { ...decision, policyDigest: "pol1_b" } }, "policy_drift"],
    [
      "another projection",
      { required, decision: { ...decision, projectionDigest: "proj1_b" } },
      "policy_drift",
    ],
    [
      "instructions of two policies",
      { instructions: [instruction({}), instruction({ policyDigest: "pol1_j" })] },
      "policy_drift",
    ],
    [
      "an instruction of no kind",
      { instructions: [instruction({ instructionClassification: { state: "unknown" } })] },
      "instruction_unknown_classification",
    ],
    [
      "a proposal that was rejected",
      { instructions: [instruction({ rejectStage: "proposal_discharge", failureClasses: ["ext_gap"] })] },
      "proposal_reject_classes_present",
    ],
  ])("%s", (_what, witnesses, reason) => {
    expect(reasonsOf(witnesses)).toContain(reason);
    expect(seen(witnesses).summary.coherence.attentionReasons).toContain(reason);
  });

  const row = (id: string, more: JsonObject = {}): JsonObject => ({ id, title: id, status: "open", ...more });
  const lease = { lease_id: "l-1", owner: "ann", acquired_at: "2026-01-31T10:00:00Z" };

  it("a claim that somebody left, by the clock, although nothing else was written since", () => {
    const left = row("bd-1", {
      ...{ status: "in_progress", assignee: "ann" },
      lease: { ...lease, expires_at: "2026-01-31T11:00:00Z" },
    });
    expect(reasonsOf({}, graphOf(left), noon - 2 * 60 * 60 * 1000)).toEqual([]);
    expect(seen({}, graphOf(left)).attention).toEqual([
      {
        ...{ reason: "stale_claims", says: "bd-1 was left by ann", since: "2026-01-31T11:00:00Z" },
        command: "premath issue claim bd-1 --assignee <you>",
      },
    ]);
  });

  it("a lease on what is somebody else's", () => {
    const odd = row("bd-1", { assignee: "bob", lease: { ...lease, expires_at: "2026-01-31T13:00:00Z" } });
    const [item] = seen({}, graphOf(odd)).attention;
    expect(item).toMatchObject({ reason: "contended_claims", since: "2026-01-31T10:00:00Z" });
    expect(item?.command).toBe("premath issue lease-release bd-1 --lease-id l-1");
  });

  it("issues that wait for each other, with the edge that undoes it", () => {
    const tie = (id: string, on: string, type: string) => ({
      dependencies: [{ issue_id: id, depends_on_id: on, type }],
    });
    const circle = graphOf(
      row("bd-1", tie("bd-1", "bd-2", "waits-for")),
      row("bd-2", tie("bd-2", "bd-1", "blocks")),
    );
    const [item] = seen({}, circle).attention;
    expect(item).toMatchObject({
      reason: "dependency_cycle_active",
      command: "premath dep remove bd-1 bd-2 --type waits-for",
    });
  });

  it("an issue that is withheld, and one that an escalation made", async () => {
    const policy = { schema: 1, policyKind: "ci.harness.retry.policy.v1", policyId: "p" };
    const rule = (escalationAction: string) => ({ maxAttempts: 1, backoffClass: "none", escalationAction });
    const rules = [{ ruleId: "r", failureClasses: ["a_b"], ...rule("issue_discover") }];
    const whole = { ...policy, rules, defaultRule: rule("stop") };
    const parsed = parseRetryPolicy(
      JSON.stringify({ ...whole, policyDigest: sealedDigest(whole) }),
      "p",
    ) as RetryPolicy;
    const store = new MemoryIssues({ clock: new VirtualClock({ startMs: noon }) });
    for (const title of ["One", "Two"]) await store.change(addIssue({ title }), { create: true });
    await store.change(decideClaim("bd-1", { assignee: "ann" }));
    for (const [issueId, failureClass] of [
      ["bd-1", "c_d"],
      ["bd-2", "a_b"],
    ] as const) {
      const decision_ = decideRetry(parsed, { failureClasses: [failureClass], attempt: 1 });
      await store.change(escalate({ issueId, scope: "work", decision: decision_, asker: {} }));
    }
    const { attention } = seen({}, await store.graph());
    expect(attention).toMatchObject([
      { reason: "issue_withheld", since: "2026-01-31T12:00:00Z", command: "premath issue show bd-1" },
      { reason: "escalation_open", says: "bd-3 waits for a decision: work retry exhausted (a_b)" },
    ]);
  });

  it("comes in the order of the contract, ours behind it", () => {
    expect(attentionReasons.slice(0, 7)).toEqual([
      ...["policy_drift", "instruction_unknown_classification", "proposal_reject_classes_present"],
      ...["issue_partition_incoherent", "dependency_cycle_active", "stale_claims", "contended_claims"],
    ]);
  });
});

it("issues, leases and workers are counted at the moment that is asked for", () => {
  const graph = graphOf(
    { id: "bd-1", title: "a", status: "open" },
    { id: "bd-2", title: "b", status: "blocked" },
    { id: "bd-3", title: "c", status: "in_progress", assignee: "ann" },
    { id: "bd-4", title: "d", status: "closed" },
  );
  const { coherence } = seen({}, graph).summary;
  expect(coherence.issuePartition).toMatchObject({
    ...{ openIssueCount: 1, readyIssueIds: ["bd-1"], blockedIssueIds: ["bd-2"], isCoherent: true },
  });
  expect(coherence.workerLaneThroughput).toEqual({
    inProgressCount: 1,
    perWorkerInProgress: { ann: 1 },
  });
  expect(coherence.dependencyIntegrity.active).toMatchObject({ issueCount: 2, hasCycle: false });
  expect(coherence.leaseHealth.referenceTime).toBe("2026-01-31T12:00:00Z");
});
