/** Instructions as programs meet them: checked, run and witnessed by the built command. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { digest, type JsonObject } from "@bridle/record";
import { joinCheck } from "@bridle/work";
import { describe, expect } from "vitest";
import { CheckedProject } from "../support/checked-project.js";
import { commandHere, type Ended } from "../support/command-here.js";
import { test } from "../support/everyday.js";

const policy = {
  schema: 1,
  policyKind: "ci.instruction.policy.v1",
  policyId: "policy.mine.v1",
  allowedChecks: ["hk-check", "missing", "test"],
  allowedNormalizers: ["normalizer.ci.v1"],
};
const policyDigest = digest("pol1_", policy);
const envelope: JsonObject = {
  schema: 1,
  intent: "Run the checks.",
  scope: { kind: "repo" },
  normalizerId: "normalizer.ci.v1",
  policyDigest,
  requestedChecks: ["hk-check"],
};
const proposal: JsonObject = {
  proposalKind: "value",
  targetCtxRef: "ctx:demo",
  targetJudgment: { kind: "obj", shape: "ObjNF:site" },
  candidateRefs: ["obj:alpha"],
  binding: { normalizerId: "normalizer.ci.v1", policyDigest },
};
const name = "20260101T000000Z-mine.json";

class Instructed extends CheckedProject {
  constructor(
    checks: JsonObject[] = [
      { id: "hk-check", command: "grep -q good src/sum.sh" },
      { id: "test", command: "exit 3" },
    ],
  ) {
    super({ checks });
    this.put("policies/instruction/mine.json", JSON.stringify({ ...policy, policyDigest }));
    this.commit("a policy");
  }

  async run(command: string, value: unknown, more = "", file = name): Promise<Ended> {
    this.put(`instructions/${file}`, typeof value === "string" ? value : JSON.stringify(value));
    const words = `${command} --instruction instructions/${file} ${more}`.trim().split(" ");
    return commandHere([...words, "--json"], { cwd: this.folder, env: this.env });
  }
}

describe("instruction-check", () => {
  test("[TUSK-14.2.11] says what a sound envelope comes to", async () => {
    const project = new Instructed();
    const ended = await project.run("instruction-check", { ...envelope, capabilityClaims: ["b", "a"] });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({
      instructionClassification: { state: "typed", kind: "ci.gate.check" },
      executionDecision: { state: "execute" },
      capabilityClaims: ["a", "b"],
      typingPolicy: { allowUnknown: false },
    });
    expect(
      (await project.run("instruction-check", { ...envelope, requestedChecks: ["test"] })).json(),
    ).toMatchObject({
      instructionClassification: { state: "unknown", reason: "unrecognized_requested_checks" },
      executionDecision: { state: "reject", operationalFailureClasses: ["instruction_unknown_unroutable"] },
    });
    expect(
      (
        await project.run("instruction-check", {
          ...envelope,
          proposal: { ...proposal, candidateRefs: ["b", "a", "a"] },
        })
      ).json(),
    ).toMatchObject({
      executionDecision: {
        state: "reject",
        source: "proposal_discharge",
        semanticFailureClasses: ["glue_non_contractible"],
      },
      proposal: { canonical: { candidateRefs: ["a", "b"] } },
    });
    expect((await project.run("instruction-check", { ...envelope, proposal })).json()).toMatchObject({
      executionDecision: { state: "execute" },
    });
  });

  const wrong: [string, unknown, string][] = [
    ["no JSON", "{", "instruction_envelope_invalid_json"],
    ["a list", [], "instruction_envelope_invalid_shape"],
    ["no schema", { ...envelope, schema: 0 }, "instruction_invalid_schema"],
    ["a blank intent", { ...envelope, intent: " x" }, "instruction_invalid_intent"],
    ["no normalizer", { ...envelope, normalizerId: "" }, "instruction_invalid_normalizer"],
    ["no policy", { ...envelope, policyDigest: 7 }, "instruction_invalid_policy_digest"],
    ["no scope", { ...envelope, scope: undefined }, "instruction_scope_missing"],
    ["a blank scope", { ...envelope, scope: "" }, "instruction_scope_invalid"],
    ["a check twice", { ...envelope, requestedChecks: ["a", "a"] }, "instruction_requested_checks_invalid"],
    ["no check", { ...envelope, requestedChecks: [] }, "instruction_requested_checks_invalid"],
    ["an unknown policy", { ...envelope, policyDigest: "pol1_x" }, "instruction_unknown_policy"],
    [
      "a check that is not allowed",
      { ...envelope, requestedChecks: ["other"] },
      "instruction_check_not_allowed",
    ],
    [
      "a normalizer that is not allowed",
      { ...envelope, normalizerId: "n" },
      "instruction_normalizer_not_allowed",
    ],
    ["a type that is none", { ...envelope, instructionType: 7 }, "instruction_instruction_type_invalid"],
    [
      "a typing policy that is none",
      { ...envelope, typingPolicy: { allowUnknown: "yes" } },
      "instruction_typing_policy_invalid",
    ],
    ["claims twice", { ...envelope, capabilityClaims: ["a", "a"] }, "instruction_capability_claims_invalid"],
    ["two proposals", { ...envelope, proposal, llmProposal: proposal }, "proposal_invalid_shape"],
    [
      "a proposal of no kind",
      { ...envelope, proposal: { ...proposal, proposalKind: "x" } },
      "proposal_invalid_kind",
    ],
    [
      "a proposal without a target",
      { ...envelope, proposal: { ...proposal, targetCtxRef: "" } },
      "proposal_invalid_target",
    ],
    [
      "a target that is none",
      { ...envelope, proposal: { ...proposal, targetJudgment: { kind: "x", shape: "y" } } },
      "proposal_invalid_target_judgment",
    ],
    ["steps in a value", { ...envelope, proposal: { ...proposal, steps: [{}] } }, "proposal_invalid_step"],
    [
      "a derivation without steps",
      { ...envelope, proposal: { ...proposal, proposalKind: "derivation" } },
      "proposal_invalid_step",
    ],
    [
      "an unbound proposal",
      { ...envelope, proposal: { ...proposal, binding: undefined } },
      "proposal_unbound_policy",
    ],
    [
      "a proposal bound elsewhere",
      { ...envelope, proposal: { ...proposal, binding: { normalizerId: "n", policyDigest } } },
      "proposal_binding_mismatch",
    ],
    [
      "a digest that is not its own",
      { ...envelope, proposal: { ...proposal, proposalDigest: "prop1_x" } },
      "proposal_nondeterministic",
    ],
    [
      "a KCIR ref that is not its own",
      { ...envelope, proposal: { ...proposal, proposalKcirRef: "kcir1_x" } },
      "proposal_kcir_ref_mismatch",
    ],
  ];
  test("names the first thing that is wrong, one line, exit code 2", async () => {
    const project = new Instructed();
    for (const [what, value, failureClass] of wrong) {
      const ended = await project.run("instruction-check", value);
      expect(ended.code, what).toBe(2);
      expect(ended.stderr, what).toMatch(new RegExp(`^${failureClass}: .*\n$`));
    }
    expect((await project.run("instruction-check", envelope, "", "mine.json")).stderr).toMatch(
      /^instruction_filename_invalid: /,
    );
    project.put(
      "policies/instruction/mine.json",
      JSON.stringify({ ...policy, allowedChecks: ["other"], policyDigest }),
    );
    expect((await project.run("instruction-check", envelope)).stderr).toMatch(
      /^instruction_policy_digest_mismatch: /,
    );
    project.put("policies/instruction/mine.json", "{}");
    expect((await project.run("instruction-check", envelope)).stderr).toMatch(
      /^instruction_policy_invalid_shape: /,
    );
  });
});

describe("instruction-witness", () => {
  const runtime = (of: JsonObject, results: JsonObject[]) => ({
    instructionId: name.replace(".json", ""),
    instructionRef: `instructions/${name}`,
    instructionDigest: digest("instr1_", of),
    squeakSiteProfile: "local",
    runStartedAt: "2026-01-01T00:00:00Z",
    runFinishedAt: "2026-01-01T00:00:01Z",
    runDurationMs: 1000,
    results,
  });
  const passed = { checkId: "hk-check", status: "passed", exitCode: 0, durationMs: 5 };

  test("accepts what passed, rejects what failed, and takes only what was asked for", async () => {
    const project = new Instructed();
    const witness = async (of: JsonObject, run: JsonObject, more = "") => {
      writeFileSync(join(project.home, "run.json"), JSON.stringify(run));
      return project.run(
        "instruction-witness",
        of,
        `--runtime ${join(project.home, "run.json")} ${more}`.trim(),
      );
    };
    expect((await witness(envelope, runtime(envelope, [passed]))).json()).toMatchObject({
      verdictClass: "accepted",
      failureClasses: [],
    });
    const failed = { ...passed, status: "failed", exitCode: 2 };
    expect((await witness(envelope, runtime(envelope, [failed]))).json()).toMatchObject({
      verdictClass: "rejected",
      failureClasses: ["check_failed"],
    });
    for (const run of [
      runtime(envelope, []),
      runtime(envelope, [failed, passed]),
      runtime({ ...envelope, schema: 2 }, [passed]),
      runtime(envelope, [{ ...passed, exitCode: 1 }]),
    ])
      expect((await witness(envelope, run)).stderr).toMatch(/^instruction_runtime_invalid: /);
    const invalid = { ...envelope, schema: 0 };
    const rejected = await witness(
      invalid,
      runtime(invalid, []),
      "--pre-execution-failure-class instruction_invalid_schema --pre-execution-reason wrong",
    );
    expect(rejected.json()).toMatchObject({
      rejectStage: "pre_execution",
      verdictClass: "rejected",
      operationalFailureClasses: ["instruction_invalid_schema"],
      executedChecks: [],
    });
  });
});

describe("instruction-run", () => {
  const read = (project: Instructed) => JSON.parse(project.read(`artifacts/ciwitness/${name}`)) as JsonObject;

  test("[TUSK-14.2.28] runs the allowed checks and writes a witness with its join, linked to session and trajectory", async () => {
    const project = new Instructed();
    await commandHere("harness-session write --state active".split(" "), {
      cwd: project.folder,
      env: project.env,
    });
    const ended = await project.run("instruction-run", envelope);
    expect(ended.code, ended.stderr).toBe(0);
    const witness = read(project);
    expect(witness).toMatchObject({
      verdictClass: "accepted",
      executedChecks: ["hk-check"],
      joinClosed: true,
      joinFailureClasses: [],
    });
    const joined = joinCheck(witness["joinEvidence"] as JsonObject, policyDigest);
    expect(joined).toMatchObject({ joinClosed: true, mutationReady: true });
    const { witnessDigest, ...rest } = witness;
    expect(witnessDigest).toBe(digest("sha256:", rest));
    const ref = String(ended.json()["witnessRef"]);
    const rows = project.read(".premath/harness_trajectory.jsonl");
    expect(rows).toContain(ref);
    expect(project.read(".premath/harness_session.json")).toContain(ref);
  });

  test("a check that fails, or that the map does not have, is rejected with its class", async () => {
    const project = new Instructed();
    const ended = await project.run("instruction-run", {
      ...envelope,
      instructionType: "ci.gate.check",
      requestedChecks: ["test", "missing"],
    });
    expect(ended.code).toBe(1);
    expect(read(project)).toMatchObject({
      verdictClass: "rejected",
      operationalFailureClasses: ["check_failed", "executor_unavailable"],
      results: [
        { checkId: "test", exitCode: 3 },
        { checkId: "missing", exitCode: 127 },
      ],
    });
    expect(
      (
        await project.run(
          "instruction-run",
          { ...envelope, instructionType: "ci.gate.check", requestedChecks: ["test"] },
          "--allow-failure",
        )
      ).code,
    ).toBe(0);
  });

  test("what is not sound or of no known type runs nothing and is witnessed as rejected", async () => {
    const project = new Instructed([{ id: "hk-check", command: "touch ran && false" }]);
    await project.run("instruction-run", { ...envelope, requestedChecks: ["test"] });
    expect(read(project)).toMatchObject({
      executedChecks: [],
      failureClasses: ["instruction_unknown_unroutable"],
    });
    await project.run("instruction-run", { ...envelope, schema: 0 });
    expect(read(project)).toMatchObject({
      rejectStage: "pre_execution",
      failureClasses: ["instruction_invalid_schema"],
    });
  });
});
