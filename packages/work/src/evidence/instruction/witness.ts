/** The instruction witness `ci.instruction.v1`: what an instruction asked for, what ran, and what came of it. */
import { digest, isJsonObject, type JsonObject, type JsonValue, refuse, type Refusal } from "@bridle/record";
import { sentencesAbout, type Unchanged } from "@bridle/operation";
import * as Type from "typebox";
import { sortedSet } from "../required/findings.js";
import { typedCoreDigest } from "../required/typed-core.js";
import { operationalClasses, statusFits } from "../required/witness.js";
import type { Instruction } from "./envelope.js";

export const instructionWitnessKind = "ci.instruction.v1";

const text = Type.String({ pattern: "\\S" });
const texts = Type.Array(Type.String());

export const InstructionRuntime = Type.Object({
  instructionId: text,
  instructionRef: text,
  instructionDigest: text,
  squeakSiteProfile: text,
  runStartedAt: text,
  runFinishedAt: text,
  runDurationMs: Type.Integer({ minimum: 0 }),
  results: Type.Array(
    Type.Object({
      checkId: text,
      status: Type.Enum(["passed", "failed"]),
      exitCode: Type.Integer(),
      durationMs: Type.Integer({ minimum: 0 }),
      failureClass: Type.Optional(Type.String({ description: "Of a failed one. Additive." })),
    }),
  ),
});
export type InstructionRuntime = Unchanged<Type.Static<typeof InstructionRuntime>>;

const orNull = Type.Union([Type.String(), Type.Null()]);

export const InstructionWitness = Type.Object(
  {
    ciSchema: Type.Literal(1),
    witnessKind: Type.Literal(instructionWitnessKind),
    ...InstructionRuntime.properties,
    instructionClassification: Type.Unknown(),
    typingPolicy: Type.Object({ allowUnknown: Type.Boolean() }),
    intent: Type.String(),
    scope: Type.Unknown(),
    normalizerId: orNull,
    policyDigest: orNull,
    typedCoreProjectionDigest: orNull,
    authorityPayloadDigest: Type.String(),
    capabilityClaims: texts,
    requiredChecks: texts,
    executedChecks: texts,
    verdictClass: Type.Enum(["accepted", "rejected"]),
    operationalFailureClasses: texts,
    semanticFailureClasses: texts,
    failureClasses: texts,
    rejectStage: Type.Optional(Type.String()),
    rejectReason: Type.Optional(Type.String()),
    proposalIngest: Type.Optional(Type.Unknown()),
    joinClosed: Type.Optional(
      Type.Boolean({ description: "Whether the turn of the run ended in order. Additive." }),
    ),
    joinFailureClasses: Type.Optional(texts),
    joinWitnessRef: Type.Optional(
      Type.String({ description: "Names the joined turn by its digest. Additive." }),
    ),
    joinEvidence: Type.Optional(Type.Unknown({ description: "What the join was judged by. Additive." })),
    witnessDigest: Type.Optional(Type.String({ description: "Of all the other members. Additive." })),
  },
  {
    title: "Instruction witness",
    description: "What an instruction asked for, what ran, and what came of it.",
  },
);
export type InstructionWitness = Unchanged<Type.Static<typeof InstructionWitness>>;

/** As it is written down: with the digest of all that it says. */
export function sealedWitness(witness: InstructionWitness): InstructionWitness {
  const { witnessDigest: _said, ...rest } = witness;
  return { ...rest, witnessDigest: digest("sha256:", rest as unknown as JsonObject) };
}

export function readInstructionRuntime(value: JsonObject): InstructionRuntime | Refusal {
  const [problem] = sentencesAbout(InstructionRuntime, value);
  const runtime = value as unknown as InstructionRuntime;
  const wrong =
    problem ??
    (runtime.results.every(statusFits) ? undefined : "a result's status does not fit its exit code");
  return wrong === undefined ? runtime : refuse("instruction_runtime_invalid", { message: wrong });
}

