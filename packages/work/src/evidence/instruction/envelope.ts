/**
 * An instruction envelope: what is to be done, about what, by which checks, under which policy.
 *
 * Checked from the first member to the last, and the first thing that is wrong is the answer.
 * One that is sound may still be refused: of a type that nobody knows, or with a proposal whose
 * obligations fail. Then nothing is executed, and a witness says why.
 */
import { basename } from "node:path";
import {
  digest,
  type FailureClass,
  type Files,
  isJsonObject,
  isRefusal,
  type JsonObject,
  type JsonValue,
  refuse,
  type Refusal,
} from "@bridle/record";
import { sortedSet } from "../required/findings.js";
import { instructionPolicy } from "./policy.js";
import { type CheckedProposal, checkProposal, ProposalInvalid } from "./proposal.js";

export type Classification =
  | { readonly state: "typed"; readonly kind: string }
  | { readonly state: "unknown"; readonly reason: string };

export type ExecutionDecision =
  | { readonly state: "execute" }
  | {
      readonly state: "reject";
      readonly source: "instruction_classification" | "proposal_discharge";
      readonly reason: string;
      readonly operationalFailureClasses: readonly string[];
      readonly semanticFailureClasses: readonly string[];
    };

export interface Instruction {
  readonly intent: string;
  readonly scope: JsonValue;
  readonly normalizerId: string;
  readonly policyDigest: string;
  readonly instructionDigest: string;
  readonly requestedChecks: readonly string[];
  readonly instructionType?: string;
  readonly instructionClassification: Classification;
  readonly executionDecision: ExecutionDecision;
  readonly typingPolicy: { readonly allowUnknown: boolean };
  readonly capabilityClaims: readonly string[];
  readonly proposal?: CheckedProposal;
}

/** `<time>-<id>.json`; its name without the ending is the instruction's id. */
export function instructionIdOf(path: string): string | Refusal {
  const name = basename(path);
  const id = name.replace(/\.json$/, "");
  if (name.endsWith(".json") && /^.+-.+$/.test(id)) return id;
  return refuse("instruction_filename_invalid", { message: `${name} is no <time>-<id>.json` });
}

export function parseEnvelope(text: string): JsonObject | Refusal {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
    return refuse("instruction_envelope_invalid_shape", { message: "the instruction is no object" });
  } catch (error) {
    return refuse("instruction_envelope_invalid_json", {
      message: `the instruction is not JSON: ${(error as Error).message}`,
    });
  }
}

export function instructionDigest(envelope: JsonObject): string {
  return digest("instr1_", envelope);
}

export async function checkInstruction(
  envelope: JsonObject,
  { repoRoot, files }: { readonly repoRoot: string; readonly files: Files },
): Promise<Instruction | Refusal> {
  const no = (failureClass: FailureClass, message: string) => refuse(failureClass, { message });
  const { schema, scope } = envelope;
  if (!Number.isSafeInteger(schema) || (schema as number) < 1)
    return no("instruction_invalid_schema", "schema must be a positive integer");
  const heads = [
    ["intent", "instruction_invalid_intent"],
    ["normalizerId", "instruction_invalid_normalizer"],
    ["policyDigest", "instruction_invalid_policy_digest"],
  ] as const;
  for (const [name, failureClass] of heads)
    if (!isPlainText(envelope[name]))
      return no(failureClass, `${name} must be text without white space around it`);
  if (!Object.hasOwn(envelope, "scope")) return no("instruction_scope_missing", "scope is missing");
  if (scope === null || scope === "") return no("instruction_scope_invalid", "scope must not be blank");
  const requestedChecks = uniqueTexts(envelope["requestedChecks"]);
  if (requestedChecks === undefined || requestedChecks.length === 0)
    return no("instruction_requested_checks_invalid", "requestedChecks must be a list of names, each once");
  const [normalizerId, policyDigest] = [String(envelope["normalizerId"]), String(envelope["policyDigest"])];
  const policy = await instructionPolicy(repoRoot, policyDigest, files);
  if (isRefusal(policy)) return policy;
  const strange = requestedChecks.filter((id) => !policy.allowedChecks.includes(id));
  if (strange.length > 0)
    return no("instruction_check_not_allowed", `the policy does not allow ${sortedSet(strange).join(", ")}`);
  if (!policy.allowedNormalizers.includes(normalizerId))
    return no("instruction_normalizer_not_allowed", `the policy does not allow ${normalizerId}`);
  const { instructionType, typingPolicy, capabilityClaims } = envelope;
  if (
    instructionType !== undefined &&
    !(typeof instructionType === "string" && instructionType.trim() !== "")
  )
    return no("instruction_instruction_type_invalid", "instructionType must be text");
  const allowUnknown = isJsonObject(typingPolicy)
    ? (typingPolicy["allowUnknown"] ?? false)
    : typingPolicy === undefined
      ? false
      : undefined;
  if (typeof allowUnknown !== "boolean")
    return no(
      "instruction_typing_policy_invalid",
      "typingPolicy must be an object with allowUnknown true or false",
    );
  const claims = capabilityClaims === undefined ? [] : uniqueTexts(capabilityClaims);
  if (claims === undefined)
    return no("instruction_capability_claims_invalid", "capabilityClaims must be a list of names, each once");
  const proposal = proposalIn(envelope, { normalizerId, policyDigest });
  if (isRefusal(proposal)) return proposal;
  const type = typeof instructionType === "string" ? instructionType.trim() : undefined;
  const instructionClassification = classify(type, requestedChecks);
  return {
    intent: String(envelope["intent"]),
    scope: scope as JsonValue,
    normalizerId,
    policyDigest,
    instructionDigest: instructionDigest(envelope),
    requestedChecks,
    ...(type === undefined ? {} : { instructionType: type }),
    instructionClassification,
    executionDecision: decisionOf(instructionClassification, allowUnknown, proposal),
    typingPolicy: { allowUnknown },
    capabilityClaims: sortedSet(claims),
    ...(proposal === undefined ? {} : { proposal }),
  };
}

