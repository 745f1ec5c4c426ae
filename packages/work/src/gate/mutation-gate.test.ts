/** What the gate lets through on a lane, in a run and under an override, and what it refuses with which class. */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Standing, TurnSoFar } from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { closedTurn, GateDesk, onLane, operationOf } from "../../../../test/support/gate-desk.js";
import { allOperations } from "../rooms.js";
import { sealedDigest } from "../seal.js";
import { Lanes } from "./lanes.js";
import { mutationGate } from "./mutation-gate.js";
import { linkedPolicyDigest, overridePolicyDigest } from "./policy.js";

const issue = (id: string, more: JsonObject = {}): JsonObject => ({ id, title: id, ...more });
const hour = 3_600_000;

const instruction: [action: string, input: JsonObject][] = [
  ["issue.add", { title: "new" }],
  ["issue.claim", { id: "bd-1", assignee: "ada" }],
  ["issue.claim_next", { assignee: "ada" }],
  ["issue.comment", { id: "bd-1", text: "seen" }],
  ["issue.label", { id: "bd-1", add: ["x"] }],
  ["harness.session.write", { summary: "half way" }],
  ["harness.feature.write", { featureId: "f", status: "pending" }],
  ["harness.trajectory.append", { stepId: "s", action: "verify", resultClass: "accepted" }],
];
const evidence: [action: string, input: JsonObject][] = [
  ["issue.update", { id: "bd-1", notes: "new" }],
  ["issue.reopen", { id: "bd-3" }],
  ["issue.discover", { parentIssueId: "bd-1", title: "found" }],
  ["dep.add", { issueId: "bd-1", dependsOnId: "bd-2" }],
];
const persons: [action: string, input: JsonObject][] = [
  ["issue.compact", {}],
  ["issue.import", { format: "beads", content: "{}" }],
  ["issue.migrate_events", {}],
  ["issue.replay_events", {}],
  ["issue.close", { id: "bd-1", force: "I say so" }],
];
const rows = () => [issue("bd-1"), issue("bd-2"), issue("bd-3", { status: "closed" })];

