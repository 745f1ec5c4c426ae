/** An instruction witness for one issue: taken apart piece by piece, spent once, answered the same again. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Standing } from "@bridle/operation";
import { isJsonObject, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { GateDesk } from "../../../../test/support/gate-desk.js";
import { sealedWitness } from "../evidence/instruction/witness.js";

const id = "20260131T092000Z-mend";
const scope = { issueId: "bd-1", fence: 3 };
const update = { id: "bd-1", notes: "mended", instructionId: id };
const client: Standing = { kind: "lane" };
const path = `artifacts/ciwitness/${id}.json`;

async function prepared(
  claims = ["issue_update", "issue_discover", "dep_add"],
  more: JsonObject = {},
): Promise<GateDesk> {
  const desk = new GateDesk(
    { id: "bd-1", title: "one", fence: 3, description: "d".repeat(50) },
    { id: "bd-2", title: "two", fence: 3 },
  );
  await desk.witness(id, { ...scope, ...more }, claims);
  return desk;
}

/** Sealed again: what a careful forger would do. */
function resealed(witness: JsonObject, change: JsonObject): JsonObject {
  return sealedWitness({ ...witness, ...change } as never) as unknown as JsonObject;
}

type Change = (witness: JsonObject, desk: GateDesk) => JsonObject | undefined;
const evidenceWith = (witness: JsonObject, change: (evidence: JsonObject) => JsonObject): JsonObject => {
  const join = witness["joinEvidence"] as JsonObject;
  return resealed(witness, { joinEvidence: { ...join, evidence: change(join["evidence"] as JsonObject) } });
};
const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
const row = (evidence: JsonObject, list: string, change: JsonObject): JsonObject => ({
  ...evidence,
  [list]: [{ ...(evidence[list] as JsonObject[])[0], ...change }],
});

