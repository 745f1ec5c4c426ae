/** The decision `ci.required.decision.v1`: accept or reject, by a witness that was verified and by nothing else. */
import type { Unchanged } from "@bridle/operation";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { Findings } from "./findings.js";
import { type VerifyQuestion, verifyWitness } from "./verify-witness.js";

export const decisionKind = "ci.required.decision.v1";

const texts = Type.Array(Type.String());
const orNull = Type.Union([Type.String(), Type.Null()]);

export const RequiredDecision = Type.Object(
  {
    schema: Type.Literal(1),
    decisionKind: Type.Literal(decisionKind),
    decision: Type.Enum(["accept", "reject"]),
    reasonClass: Type.Enum(["verified_accept", "verification_reject", "invalid_witness_shape"]),
    projectionDigest: orNull,
    typedCoreProjectionDigest: orNull,
    authorityPayloadDigest: orNull,
    normalizerId: orNull,
    policyDigest: orNull,
    requiredChecks: texts,
    nativeRequiredChecks: texts,
    errors: texts,
  },
  { title: "Required decision", description: "Whether a change is accepted, by its witness." },
);
export type Decision = Unchanged<Type.Static<typeof RequiredDecision>>;

/** The witness's own paths count where nobody knows the change's. */
export function decide(
  question: Omit<VerifyQuestion, "changedPaths"> & { readonly expectedChangedPaths?: readonly string[] },
): Decision {
  const { witness, expectedChangedPaths, nativeRequiredChecks = [] } = question;
  const paths = isJsonObject(witness) ? witness["changedPaths"] : undefined;
  if (!isJsonObject(witness) || !Array.isArray(paths) || !paths.every((path) => typeof path === "string")) {
    return {
      ...head("reject", "invalid_witness_shape"),
      ...{ projectionDigest: null, typedCoreProjectionDigest: null, authorityPayloadDigest: null },
      ...{ normalizerId: null, policyDigest: null, requiredChecks: [] },
      nativeRequiredChecks,
      errors: ["witness must be an object with a list of changedPaths"],
    };
  }
  const { errors, derived } = verifyWitness({
    ...question,
    changedPaths: expectedChangedPaths ?? (paths as string[]),
  });
  const sound = errors.length === 0 && derived.expectedVerdict === "accepted";
  const { projectionDigest, typedCoreProjectionDigest, authorityPayloadDigest } = derived;
  return {
    ...head(sound ? "accept" : "reject", sound ? "verified_accept" : "verification_reject"),
    ...{ projectionDigest, typedCoreProjectionDigest, authorityPayloadDigest },
    ...{ normalizerId: derived.normalizerId, policyDigest: derived.policyDigest },
    requiredChecks: derived.requiredChecks,
    nativeRequiredChecks,
    errors: errors.length > 0 || sound ? errors : ["verdictClass is rejected"],
  };
}

function head(decision: Decision["decision"], reasonClass: Decision["reasonClass"]) {
  return { schema: 1 as const, decisionKind: decisionKind as typeof decisionKind, decision, reasonClass };
}

export interface DecisionQuestion {
  readonly decision: JsonValue | undefined;
  readonly witness?: JsonValue | undefined;
  readonly deltaSnapshot?: JsonValue | undefined;
  /** Of the files that the decision is about. */
  readonly actualWitnessSha256?: string | undefined;
  readonly actualDeltaSha256?: string | undefined;
}

const sharedMembers = [
  ...["typedCoreProjectionDigest", "authorityPayloadDigest", "normalizerId", "policyDigest"],
  "projectionDigest",
];

/** Whether a decision is about this very witness and this very delta. */
export function verifyDecision(question: DecisionQuestion) {
  const found = new Findings();
  const decision = found.object(question.decision, "decision") ?? {};
  found.equal("decisionKind", decisionKind, decision["decisionKind"]);
  const said = decision["decision"];
  if (said !== "accept" && said !== "reject") found.add("decision must be accept or reject");
  const derived: Record<string, JsonValue> = typeof said === "string" ? { decision: said } : {};
  for (const name of sharedMembers) {
    const value = found.text(decision[name], `decision.${name}`);
    if (value !== undefined) derived[name] = value;
  }
  const checks = found.texts(decision["requiredChecks"], "decision.requiredChecks");
  derived["requiredChecks"] = checks;
  checkSha(found, "witness", decision["witnessSha256"], question.actualWitnessSha256);
  checkSha(found, "delta", decision["deltaSha256"], question.actualDeltaSha256);
  for (const [name, value] of [
    ["witness", question.witness],
    ["deltaSnapshot", question.deltaSnapshot],
  ] as const) {
    if (value === undefined || value === null) continue;
    const other = found.object(value, name);
    if (other === undefined) continue;
    for (const member of sharedMembers)
      found.equal(`${name}.${member}`, derived[member] ?? null, other[member]);
    found.equal(
      `${name}.requiredChecks`,
      checks,
      found.texts(other["requiredChecks"], `${name}.requiredChecks`),
    );
  }
  return { errors: found.errors, derived };
}

function checkSha(
  found: Findings,
  name: string,
  expected: JsonValue | undefined,
  actual: string | undefined,
): void {
  const [wanted, is] = [
    found.text(expected, `decision.${name}Sha256`),
    found.text(actual, `actual ${name} sha256`),
  ];
  if (wanted !== undefined && is !== undefined && wanted !== is)
    found.add(`${name} sha mismatch (decision=${wanted}, actual=${is})`);
}

export function canonicalSha256(value: JsonObject): string {
  return sha256Hex(canonicalJson(value));
}