describe("on a lane", () => {
  it.each(instruction)(
    "[RUNTIME-3.2.19] [RUNTIME-3.2.20] %s needs the lane and nothing else",
    async (action, input) => {
      const desk = new GateDesk(...rows());
      const before = desk.files();
      const none: TurnSoFar = { ...closedTurn, calls: [] };
      expect((await desk.call(action, input, onLane(none))).resultClass).toBe(
        "mutation.use_evidence_missing",
      );
      expect(desk.files()).toEqual(before);
      const lane = await desk.lane();
      const envelope = await desk.call(action, input, onLane(none));
      expect(envelope).toMatchObject({ resultClass: "accepted", policyDigest: linkedPolicyDigest });
      expect(envelope.instructionRef).toBe(`instruction://lane/test/${lane.laneId.slice(6, 22)}`);
    },
  );

  it.each(evidence)(
    "[RUNTIME-3.2.6] [RUNTIME-3.2.11] %s needs closed evidence as well",
    async (action, input) => {
      const desk = new GateDesk(...rows());
      await desk.lane();
      const before = desk.files();
      const refused = async (turn: TurnSoFar | undefined) => {
        const standing: Standing = turn === undefined ? { kind: "lane" } : onLane(turn);
        const { resultClass } = await desk.call(action, input, standing);
        expect(desk.files()).toEqual(before);
        return resultClass;
      };
      expect(await refused(undefined)).toBe("mutation.use_evidence_missing");
      expect(await refused({ ...closedTurn, calls: [] })).toBe("mutation.use_evidence_missing");
      const running = { callId: "call-3", tool: "issue_list" };
      expect(await refused({ ...closedTurn, calls: [...closedTurn.calls, running] })).toBe(
        "tool.join_incomplete",
      );
      const { resultClass, witnessRefs } = await desk.call(action, input, onLane());
      expect([action, resultClass]).toEqual([action, "accepted"]);
      expect(witnessRefs).toEqual([expect.stringMatching(/^join:\/\/test\/[0-9a-f]{64}$/)]);
    },
  );

  it("closing needs a verified change, of an ephemeral issue only closed evidence", async () => {
    const desk = new GateDesk(...rows(), issue("bd-4", { ephemeral: true }));
    await desk.lane();
    const before = desk.files();
    for (const [action, input] of [
      ["issue.close", { id: "bd-1" }],
      ["issue.update", { id: "bd-1", status: "closed" }],
      ["issue.add", { title: "done already", status: "closed" }],
    ] as const) {
      const { resultClass } = await desk.call(action, input, onLane());
      expect([action, resultClass, desk.files()]).toEqual([
        action,
        "mutation.verified_change_missing",
        before,
      ]);
    }
    const done = { title: "done already", status: "closed", ephemeral: true };
    expect((await desk.call("issue.add", done, onLane())).resultClass).toBe("accepted");
    const open = { ...closedTurn, calls: [{ callId: "c", tool: "t" }] };
    expect((await desk.call("issue.close", { id: "bd-4" }, onLane(open))).resultClass).toBe(
      "tool.join_incomplete",
    );
    expect((await desk.call("issue.close", { id: "bd-4" }, onLane())).resultClass).toBe("accepted");
    expect(desk.row("bd-4")).toMatchObject({ status: "closed" });
  });

  it.each(persons)("%s is for a person", async (action, input) => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    const before = desk.files();
    expect((await desk.call(action, input, onLane())).resultClass).toBe("mutation.person_required");
    expect(desk.files()).toEqual(before);
  });

  it("the row keeps what it was written under, and what stood in metadata", async () => {
    const desk = new GateDesk(
      issue("bd-1", { metadata: { big: 12345678901234567890n.toString(), paths: ["a"] } }),
    );
    await desk.lane();
    const { argsDigest, instructionRef, witnessRefs } = await desk.call(
      "issue.update",
      { id: "bd-1", notes: "n" },
      onLane(),
    );
    expect(desk.row("bd-1")["metadata"]).toEqual({
      big: "12345678901234567890",
      paths: ["a"],
      premathWriteWitness: {
        ...{ schema: 1, witnessKind: "bd.issue.write.v1", action: "issue.update", issueId: "bd-1" },
        ...{ mutationPolicy: "instruction-linked", policyDigest: linkedPolicyDigest, queryBackend: "jsonl" },
        instruction: { instructionRef, witnessRefs, argsDigest },
        recordedAtUnixMs: desk.nowMs,
        witnessId: expect.stringMatching(/^bdw1_[0-9a-f]{64}$/),
      },
    });
    expect(JSON.stringify(desk.row("bd-1"))).not.toContain(desk.cwd);
  });

  it("a person leaves nothing of the kind in the row", async () => {
    const desk = new GateDesk(issue("bd-1"));
    await desk.call("issue.update", { id: "bd-1", notes: "n" }, { kind: "person" });
    expect(desk.row("bd-1")).not.toHaveProperty("metadata");
  });
});