/** Of an instruction that was checked; what ran must be what it asked for, in that order. */
export function instructionWitness(
  checked: Instruction,
  runtime: InstructionRuntime,
): InstructionWitness | Refusal {
  const { executionDecision: decision, normalizerId, policyDigest } = checked;
  const executed = runtime.results.map(({ checkId }) => checkId);
  const wanted = decision.state === "execute" ? checked.requestedChecks : [];
  if (runtime.instructionDigest !== checked.instructionDigest)
    return refuse("instruction_runtime_invalid", {
      message: `instructionDigest is not ${checked.instructionDigest}`,
    });
  if (JSON.stringify(executed) !== JSON.stringify(wanted))
    return refuse("instruction_runtime_invalid", {
      message: `results must be of ${wanted.join(", ") || "no check"}, in this order`,
    });
  const operational =
    decision.state === "execute" ? operationalClasses(runtime.results) : decision.operationalFailureClasses;
  const semantic = decision.state === "execute" ? [] : decision.semanticFailureClasses;
  return {
    ...head(runtime, operational, semantic),
    instructionClassification: checked.instructionClassification,
    typingPolicy: checked.typingPolicy,
    intent: checked.intent,
    scope: checked.scope,
    normalizerId,
    policyDigest,
    typedCoreProjectionDigest: typedCoreDigest(runtime.instructionDigest, normalizerId, policyDigest),
    capabilityClaims: checked.capabilityClaims,
    requiredChecks: checked.requestedChecks,
    executedChecks: executed,
    ...(decision.state === "execute" ? {} : { rejectStage: "pre_execution", rejectReason: decision.reason }),
    ...(checked.proposal === undefined ? {} : { proposalIngest: ingestOf(checked.proposal) }),
  };
}

/** Of an envelope that could not even be checked: one class, nothing executed. */
export function preExecutionWitness(
  envelope: JsonValue | undefined,
  runtime: InstructionRuntime,
  { failureClass, reason }: { readonly failureClass: string; readonly reason: string },
): InstructionWitness {
  const of: JsonObject = isJsonObject(envelope) ? envelope : {};
  const textIn = (name: string) =>
    typeof of[name] === "string" && of[name].trim() !== "" ? of[name].trim() : undefined;
  const textsIn = (name: string) =>
    Array.isArray(of[name])
      ? sortedSet((of[name] as readonly JsonValue[]).filter((each) => typeof each === "string"))
      : [];
  const policy = of["typingPolicy"];
  const [normalizerId, policyDigest] = [textIn("normalizerId"), textIn("policyDigest")];
  return {
    ...head({ ...runtime, results: [] }, [failureClass], []),
    instructionClassification: { state: "unknown", reason: "pre_execution_invalid" },
    typingPolicy: { allowUnknown: isJsonObject(policy) && policy["allowUnknown"] === true },
    intent: textIn("intent") ?? "(invalid envelope)",
    scope: of["scope"] ?? null,
    normalizerId: normalizerId ?? null,
    policyDigest: policyDigest ?? null,
    typedCoreProjectionDigest:
      normalizerId === undefined || policyDigest === undefined
        ? null
        : typedCoreDigest(runtime.instructionDigest, normalizerId, policyDigest),
    capabilityClaims: textsIn("capabilityClaims"),
    requiredChecks: textsIn("requestedChecks"),
    executedChecks: [],
    rejectStage: "pre_execution",
    rejectReason: reason,
  };
}

function head(runtime: InstructionRuntime, operational: readonly string[], semantic: readonly string[]) {
  const failureClasses = sortedSet([...operational, ...semantic]);
  return {
    ciSchema: 1 as const,
    witnessKind: instructionWitnessKind as typeof instructionWitnessKind,
    ...runtime,
    authorityPayloadDigest: runtime.instructionDigest,
    verdictClass: failureClasses.length === 0 ? ("accepted" as const) : ("rejected" as const),
    operationalFailureClasses: sortedSet(operational),
    semanticFailureClasses: sortedSet(semantic),
    failureClasses,
  };
}

function ingestOf({ canonical, digest: proposalDigest, ...rest }: NonNullable<Instruction["proposal"]>) {
  const { proposalKind, binding, targetCtxRef, targetJudgment } = canonical;
  const { kcirRef: proposalKcirRef, obligations, discharge } = rest;
  return {
    ...{ state: "typed", kind: `proposal.${proposalKind}`, proposalDigest, proposalKcirRef },
    ...{ binding, targetCtxRef, targetJudgment, obligations, discharge },
  };
}
