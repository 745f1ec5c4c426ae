/** An instruction witness for one issue: taken apart piece by piece, spent once, answered the same again. */
import type { Standing } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { GateDesk } from "../../../../test/support/gate-desk.js";
import { resealed, witnessPath, witnessPieces, without } from "../../../../test/support/witness-pieces.js";

const id = "20260131T092000Z-mend";
const scope = { issueId: "bd-1", fence: 3 };
const update = { id: "bd-1", notes: "mended", instructionId: id };
const client: Standing = { kind: "lane" };
const path = witnessPath({ instructionId: id });

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

describe("[TUSK-1.3] [TUSK-7.6] [RUNTIME-3.2.10] under an issue witness a change is refused, and no byte changes, when", () => {
  it.each(witnessPieces.map((piece) => [piece.what, piece] as const))("%s", async (_, piece) => {
    const desk = await prepared();
    const policyPath = "policies/instruction/policy-test-v1.json";
    piece.alter({ folder: desk.cwd, instructionId: id, policyPath, scope, nowMs: desk.nowMs });
    const before = desk.files();
    const { resultClass, payload } = await desk.call("issue.update", update, client);
    expect([resultClass, payload]).toEqual([piece.failureClass, expect.anything()]);
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

it("a call that names another claim than its witness is refused before anything is looked up", async () => {
  const desk = await prepared();
  const { resultClass, payload } = await desk.call("issue.update", { ...update, fence: 2 }, client);
  expect([resultClass, payload]).toMatchObject([
    "mutation.witness_fence_mismatch",
    { message: expect.stringMatching(/fence 3, and the call for fence 2$/) as string },
  ]);
  expect((await desk.call("issue.update", { ...update, fence: 3 }, client)).resultClass).toBe("accepted");
});

it("a witness writes no projection after its time, and lasts as long as its scope says", async () => {
  const desk = await prepared(["harness_session_write"], { validForSeconds: 1_200 });
  const session = { issueId: "bd-1", summary: "half way", instructionId: id };
  const write = async () => (await desk.call("harness.session.write", session, client)).resultClass;
  desk.nowMs = Date.UTC(2026, 0, 31, 9, 39, 59);
  expect(await write()).toBe("accepted");
  desk.nowMs = Date.UTC(2026, 0, 31, 9, 40);
  expect(await write()).toBe("mutation.witness_expired");
});

it("a witness that was rejected is told with its classes, and with none where it has none", async () => {
  const desk = await prepared();
  const whole = desk.read(path);
  const told = async (change: JsonObject) => {
    desk.write(path, resealed(whole, change));
    return (await desk.call("issue.update", update, client)).payload;
  };
  expect(await told({ verdictClass: "rejected" })).toMatchObject({
    message: expect.stringMatching(/ says rejected$/) as string,
  });
  expect(await told({ verdictClass: "rejected", failureClasses: ["a", "b"] })).toMatchObject({
    message: expect.stringMatching(/ says rejected: a, b$/) as string,
  });
  expect(await told({ failureClasses: "none" })).toMatchObject({
    message: expect.stringMatching(/ says accepted$/) as string,
  });
});

it("a witness that claims all changes covers each of them", async () => {
  const desk = await prepared(["all"]);
  expect((await desk.call("issue.update", update, client)).resultClass).toBe("accepted");
  const comment = { id: "bd-1", text: "seen", instructionId: id };
  expect((await desk.call("issue.comment", comment, client)).resultClass).toBe("accepted");
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