describe("a lane", () => {
  const add = (desk: GateDesk, standing: Standing = onLane()) =>
    desk.call("issue.add", { title: "t" }, standing);

  it("holds until it ends, and the refusal has the command for a person", async () => {
    const desk = new GateDesk();
    await desk.lane();
    desk.nowMs += hour / 2 - 1;
    expect((await add(desk)).resultClass).toBe("accepted");
    desk.nowMs += 1;
    const refused = await add(desk);
    expect(refused.resultClass).toBe("mutation.lane_ended");
    expect(JSON.stringify(refused.payload)).toContain("premath lane open test");
  });

  it("is of one folder", async () => {
    const desk = new GateDesk();
    await desk.lane();
    const other = new GateDesk();
    Object.assign(other, { settings: desk.settings });
    expect((await add(desk)).resultClass).toBe("accepted");
    expect((await add(other)).resultClass).toBe("mutation.use_evidence_missing");
  });

  it("is named by the server where there are several", async () => {
    const desk = new GateDesk();
    await desk.lane();
    await desk.lane({ name: "other" });
    expect((await add(desk)).resultClass).toBe("mutation.lane_ambiguous");
    expect((await add(desk, onLane(closedTurn, "other"))).resultClass).toBe("accepted");
    expect((await add(desk, onLane(closedTurn, "third"))).resultClass).toBe("mutation.use_evidence_missing");
  });

  it("of a run is none for a server, and one that ended is told only to whom it was for", async () => {
    const desk = new GateDesk();
    await desk.lane({ name: "s-1", process: await nodePorts().processes.self() });
    expect((await add(desk)).resultClass).toBe("mutation.use_evidence_missing");
    expect((await add(desk, onLane(closedTurn, "s-1"))).resultClass).toBe("mutation.use_evidence_missing");
    await desk.lane({ name: "old", expiresAt: "2026-01-31T09:10:00Z" });
    expect((await add(desk)).resultClass).toBe("mutation.lane_ended");
    expect((await add(desk, onLane(closedTurn, "old"))).resultClass).toBe("mutation.lane_ended");
    const other = await add(desk, onLane(closedTurn, "other"));
    expect([other.resultClass, other.payload]).toMatchObject([
      "mutation.use_evidence_missing",
      { message: "no lane other is open for this folder" },
    ]);
    await desk.lane();
    expect((await add(desk)).resultClass).toBe("accepted");
  });

  it("allows what it names and nothing else, by action or by family", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane({ allow: ["issue.claim", "dep.*"] });
    const classOf = async (action: string, input: JsonObject) =>
      (await desk.call(action, input, onLane())).resultClass;
    expect(await classOf("issue.add", { title: "t" })).toBe("mutation.capability_claim_missing");
    expect(await classOf("issue.claim_next", { assignee: "ada" })).toBe("mutation.capability_claim_missing");
    expect(await classOf("issue.claim", { id: "bd-1", assignee: "ada" })).toBe("accepted");
    expect(await classOf("dep.add", { issueId: "bd-1", dependsOnId: "bd-2" })).toBe("accepted");
  });

  it("for some workers is for no other", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane({ workers: ["w.1"] });
    const claim = async (assignee: string) =>
      (await desk.call("issue.claim", { id: "bd-1", assignee }, onLane())).resultClass;
    expect([await claim("ada"), (await add(desk)).resultClass]).toEqual([
      "mutation.worker_not_allowed",
      "mutation.worker_not_allowed",
    ]);
    const named = (input: JsonObject) => desk.call("issue.claim", { id: "bd-1", ...input }, onLane());
    expect((await named({ assignee: "w.1", actor: " ada " })).resultClass).toBe(
      "mutation.worker_not_allowed",
    );
    expect((await named({ assignee: "w.1", actor: "  " })).resultClass).toBe("accepted");
    expect((await desk.call("issue.claim", { id: "bd-2", assignee: " w.1 " }, onLane())).resultClass).toBe(
      "accepted",
    );
  });

  it("in a file that was damaged is none, and the file is named", async () => {
    const desk = new GateDesk();
    await desk.lane();
    writeFileSync(join(desk.settings, "bridle/lanes.json"), '{"lanesKind":"bridle.lanes.v1","folders":{}}');
    const { resultClass, payload } = await add(desk);
    expect(resultClass).toBe("document_invalid");
    expect(JSON.stringify(payload)).toContain("lanes.json");
  });
});

describe("in a run", () => {
  const inRun = (id: string): Standing => ({ kind: "run", id, turn: closedTurn });

  it("only that run's lane holds, also where a person's is open and the mark of a command follows", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    const add = async (id: string) => (await desk.call("issue.add", { title: "t" }, inRun(id))).resultClass;
    expect(await add("s-1")).toBe("mutation.run_unknown");
    expect(await add("test")).toBe("mutation.run_unknown");
    await desk.lane({ name: "s-1", process: await nodePorts().processes.self() });
    expect(await add("s-1")).toBe("accepted");
    expect(await add("s-1,8f0a9c")).toBe("accepted");
    expect(await add("8f0a9c")).toBe("mutation.run_unknown");
    expect((await desk.call("issue.compact", {}, inRun("s-1"))).resultClass).toBe("mutation.person_required");
  });

  it("that has ended nothing holds, and the refusal says how to unset it", async () => {
    const desk = new GateDesk();
    const self = await nodePorts().processes.self();
    await desk.lane({ name: "s-1", process: { ...self, startTime: "1" } });
    const { resultClass, payload } = await desk.call("issue.add", { title: "t" }, inRun("s-1"));
    expect(resultClass).toBe("mutation.run_unknown");
    expect(JSON.stringify(payload)).toContain("unset BRIDLE_RUN");
  });
});

