/** What is seen of the work, from values: witnesses on a disk, what needs somebody, workers and leases by their words. */
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { workLimits } from "../limits.js";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import { handoffLeaseState } from "./handoff.js";
import { observationOf, type Witnesses } from "./observation.js";
import { readWitnesses } from "./witness-files.js";
import { isUnknown, projectionDigestOf, proposalClasses, textOf } from "./witness-rows.js";
import { workerOf } from "./worker-id.js";

const nowMs = Date.parse("2026-05-01T00:00:00Z");

describe("witnesses on a disk", () => {
  async function read(put: Readonly<Record<string, unknown>>) {
    const root = newFolder();
    const folder = join(root, "artifacts/ciwitness");
    mkdirSync(folder, { recursive: true });
    for (const [name, value] of Object.entries(put))
      writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
    return {
      folder,
      again: () => readWitnesses(root, nodePorts().files),
      ...(await readWitnesses(root, nodePorts().files)),
    };
  }
  const instruction = (instructionId: string) => ({ witnessKind: "ci.instruction.v1", instructionId });

  it("are the last delta, checks and decision, and the instructions by name", async () => {
    const { witnesses, broken } = await read({
      "latest-delta.json": { d: 1 },
      "latest-required.json": { r: 1 },
      "latest-decision.json": { e: 1 },
      "latest-other.json": instruction("x"),
      "proj1_abc.json": instruction("y"),
      "b.json": instruction("b"),
      "a.json": instruction("a"),
      "note.json": { witnessKind: "another" },
      "b.txt": "no witness",
    });
    expect(broken).toEqual([]);
    expect(witnesses).toEqual({
      ...{ delta: { d: 1 }, required: { r: 1 }, decision: { e: 1 } },
      instructions: [instruction("a"), instruction("b")],
    });
  });

  it("that cannot be read are named and left out, and keep nobody from the rest", async () => {
    const { folder, again } = await read({
      "latest-delta.json": "{",
      "latest-required.json": "[1]",
      "a.json": instruction("a"),
      "huge.json": "{}",
    });
    mkdirSync(join(folder, "latest-decision.json"));
    truncateSync(join(folder, "huge.json"), workLimits.evidenceBytesMax + 1);
    const { witnesses, broken } = await again();
    expect(witnesses).toEqual({ instructions: [instruction("a")] });
    expect(broken).toEqual([
      "artifacts/ciwitness/latest-delta.json is not JSON; it is left out",
      "artifacts/ciwitness/latest-required.json is no JSON object; it is left out",
      "artifacts/ciwitness/latest-decision.json is no regular file; it is left out",
      expect.stringMatching(
        /^artifacts\/ciwitness\/huge\.json has .* bytes, and at most .* are read; it is left out$/,
      ),
    ]);
  });

  it("are none where there is no folder, and where it is none that is said", async () => {
    const root = newFolder();
    const { files } = nodePorts();
    expect(await readWitnesses(root, files)).toEqual({ witnesses: { instructions: [] }, broken: [] });
    mkdirSync(join(root, "artifacts"));
    writeFileSync(join(root, "artifacts/ciwitness"), "");
    const { broken } = await readWitnesses(root, files);
    expect(broken).toContain("artifacts/ciwitness cannot be listed");
  });

  it("are read member by member, without believing that they are there", () => {
    expect([
      textOf({ a: "x" }, "a"),
      textOf({ a: " " }, "a"),
      textOf({ a: 1 }, "a"),
      textOf(undefined, "a"),
    ]).toEqual([...["x", undefined, undefined, undefined]]);
    expect(projectionDigestOf({ typedCoreProjectionDigest: "t", projectionDigest: "p" })).toBe("t");
    expect(projectionDigestOf({ projectionDigest: "p" })).toBe("p");
    expect([isUnknown({ instructionClassification: { state: "unknown" } }), isUnknown({})]).toEqual([
      true,
      false,
    ]);
    expect(proposalClasses({ rejectStage: "proposal_discharge", failureClasses: ["a", 1] })).toEqual(["a"]);
    expect(proposalClasses({ rejectStage: "other", failureClasses: ["a"] })).toEqual([]);
    expect(proposalClasses({ rejectStage: "proposal_discharge" })).toEqual([]);
  });
});

