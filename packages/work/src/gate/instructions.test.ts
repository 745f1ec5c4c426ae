/** What the gate knows of instructions: which envelopes a client may run, and the turn that a run leaves. */
import { join } from "node:path";
import type { Call } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import { expect, it } from "vitest";
import { CheckedProject } from "../../../../test/support/checked-project.js";
import { heldByBase } from "./base-commit.js";
import { joinOfRun } from "./instruction-turn.js";
import { judgeTurn } from "./join-check.js";

it("only an envelope right under instructions/, as the commit holds it, may be run", async () => {
  const project = new CheckedProject();
  const [root, git] = [project.folder, project.gitPort];
  const asked = async (path: string, cwd = root, ports: object = { git }) => {
    const held = await heldByBase(path, { root, call: { cwd, ports } as unknown as Call });
    return held?.message ?? "held";
  };
  project.put("instructions/a-b.json", "{}");
  project.put("instructions/deep/a-b.json", "{}");
  project.put("instructions/a-b.txt", "{}");
  project.put("elsewhere/instructions/a-b.json", "{}");
  expect(await asked("instructions/a-b.json")).toContain("it is not committed");
  project.commit("instructions");
  for (const path of [
    "instructions/a-b.json",
    join(root, "instructions/a-b.json"),
    "./instructions/a-b.json",
  ])
    expect([path, await asked(path)]).toEqual([path, "held"]);
  expect(await asked("a-b.json", join(root, "instructions"))).toBe("held");
  for (const path of [
    ...["instructions/deep/a-b.json", "instructions/a-b.txt", "elsewhere/instructions/a-b.json"],
    ...["../project2/instructions/a-b.json", "instructions/../readme", "instructions/.json", ""],
  ])
    expect([path, await asked(path)]).toEqual([path, `${path}: it does not stand under instructions/`]);
  expect(await asked("instructions/a-b.json", root, {})).toContain("there is no git to ask");
  project.put("instructions/a-b.json", "{ }");
  expect(await asked("instructions/a-b.json")).toContain("it was changed since");
});

it("a run leaves a turn that is closed: a call a check, each answered and observed", () => {
  const checked = {
    ...{ normalizerId: "n", policyDigest: "pol1_x", requestedChecks: ["a", "b"] },
  } as unknown as Parameters<typeof joinOfRun>[0];
  const results = [
    { checkId: "a", status: "passed", exitCode: 0, durationMs: 1 },
    { checkId: "b", status: "failed", exitCode: 3, durationMs: 1, failureClass: "gate_timeout" },
  ];
  const run = { instructionId: "i-1", results } as unknown as Parameters<typeof joinOfRun>[1];
  const refs = { sessionRefs: ["session://1"], trajectoryRefs: ["trajectory://1"] };
  const bound = { governancePolicyDigest: "pol1_g", decompositionPolicyDigest: "pol1_d" };
  const joined = joinOfRun(checked, run, refs, bound);
  expect(joined).toMatchObject({
    ...{ joinClosed: true, joinFailureClasses: [] },
    joinWitnessRef: expect.stringMatching(/^join:\/\/i-1\/[0-9a-f]{64}$/),
    joinEvidence: {
      evidence: {
        callSpec: {
          ...{ callId: "i-1", normalizerId: "n", mutationPolicyDigest: "pol1_x" },
          ...bound,
        },
        toolRequests: [{ toolCallId: "a" }, { toolCallId: "b" }],
        toolResults: [
          { toolCallId: "a", status: "ok", payload: { checkId: "a", exitCode: 0 } },
          { toolCallId: "b", status: "error", errorCode: "gate_timeout", errorMessage: "ended with 3" },
        ],
        toolUse: [
          { toolCallId: "a", disposition: "observed" },
          { toolCallId: "b", disposition: "observed" },
        ],
        protocolState: { stopReason: "end_turn", continuationAllowed: false },
        ...refs,
      },
    },
  });
  const judged = judgeTurn(joined.joinEvidence, "pol1_x");
  expect(isRefusal(judged) ? judged : judged.mutationReady).toBe(true);
  const half = { ...run, results: results.slice(0, 1) } as typeof run;
  expect(joinOfRun(checked, half, refs, bound)).toMatchObject({
    joinClosed: false,
    joinFailureClasses: ["tool.join_incomplete", "tool.result_missing"],
  });
});