const knownTypes = ["ci.gate.check", "ci.gate.pre_commit", "ci.gate.pre_push"];
const kindOfOneCheck: Readonly<Record<string, string>> = {
  "hk-pre-commit": "ci.gate.pre_commit",
  "hk-pre-push": "ci.gate.pre_push",
};

function classify(type: string | undefined, checks: readonly string[]): Classification {
  if (type !== undefined)
    return knownTypes.includes(type)
      ? { state: "typed", kind: type }
      : { state: "unknown", reason: "unsupported_instruction_type" };
  if (!checks.every((id) => id.startsWith("hk-")))
    return { state: "unknown", reason: "unrecognized_requested_checks" };
  const single = checks.length === 1 ? kindOfOneCheck[checks[0] as string] : undefined;
  return { state: "typed", kind: single ?? "ci.gate.check" };
}

function decisionOf(
  classification: Classification,
  allowUnknown: boolean,
  proposal: CheckedProposal | undefined,
): ExecutionDecision {
  if (classification.state === "unknown" && !allowUnknown) {
    return {
      state: "reject",
      source: "instruction_classification",
      reason: classification.reason,
      operationalFailureClasses: ["instruction_unknown_unroutable"],
      semanticFailureClasses: [],
    };
  }
  if (proposal === undefined || proposal.discharge.outcome === "accepted") return { state: "execute" };
  return {
    state: "reject",
    source: "proposal_discharge",
    reason: "proposal_discharge_rejected",
    operationalFailureClasses: [],
    semanticFailureClasses: proposal.discharge.failureClasses,
  };
}

function proposalIn(
  envelope: JsonObject,
  bound: { readonly normalizerId: string; readonly policyDigest: string },
): CheckedProposal | undefined | Refusal {
  const { proposal, llmProposal } = envelope;
  if (proposal !== undefined && llmProposal !== undefined)
    return refuse("proposal_invalid_shape", {
      message: "there is a proposal and an llmProposal; one of them is meant",
    });
  const given = proposal ?? llmProposal;
  if (given === undefined) return undefined;
  try {
    const checked = checkProposal(given);
    const { binding } = checked.canonical;
    if (binding.normalizerId === bound.normalizerId && binding.policyDigest === bound.policyDigest)
      return checked;
    return refuse("proposal_binding_mismatch", {
      message: "the proposal is bound to another normalizer or policy than its instruction",
    });
  } catch (error) {
    if (error instanceof ProposalInvalid) return refuse(error.failureClass, { message: error.message });
    throw error;
  }
}

function isPlainText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value !== "" && value.trim() === value;
}

function uniqueTexts(value: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string" && each.trim() !== ""))
    return undefined;
  const plain = (value as string[]).map((each) => each.trim());
  return new Set(plain).size === plain.length ? plain : undefined;
}