describe("what needs somebody", () => {
  const graphOf = (...rows: readonly JsonObject[]) => {
    const graph = new IssueGraph();
    for (const row of rows)
      graph.put(
        new IssueNode(String(row["id"]), { title: "t", ...row }, JSON.stringify({ title: "t", ...row }), 1),
      );
    return graph;
  };
  const seen = (witnesses: Partial<Witnesses>, graph?: IssueGraph) =>
    observationOf({ witnesses: { instructions: [], ...witnesses }, graph, nowMs });
  const summary = (witnesses: Partial<Witnesses>) => {
    const { state, needsAttention, topFailureClass } = seen(witnesses).summary;
    return [state, needsAttention, topFailureClass];
  };

  it("is by what was decided, or else by what was checked", () => {
    expect(summary({})).toEqual(["empty", false, null]);
    expect(summary({ decision: { decision: "accept" } })).toEqual(["accepted", false, null]);
    expect(summary({ decision: { decision: "reject", reasonClass: "r" } })).toEqual(["rejected", true, "r"]);
    expect(summary({ decision: {} })).toEqual(["error", true, "rejected_without_reason"]);
    expect(summary({ required: { verdictClass: "accepted" } })).toEqual(["running", false, null]);
    const failed = { verdictClass: "rejected", failureClasses: [1, "f", "g"] };
    expect(summary({ required: failed })).toEqual(["rejected", true, "f"]);
    expect(summary({ instructions: [{ verdictClass: "accepted" }, failed] })).toEqual([
      "rejected",
      true,
      "f",
    ]);
    expect(summary({ decision: { decision: "reject", reasonClass: "r" }, required: failed })).toEqual([
      ...["rejected", true, "f"],
    ]);
  });

  it("says that the checks were rejected or not decided, and with which command to look", () => {
    const line = (witnesses: Partial<Witnesses>) =>
      seen(witnesses).attention.find(({ reason }) => reason === "checks_rejected");
    expect(
      line({ decision: { decision: "reject", projectionDigest: "p1" }, required: { runFinishedAt: "then" } }),
    ).toEqual({
      ...{ reason: "checks_rejected", says: "the last required checks were rejected", since: "then" },
      command: "premath observe --mode projection --projection-digest p1",
    });
    expect(line({ decision: {} })).toMatchObject({
      ...{
        says: "the last required checks were not decided",
        since: null,
        command: "premath ci-required-attested",
      },
    });
    expect(line({ instructions: [{ verdictClass: "rejected" }] })).toBeUndefined();
  });

  it("says what does not belong together, and which instruction is of no kind or was rejected", () => {
    const drift = seen({
      delta: { policyDigest: "a", projectionDigest: "x" },
      required: { policyDigest: "b", projectionDigest: "y", runFinishedAt: "then" },
      instructions: [
        {
          instructionId: "i",
          policyDigest: "a",
          instructionClassification: { state: "unknown" },
          runFinishedAt: "now",
        },
        { policyDigest: "b", rejectStage: "proposal_discharge", failureClasses: ["f", "e", "f"] },
      ],
    });
    expect(drift.summary.coherence.policyDrift).toEqual({
      driftClasses: ["projection_policy_drift", "projection_digest_drift", "instruction_policy_drift"],
      driftDetected: true,
    });
    expect(drift.summary.coherence).toMatchObject({
      instructionTyping: { instructionCount: 2, unknownCount: 1, unknownRatePercent: 50 },
      proposalRejectClasses: ["e", "f"],
    });
    expect(drift.attention.map(({ reason, since, command }) => [reason, since, command])).toEqual([
      ["policy_drift", "then", "premath ci-required-attested"],
      ["instruction_unknown_classification", "now", "premath observe --mode instruction --instruction-id i"],
      [
        "proposal_reject_classes_present",
        null,
        "premath observe --mode instruction --instruction-id an instruction",
      ],
    ]);
    expect(
      seen({ delta: { policyDigest: "a" }, required: {} }).summary.coherence.policyDrift.driftDetected,
    ).toBe(false);
  });

  it("names whose a lease is, or that it is nobody's", () => {
    const lease = {
      lease_id: "l",
      acquired_at: "2026-04-01T00:00:00Z",
      expires_at: "2026-06-01T00:00:00Z",
      owner: "ada",
    };
    const { attention, summary: counted } = seen(
      {},
      graphOf({ id: "a", status: "open", lease }, { id: "b", status: "in_progress", assignee: "bob" }),
    );
    expect(attention).toMatchObject([
      {
        ...{ reason: "contended_claims", says: "a is held by ada and is open, assigned to nobody" },
        ...{ since: "2026-04-01T00:00:00Z", command: "premath issue lease-release a --lease-id l" },
      },
    ]);
    expect(counted.coherence.workerLaneThroughput).toEqual({
      inProgressCount: 1,
      perWorkerInProgress: { bob: 1 },
    });
    expect(counted.coherence.issuePartition).toMatchObject({
      openIssueCount: 1,
      readyCount: 1,
      isCoherent: true,
    });
  });

  it("says with which type an edge of a circle is taken out where that is not the usual one", () => {
    const tie = (issue_id: string, depends_on_id: string, type: string) => [
      { issue_id, depends_on_id, type },
    ];
    const circle = (type: string) =>
      seen(
        {},
        graphOf(
          { id: "a", dependencies: tie("a", "b", type) },
          { id: "b", dependencies: tie("b", "a", "blocks") },
        ),
      ).attention[0];
    expect(circle("blocks")?.command).toBe("premath dep remove a b");
    expect(circle("waits-for")?.command).toBe("premath dep remove a b --type waits-for");
    expect(circle("waits-for")).toMatchObject({ reason: "dependency_cycle_active", since: null });
  });
});

