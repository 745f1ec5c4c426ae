/** Instructions and their proposals without a repository: what each comes to, and what each defect is called. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digest, isRefusal, type JsonObject, type JsonValue, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../../test/support/folder.js";
import { checkInstruction, type Instruction, instructionDigest, instructionIdOf } from "./envelope.js";
import { instructionPolicy } from "./policy.js";
import { checkProposal, ProposalInvalid } from "./proposal.js";
import { instructionWitness, preExecutionWitness, sealedWitness } from "./witness.js";

const policy = {
  ...{ schema: 1, policyKind: "ci.instruction.policy.v1", policyId: "policy.mine.v1" },
  allowedChecks: ["hk-check", "hk-pre-commit", "hk-pre-push", "test"],
  allowedNormalizers: ["normalizer.ci.v1"],
};
const policyDigest = digest("pol1_", policy);
const binding = { normalizerId: "normalizer.ci.v1", policyDigest };
const value: JsonObject = {
  ...{ proposalKind: "value", targetCtxRef: "ctx:demo", candidateRefs: ["obj:alpha"], binding },
  targetJudgment: { kind: "obj", shape: "ObjNF:site" },
};
const step = { ruleId: "r.1", inputs: ["a"], outputs: ["b"], claim: "b follows" };
const derivation: JsonObject = { ...value, proposalKind: "derivation", candidateRefs: [], steps: [step] };
const plan: JsonObject = { ...value, proposalKind: "refinementPlan" };
const hints = ["adjoint_triangle", "beck_chevalley_sigma", "beck_chevalley_pi", "refinement_invariance"];

function classOf(proposal: JsonValue): string {
  try {
    checkProposal(proposal);
    return "none";
  } catch (error) {
    if (error instanceof ProposalInvalid) return `${error.failureClass}: ${error.message}`;
    throw error;
  }
}

describe("a proposal", () => {
  it.each<[string, JsonValue, string]>([
    ["is no object", [], "proposal_invalid_shape: proposal must be an object"],
    ["has no kind", { ...value, proposalKind: " " }, "proposal_invalid_kind: proposal.proposalKind"],
    ["is of another kind", { ...value, proposalKind: "guess" }, "proposal_invalid_kind: "],
    ["has no target", { ...value, targetCtxRef: 7 }, "proposal_invalid_target: proposal.targetCtxRef"],
    ["has no judgment", { ...value, targetJudgment: "obj" }, "proposal_invalid_target_judgment: "],
    [
      "has a judgment of no kind",
      { ...value, targetJudgment: { shape: "s" } },
      "proposal_invalid_target_judgment: proposal.targetJudgment.kind must be a non-empty",
    ],
    [
      "has a judgment of another kind",
      { ...value, targetJudgment: { kind: "set", shape: "s" } },
      "proposal_invalid_target_judgment: proposal.targetJudgment.kind must be obj or mor",
    ],
    [
      "has a judgment without a shape",
      { ...value, targetJudgment: { kind: "mor" } },
      "proposal_invalid_target_judgment: proposal.targetJudgment.shape",
    ],
    ["is bound to nothing", { ...value, binding: null }, "proposal_unbound_policy: proposal.binding must"],
    [
      "is bound to no normalizer",
      { ...value, binding: { policyDigest } },
      "proposal_unbound_policy: proposal.binding.normalizerId",
    ],
    [
      "is bound to no policy",
      { ...value, binding: { normalizerId: "n" } },
      "proposal_unbound_policy: proposal.binding.policyDigest",
    ],
    ["names candidates by a text", { ...value, candidateRefs: "a" }, "proposal_invalid_step: "],
    ["has a blank candidate", { ...value, candidateRefs: [" "] }, "proposal_invalid_step: "],
    ["has steps that are no list", { ...value, steps: {} }, "proposal_invalid_step: proposal.steps must"],
    ["has steps and is none", { ...value, steps: [step] }, "proposal_invalid_step: a derivation has steps"],
    ["is a derivation without", { ...derivation, steps: [] }, "proposal_invalid_step: a derivation"],
    [
      "has a step that is no object",
      { ...derivation, steps: [step, 7] },
      "proposal_invalid_step: proposal.steps[1] must be an object",
    ],
    [
      "has a step without a rule",
      { ...derivation, steps: [{ ...step, ruleId: "" }] },
      "proposal_invalid_step: proposal.steps[0].ruleId",
    ],
    [
      "has a step without a claim",
      { ...derivation, steps: [{ ...step, claim: undefined as never }] },
      "proposal_invalid_step: proposal.steps[0].claim",
    ],
    [
      "has a step whose inputs are no list",
      { ...derivation, steps: [{ ...step, inputs: "a" }] },
      "proposal_invalid_step: proposal.steps[0].inputs",
    ],
  ])("that %s is refused by its class", (_what, proposal, says) => {
    expect(classOf(proposal)).toContain(says);
  });

  it("has one form: trimmed, its candidates sorted and each once", () => {
    const loose = {
      ...value,
      targetCtxRef: " ctx:demo ",
      candidateRefs: ["b", " a", "b"],
      targetJudgment: { kind: " mor ", shape: " s " },
      binding: { normalizerId: " n ", policyDigest: " p " },
      unheard: true,
    };
    const { canonical } = checkProposal(loose);
    expect(canonical).toEqual({
      ...{ proposalKind: "value", targetCtxRef: "ctx:demo", candidateRefs: ["a", "b"] },
      targetJudgment: { kind: "mor", shape: "s" },
      binding: { normalizerId: "n", policyDigest: "p" },
    });
    expect(checkProposal(canonical as unknown as JsonObject).digest).toBe(checkProposal(loose).digest);
    const derived = checkProposal({ ...derivation, steps: [{ ruleId: " r ", claim: " c " }] }).canonical;
    expect(derived.steps).toEqual([{ ruleId: "r", inputs: [], outputs: [], claim: "c" }]);
  });

  it("may name its own digest and KCIR ref, and no other", () => {
    const { digest: proposalDigest, kcirRef: proposalKcirRef } = checkProposal(value);
    expect(proposalDigest).toMatch(/^prop1_[0-9a-f]{64}$/);
    expect(proposalKcirRef).toMatch(/^kcir1_[0-9a-f]{64}$/);
    expect(classOf({ ...value, proposalDigest, proposalKcirRef })).toBe("none");
    expect(classOf({ ...plan, proposalDigest })).toContain("proposal_nondeterministic: ");
    expect(classOf({ ...plan, proposalKcirRef })).toContain("proposal_kcir_ref_mismatch: ");
  });

  const discharged = (proposal: JsonObject) => {
    const { discharge, obligations } = checkProposal(proposal);
    const steps = discharge["steps"] as JsonObject[];
    return {
      ...{ outcome: discharge.outcome, classes: discharge.failureClasses },
      kinds: obligations.map((each) => each["kind"]),
      failed: steps.filter(({ status }) => status === "failed"),
      obligations,
    };
  };

  it("with one candidate is accepted, with none has a gap, with two is ambiguous", () => {
    expect(discharged(value)).toMatchObject({
      ...{ outcome: "accepted", classes: [], failed: [] },
      kinds: ["stability", "locality", "descent_exists"],
    });
    expect(discharged({ ...value, candidateRefs: [] })).toMatchObject({
      ...{ outcome: "rejected", classes: ["descent_failure"] },
      kinds: ["stability", "locality", "ext_gap"],
      failed: [{ kind: "ext_gap", failureClass: "descent_failure", lawRef: "GATE-3.3" }],
    });
    expect(discharged({ ...value, candidateRefs: ["a", "b"] })).toMatchObject({
      classes: ["glue_non_contractible"],
      kinds: ["stability", "locality", "descent_exists", "ext_ambiguous"],
      failed: [{ kind: "ext_ambiguous", lawRef: "GATE-3.4" }],
    });
  });

  it("that derives something needs no candidate, and one without outputs has a gap", () => {
    expect(discharged(derivation)).toMatchObject({ outcome: "accepted" });
    const silent = { ...derivation, steps: [{ ...step, outputs: [] }] };
    expect(discharged(silent)).toMatchObject({ classes: ["descent_failure"] });
    expect(discharged({ ...derivation, candidateRefs: ["a", "b"] })).toMatchObject({ outcome: "accepted" });
  });

  it("that refines asks for a hint to each of its laws", () => {
    const refs = hints.map((hint) => `hint:${hint}`);
    expect(discharged({ ...plan, candidateRefs: refs })).toMatchObject({
      ...{ outcome: "accepted" },
      kinds: ["stability", "locality", "descent_exists", "adjoint_triple", ...hints],
    });
    const laws = ["GATE-3.5", "GATE-3.5", "GATE-3.5", "GATE-3.1"];
    for (const [at, hint] of hints.entries()) {
      const { failed } = discharged({ ...plan, candidateRefs: refs.filter((_, i) => i !== at) });
      expect(failed).toMatchObject([
        {
          ...{ kind: hint, missingHint: `hint:${hint}`, lawRef: laws[at] },
          failureClass: at === 3 ? "stability_failure" : "adjoint_triple_coherence_failure",
        },
      ]);
    }
    expect(discharged(plan).classes).toEqual(["adjoint_triple_coherence_failure", "stability_failure"]);
  });

  it("says what each obligation is about: its candidate, its last output, or its target", () => {
    const subjects = (proposal: JsonObject) =>
      discharged(proposal).obligations.map(({ subject }) => (subject as JsonObject)["ref"]);
    expect(new Set(subjects({ ...value, candidateRefs: ["z", "b"] }))).toEqual(new Set(["b"]));
    const steps = [step, { ...step, outputs: ["c", "d"] }, { ...step, outputs: [] }];
    expect(new Set(subjects({ ...derivation, steps }))).toEqual(new Set(["c"]));
    expect(new Set(subjects({ ...value, candidateRefs: [] }))).toEqual(new Set(["ctx:demo#obj"]));
    const { obligations } = discharged({ ...derivation, steps });
    expect(obligations[1]).toMatchObject({
      ...{ obligationId: expect.stringMatching(/^obl1_/), ctx: { ref: "ctx:demo" } },
      details: { proposalKind: "derivation", candidateCount: 0, stepCount: 3, obligationIndex: 1 },
    });
    expect(new Set(obligations.map(({ obligationId }) => obligationId)).size).toBe(3);
  });
});

const envelope: JsonObject = {
  ...{ schema: 1, intent: "Run the checks.", scope: { kind: "repo" }, ...binding },
  requestedChecks: ["hk-check"],
};

function repository(files: Record<string, unknown> = { "mine.json": { ...policy, policyDigest } }): string {
  const folder = newFolder();
  mkdirSync(join(folder, "policies/instruction"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(folder, "policies/instruction", name),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  return folder;
}

const { files } = nodePorts();
const checked = async (more: JsonObject, repoRoot = repository()) =>
  checkInstruction({ ...envelope, ...more }, { repoRoot, files });
async function sound(more: JsonObject): Promise<Instruction> {
  const answer = await checked(more);
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

describe("an instruction", () => {
  it.each<[string[], string | undefined, object]>([
    [["hk-check"], undefined, { state: "typed", kind: "ci.gate.check" }],
    [["hk-pre-commit"], undefined, { state: "typed", kind: "ci.gate.pre_commit" }],
    [["hk-pre-push"], undefined, { state: "typed", kind: "ci.gate.pre_push" }],
    [["hk-pre-push", "hk-pre-commit"], undefined, { state: "typed", kind: "ci.gate.check" }],
    [["hk-check", "test"], undefined, { state: "unknown", reason: "unrecognized_requested_checks" }],
    [["test"], "ci.gate.pre_push", { state: "typed", kind: "ci.gate.pre_push" }],
    [["hk-check"], "ci.gate.other", { state: "unknown", reason: "unsupported_instruction_type" }],
  ])("that asks for %j as %s is %j", async (requestedChecks, type, classification) => {
    const more = { requestedChecks, ...(type === undefined ? {} : { instructionType: ` ${type} ` }) };
    const instruction = await sound(more);
    expect(instruction.instructionClassification).toEqual(classification);
    expect("instructionType" in instruction ? instruction.instructionType : undefined).toBe(type);
    expect("instructionType" in instruction).toBe(type !== undefined);
  });

  it("of no known type runs only where it says that it may", async () => {
    const unknown = { requestedChecks: ["test"] };
    expect((await sound(unknown)).executionDecision).toEqual({
      ...{ state: "reject", source: "instruction_classification", reason: "unrecognized_requested_checks" },
      ...{ operationalFailureClasses: ["instruction_unknown_unroutable"], semanticFailureClasses: [] },
    });
    const allowed = await sound({ ...unknown, typingPolicy: { allowUnknown: true } });
    expect(allowed).toMatchObject({ executionDecision: { state: "execute" } });
    expect(allowed.typingPolicy).toEqual({ allowUnknown: true });
    expect((await sound({ typingPolicy: {} })).typingPolicy).toEqual({ allowUnknown: false });
  });

  it("runs with a proposal that is discharged, and not with one that fails", async () => {
    expect(await sound({ llmProposal: value })).toMatchObject({ executionDecision: { state: "execute" } });
    expect((await sound({ proposal: { ...value, candidateRefs: [] } })).executionDecision).toEqual({
      ...{ state: "reject", source: "proposal_discharge", reason: "proposal_discharge_rejected" },
      ...{ operationalFailureClasses: [], semanticFailureClasses: ["descent_failure"] },
    });
    for (const other of [
      { ...binding, normalizerId: "n" },
      { ...binding, policyDigest: "p" },
    ])
      expect(await checked({ proposal: { ...value, binding: other } })).toMatchObject({
        refused: "proposal_binding_mismatch",
      });
  });

  it.each<[string, JsonObject, string]>([
    ["schema 1.5", { schema: 1.5 }, "instruction_invalid_schema"],
    ["schema as text", { schema: "1" }, "instruction_invalid_schema"],
    ["scope null", { scope: null }, "instruction_scope_invalid"],
    ["a blank scope", { scope: "" }, "instruction_scope_invalid"],
    ["a check that is no text", { requestedChecks: ["hk-check", 7] }, "instruction_requested_checks_invalid"],
    [
      "a check twice but for blanks",
      { requestedChecks: ["a", " a"] },
      "instruction_requested_checks_invalid",
    ],
    ["a blank type", { instructionType: " " }, "instruction_instruction_type_invalid"],
    ["a typing policy of text", { typingPolicy: "open" }, "instruction_typing_policy_invalid"],
    ["a typing policy of null", { typingPolicy: null }, "instruction_typing_policy_invalid"],
    ["claims as text", { capabilityClaims: "all" }, "instruction_capability_claims_invalid"],
    ["a blank claim", { capabilityClaims: [""] }, "instruction_capability_claims_invalid"],
  ])("with %s is refused", async (_what, more, refused) => {
    expect(await checked(more)).toMatchObject({ refused });
  });

  it("is named by a time and an id", () => {
    expect(instructionIdOf("instructions/20260101T000000Z-mine.json")).toBe("20260101T000000Z-mine");
    for (const name of [
      "mine.json",
      "-mine.json",
      "20260101-.json",
      "20260101T000000Z-mine.txt",
      "a-b.json.x",
    ])
      expect(instructionIdOf(name)).toMatchObject({ refused: "instruction_filename_invalid" });
  });
});

describe("an instruction policy", () => {
  const found = (of: Record<string, unknown>, wanted = policyDigest) =>
    instructionPolicy(repository(of), wanted, files);
  const sealed = (more: JsonObject) => {
    const whole = { ...policy, ...more };
    return { ...whole, policyDigest: digest("pol1_", whole) };
  };

  it("is found by its digest, among others and whatever its file is called", async () => {
    const others = {
      "a.json": sealed({ policyId: "a" }),
      "z.json": { ...policy, policyDigest },
      "no.txt": "{",
    };
    expect(await found(others)).toMatchObject({ policyDigest });
    const none = await found(others, "pol1_x");
    expect(none).toMatchObject({
      refused: "instruction_unknown_policy",
      message: expect.stringContaining(policyDigest) as string,
    });
    expect(await found({})).toMatchObject({ message: expect.stringContaining("there are none") as string });
    expect(await instructionPolicy(newFolder(), policyDigest, files)).toMatchObject({
      refused: "instruction_unknown_policy",
    });
  });

  it("is the same in whichever order it names things", async () => {
    const turned = { ...policy, allowedChecks: policy.allowedChecks.toReversed(), policyDigest };
    expect(await found({ "a.json": turned })).toMatchObject({
      allowedChecks: policy.allowedChecks.toSorted(),
    });
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{", "instruction_policy_invalid_shape"],
    ["a list", [], "instruction_policy_invalid_shape"],
    ["of another schema", sealed({ schema: 2 }), "instruction_policy_invalid_shape"],
    ["of another kind", sealed({ policyKind: "x" }), "instruction_policy_invalid_shape"],
    ["without an id", sealed({ policyId: " " }), "instruction_policy_invalid_shape"],
    ["without checks", sealed({ allowedChecks: [] }), "instruction_policy_invalid_shape"],
    ["with a check twice", sealed({ allowedChecks: ["a", "a"] }), "instruction_policy_invalid_shape"],
    ["with a check that is no text", sealed({ allowedChecks: [7] }), "instruction_policy_invalid_shape"],
    ["with an id that is no text", sealed({ policyId: 7 }), "instruction_policy_invalid_shape"],
    ["without normalizers", sealed({ allowedNormalizers: "n" }), "instruction_policy_invalid_shape"],
    ["without a digest", policy, "instruction_policy_invalid_shape"],
    ["edited since", { ...policy, policyId: "x", policyDigest }, "instruction_policy_digest_mismatch"],
  ])("that is %s breaks them all", async (_what, broken, refused) => {
    expect(await found({ "a.json": broken, "z.json": { ...policy, policyDigest } })).toMatchObject({
      refused,
    });
  });

  it("that stands there twice breaks them all", async () => {
    const same = { ...policy, policyDigest };
    expect(await found({ "a.json": same, "b.json": same })).toMatchObject({
      refused: "instruction_policy_invalid_shape",
    });
  });
});

describe("the witness of an instruction", () => {
  const runtime = (results: { checkId: string; exitCode: number; failureClass?: string }[] = []) => ({
    ...{ instructionId: "20260101T000000Z-mine", instructionRef: "instructions/x.json" },
    ...{ instructionDigest: instructionDigest(envelope), squeakSiteProfile: "local" },
    ...{ runStartedAt: "a", runFinishedAt: "b", runDurationMs: 1 },
    results: results.map((each) => ({
      ...each,
      status: each.exitCode === 0 ? ("passed" as const) : ("failed" as const),
      durationMs: 1,
    })),
  });

  it("names the class of what failed, and accepts nothing else", async () => {
    const of = await sound({});
    const verdict = (exitCode: number, failureClass?: string) => {
      const result = {
        checkId: "hk-check",
        exitCode,
        ...(failureClass === undefined ? {} : { failureClass }),
      };
      return instructionWitness(of, runtime([result]));
    };
    expect(verdict(0)).toMatchObject({
      verdictClass: "accepted",
      failureClasses: [],
      scope: { kind: "repo" },
    });
    for (const name of ["rejectStage", "rejectReason", "proposalIngest"])
      expect(verdict(0)).not.toHaveProperty(name);
    expect(verdict(124, "gate_timeout")).toMatchObject({
      ...{ verdictClass: "rejected", failureClasses: ["gate_timeout"] },
      ...{ operationalFailureClasses: ["gate_timeout"], semanticFailureClasses: [] },
    });
    expect(verdict(1, "made_up")).toMatchObject({ failureClasses: ["check_failed"] });
  });

  it("of what must not run tells why, and that nothing did", async () => {
    const more = { proposal: { ...value, candidateRefs: [] } };
    const of = await sound(more);
    const digestOf = { instructionDigest: of.instructionDigest };
    expect(instructionWitness(of, { ...runtime(), ...digestOf })).toMatchObject({
      ...{ verdictClass: "rejected", rejectStage: "pre_execution", executedChecks: [] },
      ...{ rejectReason: "proposal_discharge_rejected", semanticFailureClasses: ["descent_failure"] },
      proposalIngest: {
        ...{ state: "typed", kind: "proposal.value", targetCtxRef: "ctx:demo", binding },
        discharge: { outcome: "rejected" },
      },
    });
    const ran = { ...runtime([{ checkId: "hk-check", exitCode: 0 }]), ...digestOf };
    expect(instructionWitness(of, ran)).toMatchObject({ refused: "instruction_runtime_invalid" });
  });

  it("of an envelope that could not be read keeps what could", () => {
    const failure = { failureClass: "instruction_invalid_schema", reason: "wrong" };
    const kept = preExecutionWitness(
      { ...envelope, typingPolicy: { allowUnknown: true }, capabilityClaims: ["b", "a", 7], intent: " i " },
      runtime([{ checkId: "hk-check", exitCode: 0 }]),
      failure,
    );
    expect(kept).toMatchObject({
      ...{ verdictClass: "rejected", failureClasses: ["instruction_invalid_schema"], results: [] },
      ...{ intent: "i", capabilityClaims: ["a", "b"], requiredChecks: ["hk-check"], executedChecks: [] },
      ...{ typingPolicy: { allowUnknown: true }, ...binding, rejectReason: "wrong", scope: { kind: "repo" } },
      instructionClassification: { state: "unknown", reason: "pre_execution_invalid" },
    });
    expect(kept.typedCoreProjectionDigest).toMatch(/^ev1_[0-9a-f]{64}$/);
    const { scope: _scope, policyDigest: _policy, ...less } = envelope;
    expect(preExecutionWitness(less, runtime(), failure)).toMatchObject({
      ...{ scope: null, policyDigest: null, typedCoreProjectionDigest: null },
      normalizerId: "normalizer.ci.v1",
    });
    for (const none of [undefined, null, []])
      expect(preExecutionWitness(none, runtime(), failure)).toMatchObject({
        ...{ intent: "(invalid envelope)", normalizerId: null, capabilityClaims: [], requiredChecks: [] },
        typingPolicy: { allowUnknown: false },
      });
  });

  it("is sealed by all that it says", async () => {
    const witness = instructionWitness(await sound({}), runtime([{ checkId: "hk-check", exitCode: 0 }]));
    if (isRefusal(witness)) throw new Error(witness.message);
    const whole = sealedWitness(witness);
    expect(sealedWitness(whole)).toEqual(whole);
    expect(sealedWitness({ ...whole, intent: "other" }).witnessDigest).not.toBe(whole.witnessDigest);
  });
});
