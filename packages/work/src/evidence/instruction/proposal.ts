/**
 * The proposal of an instruction: put into one form, bound to a normalizer and a policy, and
 * discharged against the obligations that its kind brings.
 */
import {
  compareCodePoints,
  digest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type FailureClass,
} from "@bridle/record";
import { sortedSet } from "../required/findings.js";

export interface Proposal {
  readonly proposalKind: "value" | "derivation" | "refinementPlan";
  readonly targetCtxRef: string;
  readonly targetJudgment: { readonly kind: "obj" | "mor"; readonly shape: string };
  readonly candidateRefs: readonly string[];
  readonly binding: { readonly normalizerId: string; readonly policyDigest: string };
  readonly steps?: readonly {
    readonly ruleId: string;
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
    readonly claim: string;
  }[];
}

export interface CheckedProposal {
  readonly canonical: Proposal;
  readonly digest: string;
  readonly kcirRef: string;
  readonly obligations: readonly JsonObject[];
  readonly discharge: JsonObject & {
    readonly outcome: "accepted" | "rejected";
    readonly failureClasses: readonly string[];
  };
}

/** What is wrong, by its class; thrown and caught within this folder. */
export class ProposalInvalid extends Error {
  constructor(
    readonly failureClass: FailureClass,
    message: string,
  ) {
    super(message);
  }
}

export function checkProposal(value: JsonValue): CheckedProposal {
  if (!isJsonObject(value)) throw new ProposalInvalid("proposal_invalid_shape", "proposal must be an object");
  const canonical = canonicalProposal(value);
  const [said, saidRef] = [value["proposalDigest"], value["proposalKcirRef"]];
  const is = digest("prop1_", canonical as unknown as JsonObject);
  const kcirRef = digest("kcir1_", {
    kind: "kcir.proposal.v1",
    canonicalProposal: canonical as unknown as JsonObject,
  });
  if (said !== undefined && said !== is)
    throw new ProposalInvalid("proposal_nondeterministic", `proposal.proposalDigest is not ${is}`);
  if (saidRef !== undefined && saidRef !== kcirRef)
    throw new ProposalInvalid("proposal_kcir_ref_mismatch", `proposal.proposalKcirRef is not ${kcirRef}`);
  const obligations = obligationsOf(canonical);
  return { canonical, digest: is, kcirRef, obligations, discharge: dischargeOf(canonical, obligations) };
}

function canonicalProposal(value: JsonObject): Proposal {
  const text = (of: JsonObject, name: string, at: string, failureClass: FailureClass): string => {
    const found = of[name];
    if (typeof found === "string" && found.trim() !== "") return found.trim();
    throw new ProposalInvalid(failureClass, `${at}.${name} must be a non-empty string`);
  };
  const object = (name: string, failureClass: FailureClass): JsonObject => {
    const found = value[name];
    if (isJsonObject(found)) return found;
    throw new ProposalInvalid(failureClass, `proposal.${name} must be an object`);
  };
  const texts = (of: JsonObject, name: string, at: string): string[] => {
    const found = of[name] ?? [];
    if (Array.isArray(found) && found.every((each) => typeof each === "string" && each.trim() !== ""))
      return (found as string[]).map((each) => each.trim());
    throw new ProposalInvalid("proposal_invalid_step", `${at}.${name} must be a list of texts`);
  };
  const proposalKind = text(value, "proposalKind", "proposal", "proposal_invalid_kind");
  if (proposalKind !== "value" && proposalKind !== "derivation" && proposalKind !== "refinementPlan")
    throw new ProposalInvalid(
      "proposal_invalid_kind",
      "proposal.proposalKind must be value, derivation or refinementPlan",
    );
  const targetCtxRef = text(value, "targetCtxRef", "proposal", "proposal_invalid_target");
  const judgment = object("targetJudgment", "proposal_invalid_target_judgment");
  const kind = text(judgment, "kind", "proposal.targetJudgment", "proposal_invalid_target_judgment");
  if (kind !== "obj" && kind !== "mor")
    throw new ProposalInvalid(
      "proposal_invalid_target_judgment",
      "proposal.targetJudgment.kind must be obj or mor",
    );
  const shape = text(judgment, "shape", "proposal.targetJudgment", "proposal_invalid_target_judgment");
  const bound = object("binding", "proposal_unbound_policy");
  const binding = {
    normalizerId: text(bound, "normalizerId", "proposal.binding", "proposal_unbound_policy"),
    policyDigest: text(bound, "policyDigest", "proposal.binding", "proposal_unbound_policy"),
  };
  const candidateRefs = [...new Set(texts(value, "candidateRefs", "proposal"))].sort(compareCodePoints);
  const listed = value["steps"] ?? [];
  if (!Array.isArray(listed))
    throw new ProposalInvalid("proposal_invalid_step", "proposal.steps must be a list");
  if ((proposalKind === "derivation") !== listed.length > 0)
    throw new ProposalInvalid("proposal_invalid_step", "a derivation has steps, and nothing else has");
  const steps = (listed as readonly JsonValue[]).map((step, at) => {
    const name = `proposal.steps[${at}]`;
    if (!isJsonObject(step)) throw new ProposalInvalid("proposal_invalid_step", `${name} must be an object`);
    return {
      ruleId: text(step, "ruleId", name, "proposal_invalid_step"),
      inputs: texts(step, "inputs", name),
      outputs: texts(step, "outputs", name),
      claim: text(step, "claim", name, "proposal_invalid_step"),
    };
  });
  return {
    ...{ proposalKind, targetCtxRef, targetJudgment: { kind, shape }, candidateRefs, binding },
    ...(steps.length === 0 ? {} : { steps }),
  };
}

