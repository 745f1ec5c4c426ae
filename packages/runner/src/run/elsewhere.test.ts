/** Work that belongs to another folder: handed over by Squeak, taken by that folder's own gate, verified there. */
import { formatSeconds, type JsonObject } from "@bridle/record";
import { Lanes } from "@bridle/work";
import { expect } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";

const issue = (id: string) =>
  `${JSON.stringify({ id, title: "Retry uploads", labels: ["elsewhere:api"] })}\n`;

it("is unverified until the destination has closed it with a witness and that is recorded [RUNTIME-3.2.13] [RUNTIME-3.2.14]", async () => {
  const there = new RunnerProject({ issues: 0 });
  const here = new RunnerProject({ issues: 0 });
  const elsewhere = { api: there.folder };
  here.put(".bridle/runner.json", JSON.stringify({ schema: 1, work: "exit 9", elsewhere }));
  here.commit("elsewhere");
  here.put(".premath/issues.jsonl", issue("bd-0"));
  const refsOf = (row: JsonObject | undefined) => (row?.["witnessRefs"] ?? []) as string[];
  const kinds = (row: JsonObject | undefined) => refsOf(row).map((ref) => ref.split("://")[0]);
  const last = () => here.trajectory().findLast(({ issueId }) => issueId === "bd-1");

  // Nobody there lets anybody in: it is not taken, and stays here.
  const refused = await here.work({});
  expect(refused.steps_[0]?.step.failure).toMatchObject({ during: "work" });
  expect(there.read(".premath/issues.jsonl")).toBe("");
  here.put(".premath/issues.jsonl", here.read(".premath/issues.jsonl") + issue("bd-1"));

  // By the lane that is open there it is taken; the packet is the same whoever sends it again.
  const lanes = await Lanes.open({ ports: there.ports, cwd: there.folder, env: here.env });
  await lanes.add({
    ...{ name: "squeak", openedAt: formatSeconds(Date.now()) },
    expiresAt: formatSeconds(Date.now() + 3_600_000),
  });
  const sent = await here.work({});
  expect(sent.steps_[0]?.end, JSON.stringify(sent.steps_[0]?.step.failure)).toBe("parked");
  const { transportId, deliveredIssueId } = sent.steps_[0]?.step.done.get("work") ?? {};
  expect(here.row("bd-1")).toMatchObject({ status: "blocked", left: { failure_class: "elsewhere" } });
  expect(last()).toMatchObject({ resultClass: "unverified_elsewhere" });
  expect(kinds(last())).toEqual(["gate", "lease", "squeak", "step"]);
  expect(refsOf(last()).find((ref) => ref.startsWith("squeak:"))).toBe(`squeak://${String(transportId)}`);
  await here.work({});
  expect(last()).toMatchObject({ resultClass: "unverified_elsewhere" });

  // A worker of that folder does it, and its checks pass there.
  const done = await there.work({ work: "echo new > new", env: { HOME: there.home } });
  expect(done.completed).toBe(1);
  expect(there.row(String(deliveredIssueId))).toMatchObject({ status: "closed" });
  await here.work({});
  expect(last()).toMatchObject({
    action: "squeak.verified",
    resultClass: "verified_accept",
    issueId: "bd-1",
  });
  expect(kinds(last())).toEqual(["gate", "squeak", "witness"]);
  const before = here.trajectory().length;
  await here.work({});
  expect(here.trajectory()).toHaveLength(before);
  expect(here.row("bd-1")["status"]).toBe("blocked");
});