const pieces: [what: string, change: Change, failureClass: string][] = [
  ["the witness is gone", (_, desk) => void rmSync(join(desk.cwd, path)), "mutation.witness_missing"],
  ["its kind is another", (w) => resealed(w, { witnessKind: "ci.required.v1" }), "mutation.witness_invalid"],
  ["it is another instruction's", (w) => resealed(w, { instructionId: "other" }), "mutation.witness_invalid"],
  ["its seal is gone", (w) => without(w, "witnessDigest"), "mutation.witness_invalid"],
  [
    "it was edited by hand",
    (w) => ({ ...w, scope: { issueId: "bd-1", fence: 4 } }),
    "mutation.witness_invalid",
  ],
  ["it was rejected", (w) => resealed(w, { verdictClass: "rejected" }), "mutation.witness_rejected"],
  [
    "it names a failure",
    (w) => resealed(w, { failureClasses: ["check_failed"] }),
    "mutation.witness_rejected",
  ],
  [
    "the instruction is gone",
    (_, desk) => void rmSync(join(desk.cwd, `instructions/${id}.json`)),
    "mutation.witness_invalid",
  ],
  [
    "the instruction was edited",
    (_, desk) =>
      void desk.write(`instructions/${id}.json`, {
        ...desk.read(`instructions/${id}.json`),
        intent: "other",
      }),
    "mutation.witness_invalid",
  ],
  [
    "the instruction is elsewhere",
    (w) => resealed(w, { instructionRef: "../x.json" }),
    "mutation.witness_invalid",
  ],
  [
    "its digest is another's",
    (w) => resealed(w, { authorityPayloadDigest: "instr1_0" }),
    "mutation.witness_invalid",
  ],
  [
    "its core digest is malformed",
    (w) => resealed(w, { typedCoreProjectionDigest: "ev1_x" }),
    "mutation.witness_invalid",
  ],
  [
    "the policy is gone",
    (_, desk) => void rmSync(join(desk.cwd, "policies/instruction/policy-test-v1.json")),
    "mutation.policy_unbound",
  ],
  [
    "the policy was edited",
    (_, desk) => {
      const policy = "policies/instruction/policy-test-v1.json";
      desk.write(policy, { ...desk.read(policy), allowedChecks: [] });
      return undefined;
    },
    "mutation.policy_unbound",
  ],
  ["its scope names no issue", (w) => resealed(w, { scope: { fence: 3 } }), "mutation.witness_invalid"],
  [
    "its scope names no fence",
    (w) => resealed(w, { scope: { issueId: "bd-1" } }),
    "mutation.witness_invalid",
  ],
  [
    "it is for another issue",
    (w) => resealed(w, { scope: { issueId: "bd-2", fence: 3 } }),
    "mutation.witness_issue_mismatch",
  ],
  [
    "it is for another claim",
    (w) => resealed(w, { scope: { issueId: "bd-1", fence: 2 } }),
    "mutation.witness_fence_mismatch",
  ],
  [
    "it says not when it was run",
    (w) => resealed(without(w, "runFinishedAt"), {}),
    "mutation.witness_invalid",
  ],
  [
    "it has expired",
    (w) => resealed(w, { runFinishedAt: "2026-01-31T08:30:00Z" }),
    "mutation.witness_expired",
  ],
  [
    "it lasts for ever",
    (w) => resealed(w, { scope: { ...scope, validForSeconds: 1e9 } }),
    "mutation.witness_invalid",
  ],
  [
    "it does not claim the action",
    (w) => resealed(w, { capabilityClaims: [] }),
    "mutation.capability_claim_missing",
  ],
  ["its evidence is gone", (w) => resealed(without(w, "joinEvidence"), {}), "mutation.use_evidence_missing"],
  ["a result is gone", (w) => evidenceWith(w, (e) => ({ ...e, toolResults: [] })), "tool.join_incomplete"],
  ["a use is gone", (w) => evidenceWith(w, (e) => ({ ...e, toolUse: [] })), "tool.join_incomplete"],
  ["a request is gone", (w) => evidenceWith(w, (e) => ({ ...e, toolRequests: [] })), "tool.join_incomplete"],
  [
    "a use is of another result",
    (w) => evidenceWith(w, (e) => row(e, "toolUse", { resultDigest: "sha256:x" })),
    "tool.use_digest_mismatch",
  ],
  [
    "a disposition is unknown",
    (w) => evidenceWith(w, (e) => row(e, "toolUse", { disposition: "kept" })),
    "harness_join_check_invalid",
  ],
  [
    "the stop is unknown",
    (w) => evidenceWith(w, (e) => ({ ...e, protocolState: { stopReason: "tired" } })),
    "protocol.stop_reason_unhandled",
  ],
  [
    "its session is gone",
    (w) => evidenceWith(w, (e) => without(e, "sessionRefs")),
    "mutation.witness_unlinked",
  ],
  [
    "its trajectory is gone",
    (w) => evidenceWith(w, (e) => without(e, "trajectoryRefs")),
    "mutation.witness_unlinked",
  ],
  [
    "the turn ran under another policy",
    (w) =>
      evidenceWith(w, (e) => ({
        ...e,
        callSpec: { ...(e["callSpec"] as JsonObject), mutationPolicyDigest: "pol1_x" },
      })),
    "mutation.policy_unbound",
  ],
  [
    "the work was divided by another policy",
    (w) =>
      evidenceWith(w, (e) => ({
        ...e,
        callSpec: { ...(e["callSpec"] as JsonObject), decompositionPolicyDigest: "pol1_x" },
      })),
    "coordination.decomposition_policy_violation",
  ],
  [
    "the join is another",
    (w) => resealed(w, { joinWitnessRef: `join://${id}/00` }),
    "mutation.witness_invalid",
  ],
  ["it is no JSON", (_, desk) => void desk.write(path, "{"), "mutation.witness_invalid"],
  [
    "it is larger than 8 MiB",
    (w) => resealed(w, { padding: "x".repeat(8 * 1024 * 1024) }),
    "mutation.witness_invalid",
  ],
];

describe("[TUSK-1.3] [TUSK-7.6] [RUNTIME-3.2.10] under an issue witness a change is refused, and no byte changes, when", () => {
  it.each(pieces)("%s", async (_what, change, failureClass) => {
    const desk = await prepared();
    const changed = change(desk.read(path), desk);
    if (isJsonObject(changed)) desk.write(path, changed);
    const before = desk.files();
    const { resultClass, payload } = await desk.call("issue.update", update, client);
    expect([resultClass, payload]).toEqual([failureClass, expect.anything()]);
    expect(desk.files()).toEqual(before);
  });

  it("whole, it lets the change through", async () => {
    const desk = await prepared();
    const envelope = await desk.call("issue.update", update, client);
    expect(envelope).toMatchObject({ resultClass: "accepted", instructionRef: `instruction://${id}` });
    expect(envelope.policyDigest).toBe(desk.read(path)["policyDigest"]);
    expect(envelope.witnessRefs).toEqual([desk.read(path)["joinWitnessRef"]]);
  });

  it.each(["../../etc/passwd", "a/b", " ", ".", "x".repeat(300)])("the id is %s", async (instructionId) => {
    const desk = await prepared();
    const { resultClass } = await desk.call("issue.update", { ...update, instructionId }, client);
    // A blank one is none, and without it there is no lane here.
    expect(resultClass).toBe(
      instructionId.trim() === "" ? "mutation.use_evidence_missing" : "mutation.witness_invalid",
    );
  });
});