it("without settings no lane can be, and that is said", async () => {
  const desk = new GateDesk();
  await expect(Lanes.open({ ...desk.callOf, env: {} })).rejects.toMatchObject({
    failureClass: "lane_settings_missing",
    message: expect.stringContaining("HOME") as string,
  });
});

it("what is admitted on a lane is spent by nobody, and under a witness once, for the issue that the call names", async () => {
  const desk = new GateDesk(issue("bd-1", { fence: 3 }));
  await desk.lane();
  await desk.witness("20260131T092000Z-mend", { issueId: "bd-1", fence: 3 }, ["issue_update"]);
  const judged = (input: JsonObject) => {
    const gate = { operation: operationOf("issue.update"), input, call: desk.callOf };
    return mutationGate.judge({
      ...gate,
      authority: { surface: "mcp", standing: onLane() },
      argsDigest: () => "he1_0",
    });
  };
  expect(await judged({ id: "bd-1", notes: "n" })).not.toHaveProperty("once");
  const instructionId = "20260131T092000Z-mend";
  expect(await judged({ id: " bd-1 ", notes: "n", instructionId: ` ${instructionId} ` })).toMatchObject({
    once: {
      ...{ instructionId, issueId: "bd-1", fence: 3, action: "issue.update", argsDigest: "he1_0" },
      expiresAtMs: Date.UTC(2026, 0, 31, 10, 20),
    },
  });
  expect(await judged({ id: "bd-2", notes: "n", instructionId })).toMatchObject({
    refused: "mutation.witness_issue_mismatch",
    message: expect.stringContaining("for bd-1, and not for bd-2") as string,
  });
  expect(await judged({ notes: "n", instructionId })).toMatchObject({
    message: expect.stringContaining("a call that names no issue") as string,
  });
});

describe("what needs nothing", () => {
  it("says who asked all the same", async () => {
    const asked = async (standing: Standing) => {
      const desk = new GateDesk(...rows());
      const gate = { operation: operationOf("observe.build"), input: {}, call: desk.callOf };
      return mutationGate.judge({
        ...gate,
        authority: { surface: "mcp", standing },
        argsDigest: () => "he1_0",
      });
    };
    for (const [standing, instructionRef] of [
      [{ kind: "run", id: "s-1,8f0a9c" }, "instruction://run/s-1"],
      [{ kind: "lane", name: "test" }, "instruction://lane/test"],
      [{ kind: "lane" }, "instruction://lane/"],
      [{ kind: "override", reason: "r", expiresAtMs: 1 }, "instruction://human-override"],
    ] as const)
      expect(await asked(standing)).toMatchObject({
        ...{ mutationPolicy: "instruction-linked", instructionRef, policyDigest: linkedPolicyDigest },
        note: { action: "observe.build", instruction: { instructionRef, argsDigest: "he1_0" } },
      });
    expect(await asked({ kind: "person" })).toBeUndefined();
  });
});

describe("a human override", () => {
  const override = (desk: GateDesk, ms: number, reason = "the lane file is lost"): Standing => ({
    ...{ kind: "override", reason, expiresAtMs: desk.nowMs + ms },
  });

  it("holds for its time, with its reason in the row, and not for what is a person's", async () => {
    const desk = new GateDesk(...rows());
    const standing = override(desk, hour);
    const closed = await desk.call("issue.close", { id: "bd-1" }, standing);
    expect(closed).toMatchObject({ resultClass: "accepted", policyDigest: overridePolicyDigest });
    expect(desk.row("bd-1")["metadata"]).toMatchObject({
      premathWriteWitness: { mutationPolicy: "human-override", reason: "the lane file is lost" },
    });
    expect((await desk.call("issue.compact", {}, standing)).resultClass).toBe("mutation.person_required");
    desk.nowMs += hour;
    expect((await desk.call("issue.update", { id: "bd-2", notes: "n" }, standing)).resultClass).toBe(
      "mutation.override_expired",
    );
  });

  it.each([
    ["without a reason", hour, " "],
    ["of more than 24 hours", 24 * hour + 1, "r"],
  ])("%s is none", async (_, ms, reason) => {
    const desk = new GateDesk(...rows());
    const { resultClass } = await desk.call(
      "issue.update",
      { id: "bd-2", notes: "n" },
      override(desk, ms, reason),
    );
    expect(resultClass).toBe("mutation.override_invalid");
  });
});