describe("a worker's name", () => {
  it.each([
    ["w1.bd-1", "bd-1", "w1"],
    ["w1.2.bd-1.3", "bd-1", "w1.2"],
    ["w.bd-1.bd-1", "bd-1", "w.bd-1"],
    ["w1.bd-12", "bd-1", "w1"],
    ["w1.3.x", "bd-1", "w1.3"],
    ["w1.3", "bd-1", "w1"],
    [".bd-1", "bd-1", ".bd-1"],
    ["w1", "bd-1", "w1"],
  ])("of the step %s of %s is %s", (step, issue, worker) => expect(workerOf(step, issue)).toBe(worker));
});

describe("the lease that a worker finds", () => {
  const lease = { owner: "ada", expires_at: "2026-05-01T00:00:01Z" };
  it.each([
    [undefined, "missing_issue"],
    [{ status: "closed" }, "released"],
    [{ status: "closed", lease: null }, "released"],
    [{ status: "closed", lease }, "closed_with_lease"],
    [{}, "unleased"],
    [{ lease: null }, "unleased"],
    [{ lease: 7 }, "invalid_expires_at"],
    [{ lease: { owner: "ada", expires_at: "soon" } }, "invalid_expires_at"],
    [
      { status: "in_progress", assignee: "ada", lease: { ...lease, expires_at: "2026-05-01T00:00:00Z" } },
      "stale",
    ],
    [{ status: "in_progress", assignee: "ada", lease }, "active"],
    [{ status: "in_progress", assignee: "bob", lease }, "contended"],
    [{ status: "open", assignee: "ada", lease }, "contended"],
    [{ assignee: "ada", lease }, "contended"],
  ] as const)("of %j is %s", (row, state) => expect(handoffLeaseState(row, nowMs)).toBe(state));
});
