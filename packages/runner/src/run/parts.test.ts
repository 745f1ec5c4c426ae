/** An issue that a worker divides: refused unless the project allows it, and then the issue waits for its parts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { expect } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";

const parts = (...titles: string[]) => JSON.stringify(titles.map((title) => ({ kind: "part", title })));

/** Divides bd-1 the first time it sees it; everything else is done. */
const divider = (project: RunnerProject) => {
  const file = join(project.home, "parts.json");
  writeFileSync(file, parts("First half", "Second half", "Third half"));
  return `if [ "$PREMATH_ISSUE_ID" = bd-1 ] && [ ! -e "$HOME/once" ]; then touch "$HOME/once"; cp "${file}" "$BRIDLE_PROPOSALS"; else echo x > "new-$PREMATH_ISSUE_ID"; fi`;
};

const proposed = (project: RunnerProject) =>
  project.journal().find((row) => row.kind === "outcome" && row.effect === "propose")?.data ?? {};

/** Issues, each as its last row has it. */
const rows = (project: RunnerProject) => {
  const lines = project.read(".premath/issues.jsonl").trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as JsonObject);
  return [...new Map(all.map((row) => [row["id"], row])).values()];
};

it("is divided into as many parts as the project allows, waits for them and is done after them [RUNTIME-3.2.9]", async () => {
  const project = new RunnerProject({ issues: 1 });
  project.put(".bridle/runner.json", JSON.stringify({ schema: 1, decomposition: { partsMax: 2 } }));
  project.commit("may be divided");
  const end = await project.work({ work: divider(project), stepsMax: 9 });
  expect(end).toMatchObject({ because: "idle", completed: 3, failed: 1 });
  const [first] = end.steps_;
  expect(first?.step.failure).toMatchObject({ class: "waits_for_parts", during: "propose" });
  const { made, refused } = proposed(project);
  expect([made, refused]).toEqual([
    2,
    [expect.stringContaining("coordination.decomposition_policy_violation")],
  ]);
  const children = rows(project).filter(({ id }) => id !== "bd-1");
  for (const child of children)
    expect(child["dependencies"]).toMatchObject([{ depends_on_id: "bd-1", type: "discovered-from" }]);
  const waits = (project.row("bd-1")["dependencies"] as JsonObject[]).filter(
    ({ type }) => type === "waits-for",
  );
  expect(waits.map((each) => each["depends_on_id"]).toSorted()).toEqual(
    children.map(({ id }) => id).toSorted(),
  );
  // Dividing it cost no attempt, and it was worked on again only when both were closed.
  expect(project.row("bd-1")).toMatchObject({ status: "closed" });
  expect(project.row("bd-1")["attempts"] ?? 0).toBe(0);
  expect(end.steps_.flatMap(({ step }) => step.claimed?.issueId ?? []).at(-1)).toBe("bd-1");
});

it("is not divided where the project does not allow it, neither by proposals nor in the turn itself [RUNTIME-3.2.9]", async () => {
  const project = new RunnerProject({ issues: 1 });
  const file = join(project.home, "parts.json");
  writeFileSync(file, parts("First half"));
  const evidence = join(project.home, "evidence.json");
  const digests = ["mutation", "governance", "decomposition", "reminderQueue", "stateView"];
  writeFileSync(
    evidence,
    JSON.stringify({
      evidence: {
        callSpec: {
          ...{
            callId: "c",
            modelRef: "m",
            actionMode: "json",
            executionPattern: "fan_out",
            normalizerId: "n",
          },
          ...Object.fromEntries(digests.map((name) => [`${name}PolicyDigest`, "p"])),
          toolRenderProtocolDigest: "p",
        },
        toolRequests: [{ toolCallId: "a", toolName: "edit" }],
        toolResults: [{ toolCallId: "a", status: "ok", payload: {} }],
        toolUse: [{ toolCallId: "a", disposition: "observed" }],
        protocolState: { stopReason: "end_turn" },
        ...{ sessionRefs: ["session://s"], trajectoryRefs: ["trajectory://t"] },
      },
      // What it says about itself is no policy.
      decompositionConstraints: { admissible: true },
    }),
  );
  const fanned = await project.work({ work: `echo x > x; cp "${evidence}" "$BRIDLE_TURN_EVIDENCE"` });
  expect(fanned.steps_[0]?.step.failure?.class).toBe("coordination.decomposition_policy_violation");
  project.put(".premath/issues.jsonl", `${JSON.stringify({ id: "bd-2", title: "Two" })}\n`);
  const end = await project.work({ work: `echo x > x; cp "${file}" "$BRIDLE_PROPOSALS"` });
  expect(end.completed).toBe(1);
  expect(rows(project)).toHaveLength(1);
});