describe("each action of a witness counts once", () => {
  it("and the same call again is answered the same, although the issue went on", async () => {
    const desk = await prepared();
    const first = await desk.call("issue.update", update, client);
    await desk.call(
      "issue.update",
      { id: "bd-1", title: "another title", notes: "later" },
      { kind: "person" },
    );
    const again = await desk.call("issue.update", update, client);
    expect(again).toEqual(first);
    expect(desk.row("bd-1")).toMatchObject({ title: "another title", notes: "later" });
    const other = await desk.call("issue.update", { ...update, notes: "more" }, client);
    expect(other.resultClass).toBe("mutation.witness_spent");
    expect(desk.row("bd-1")["notes"]).toBe("later");
  });

  it("each of several, and a discovery in the row that it made", async () => {
    const desk = await prepared();
    const found = { parentIssueId: "bd-1", title: "found", instructionId: id };
    const first = await desk.call("issue.discover", found, client);
    expect(first.payload).toMatchObject({ issue: { id: "bd-3" } });
    expect((await desk.call("issue.discover", found, client)).payload).toEqual(first.payload);
    expect((await desk.call("issue.discover", { ...found, title: "more" }, client)).resultClass).toBe(
      "mutation.witness_spent",
    );
    expect((await desk.call("issue.update", update, client)).resultClass).toBe("accepted");
    const edge = { issueId: "bd-1", dependsOnId: "bd-2", instructionId: id };
    const added = await desk.call("dep.add", edge, client);
    expect(added.resultClass).toBe("accepted");
    expect((await desk.call("dep.add", edge, client)).payload).toEqual(added.payload);
    expect(desk.row("bd-4")).toEqual({});
  });

  it("what changes nothing does not spend it", async () => {
    const desk = await prepared(["issue_label"]);
    const label = (remove: string[]) => ({ id: "bd-1", remove, instructionId: id });
    expect((await desk.call("issue.label", label(["x"]), client)).resultClass).toBe("accepted");
    expect(
      (await desk.call("issue.label", { id: "bd-1", add: ["y"], instructionId: id }, client)).resultClass,
    ).toBe("accepted");
    expect(
      (await desk.call("issue.label", { id: "bd-1", add: ["z"], instructionId: id }, client)).resultClass,
    ).toBe("mutation.witness_spent");
  });

  it("what was answered is forgotten when the witness has expired, and that it was used is not", async () => {
    const desk = await prepared();
    await desk.call("issue.update", update, client);
    desk.nowMs += 2 * 3_600_000;
    expect((await desk.call("issue.update", { ...update, notes: "late" }, client)).resultClass).toBe(
      "mutation.witness_spent",
    );
    await desk.witness("20260131T112000Z-more", scope, ["issue_update"], "2026-01-31T11:20:00Z");
    const next = { ...update, notes: "again", instructionId: "20260131T112000Z-more" };
    expect((await desk.call("issue.update", next, client)).resultClass).toBe("accepted");
    const spent = desk.row("bd-1")["spent_instructions"] as JsonObject[];
    expect(spent.map((each) => [each["instruction_id"], "answer" in each])).toEqual([
      [id, false],
      ["20260131T112000Z-more", true],
    ]);
  });

  it("a witness that brings no evidence is good for what needs none", async () => {
    const desk = await prepared(["issue_comment", "harness_session_write"]);
    const witness = desk.read(path);
    desk.write(path, resealed(without(witness, "joinEvidence"), {}));
    expect(
      (await desk.call("issue.comment", { id: "bd-1", text: "seen", instructionId: id }, client)).resultClass,
    ).toBe("accepted");
    const session = { issueId: "bd-1", summary: "half way", instructionId: id };
    expect((await desk.call("harness.session.write", session, client)).resultClass).toBe("accepted");
  });
});