const hinted = ["adjoint_triangle", "beck_chevalley_sigma", "beck_chevalley_pi", "refinement_invariance"];

const failureOf: Readonly<Record<string, readonly [failureClass: string, lawRef: string]>> = {
  ext_gap: ["descent_failure", "GATE-3.3"],
  ext_ambiguous: ["glue_non_contractible", "GATE-3.4"],
  adjoint_triangle: ["adjoint_triple_coherence_failure", "GATE-3.5"],
  beck_chevalley_sigma: ["adjoint_triple_coherence_failure", "GATE-3.5"],
  beck_chevalley_pi: ["adjoint_triple_coherence_failure", "GATE-3.5"],
  refinement_invariance: ["stability_failure", "GATE-3.1"],
};

function obligationsOf(proposal: Proposal): JsonObject[] {
  const { proposalKind, candidateRefs, steps = [], targetCtxRef, targetJudgment } = proposal;
  const outputs = steps.flatMap((step) => step.outputs);
  const kinds = [
    ...["stability", "locality", candidateRefs.length + outputs.length > 0 ? "descent_exists" : "ext_gap"],
    ...(proposalKind === "value" && candidateRefs.length > 1 ? ["ext_ambiguous"] : []),
    ...(proposalKind === "refinementPlan" ? ["adjoint_triple", ...hinted] : []),
  ];
  const lastOutput = steps.toReversed().find((step) => step.outputs.length > 0)?.outputs[0];
  const ref = candidateRefs[0] ?? lastOutput ?? `${targetCtxRef}#${targetJudgment.kind}`;
  return kinds.map((kind, obligationIndex) => {
    const core = {
      kind,
      ctx: { ref: targetCtxRef },
      subject: { kind: targetJudgment.kind, ref },
      details: {
        proposalKind,
        candidateCount: candidateRefs.length,
        stepCount: steps.length,
        obligationIndex,
      },
    };
    return { obligationId: digest("obl1_", core), ...core };
  });
}

function dischargeOf(
  { binding, candidateRefs }: Proposal,
  obligations: readonly JsonObject[],
): CheckedProposal["discharge"] {
  const steps = obligations.map(({ obligationId, kind }) => {
    const hint =
      hinted.includes(String(kind)) && !candidateRefs.includes(`hint:${String(kind)}`)
        ? `hint:${String(kind)}`
        : undefined;
    const failed = kind === "ext_gap" || kind === "ext_ambiguous" || hint !== undefined;
    const [failureClass, lawRef] = failureOf[String(kind)] ?? ["descent_failure", "GATE-3.3"];
    return {
      ...{ obligationId, kind, status: failed ? "failed" : "passed", mode: "normalized", binding },
      ...(failed ? { failureClass, lawRef } : {}),
      ...(hint === undefined ? {} : { missingHint: hint }),
    };
  });
  const failureClasses = sortedSet(steps.flatMap(({ failureClass }) => failureClass ?? []));
  const outcome = failureClasses.length === 0 ? ("accepted" as const) : ("rejected" as const);
  return { mode: "normalized", binding, outcome, steps, failureClasses };
}