describe("[RUNTIME-3.2.7] [RUNTIME-3.2.8] a project that claims the governance profile", () => {
  const registry = (policyProvenance?: JsonObject): JsonObject => ({
    schema: 1,
    profileOverlayClaims: ["profile.doctrine_inf_governance.v0"],
    ...(policyProvenance === undefined ? {} : { policyProvenance }),
  });
  const packageRef = "policies/control/governance-package-v1.json";
  const policy = { schema: 1, policyKind: "governance.package.v1", rules: ["r"] };
  const expectedDigest = sealedDigest(policy);
  const update = async (desk: GateDesk) =>
    (await desk.call("issue.update", { id: "bd-1", notes: "n" }, onLane())).resultClass;

  it.each<[string, JsonObject, JsonObject | undefined, string]>([
    ["pinned and unchanged", registry({ pinned: true, packageRef, expectedDigest }), policy, "accepted"],
    ["without a pin", registry(), policy, "governance.policy_package_unpinned"],
    [
      "not pinned",
      registry({ pinned: false, packageRef, expectedDigest }),
      policy,
      "governance.policy_package_unpinned",
    ],
    [
      "without its package",
      registry({ pinned: true, packageRef, expectedDigest }),
      undefined,
      "governance.policy_package_unpinned",
    ],
    [
      "outside the project",
      registry({ pinned: true, packageRef: "../p.json", expectedDigest }),
      policy,
      "governance.policy_package_unpinned",
    ],
    [
      "edited",
      registry({ pinned: true, packageRef, expectedDigest }),
      { ...policy, rules: [] },
      "governance.policy_package_mismatch",
    ],
    ["not claimed", { schema: 1, profileOverlayClaims: [] }, undefined, "accepted"],
  ])("with a package that is %s", async (_, claims, content, resultClass) => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    desk.write("policies/control/capability-registry-v1.json", claims);
    if (content !== undefined) desk.write(packageRef, content);
    const before = desk.files();
    expect(await update(desk)).toBe(resultClass);
    if (resultClass !== "accepted") expect(desk.files()).toEqual(before);
  });

  it("with a package elsewhere on the machine is unpinned, however it is reached", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    const elsewhere = newFolder();
    writeFileSync(join(elsewhere, "p.json"), JSON.stringify(policy));
    for (const outside of [join(elsewhere, "p.json"), relative(desk.cwd, join(elsewhere, "p.json"))]) {
      desk.write(
        "policies/control/capability-registry-v1.json",
        registry({ pinned: true, packageRef: outside, expectedDigest }),
      );
      expect([outside, await update(desk)]).toEqual([outside, "governance.policy_package_unpinned"]);
    }
  });

  it("in a registry that cannot be read changes nothing", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    desk.write("policies/control/capability-registry-v1.json", "{");
    expect(await update(desk)).toBe("governance.policy_package_unpinned");
  });

  it("a decomposition policy holds by its digest", async () => {
    const desk = new GateDesk(...rows());
    await desk.lane();
    const decomposition = { schema: 1, policyKind: "bridle.decomposition.policy.v1", policyId: "p" };
    const path = "policies/control/decomposition-policy-v1.json";
    desk.write(path, { ...decomposition, policyDigest: sealedDigest(decomposition) });
    expect(await update(desk)).toBe("accepted");
    desk.write(path, { ...decomposition, policyId: "q", policyDigest: sealedDigest(decomposition) });
    expect(await update(desk)).toBe("coordination.decomposition_policy_violation");
  });
});

it("every operation that changes something declares what it needs", async () => {
  const undeclared = (await allOperations()).filter(
    ({ effect, needs }) => effect === "mutate" && needs === undefined,
  );
  expect(undeclared).toEqual([]);
});
