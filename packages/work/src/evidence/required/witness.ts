/**
 * The required witness `ci.required.v1`: which checks a change required, how each ended, and
 * what that comes to. Made from what a run found, or by a caller's own runner; verified by
 * deriving all of it again (verify-witness.ts).
 */
import { sentencesAbout, type Unchanged } from "@bridle/operation";
import { type JsonObject, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { sortedSet } from "./findings.js";
import { GateWitnessRef } from "./gate-ref.js";
import { boundMembers } from "./typed-core.js";

export const requiredWitnessKind = "ci.required.v1";

/** Classes of a check that did not pass. */
export const checkFailures = [
  ...(["check_failed", "flaky_execution", "gate_timeout", "executor_unavailable"] as const),
] as const;
export type CheckFailure = (typeof checkFailures)[number];

const text = Type.String({ pattern: "\\S" });
const texts = Type.Array(text);
const classes = Type.Array(Type.String());

const Result = Type.Object({
  checkId: text,
  status: Type.Enum(["passed", "failed"]),
  exitCode: Type.Integer(),
  durationMs: Type.Integer({ minimum: 0 }),
  failureClass: Type.Optional(
    Type.String({ description: "Of a failed one; check_failed when left out. Additive." }),
  ),
  attempts: Type.Optional(
    Type.Integer({ minimum: 1, description: "How often it ran on the tree. Additive." }),
  ),
});
export type Result = Type.Static<typeof Result>;

const GateRef = Type.Object({
  ...GateWitnessRef.properties,
  failureClasses: Type.Optional(classes),
});

/** What was judged, where it was a commit. Additive. */
const subject = {
  commit: Type.Optional(Type.String({ description: "The commit whose tree was checked." })),
  tree: Type.Optional(Type.String({ description: "Its tree." })),
  baseCommit: Type.Optional(
    Type.String({ description: "Where the change began; its map of checks judged." }),
  ),
  issueId: Type.Optional(Type.String({ description: "The issue that the change is for." })),
  fence: Type.Optional(Type.Integer({ description: "Of the claim that the change was made under." })),
};

const shared = {
  projectionPolicy: text,
  projectionDigest: text,
  changedPaths: texts,
  requiredChecks: texts,
  results: Type.Array(Result),
  gateWitnessRefs: Type.Array(GateRef),
  docsOnly: Type.Boolean(),
  reasons: texts,
  deltaSource: text,
  fromRef: Type.Optional(Type.Union([text, Type.Null()])),
  toRef: Type.Optional(Type.Union([text, Type.Null()])),
  policyDigest: text,
  squeakSiteProfile: text,
  runStartedAt: text,
  runFinishedAt: text,
  runDurationMs: Type.Integer({ minimum: 0 }),
  ...subject,
};

export const WitnessRuntime = Type.Object(shared);
export type WitnessRuntime = Unchanged<Type.Static<typeof WitnessRuntime>>;

export const RequiredWitness = Type.Object(
  {
    ciSchema: Type.Literal(1),
    witnessKind: Type.Literal(requiredWitnessKind),
    ...shared,
    executedChecks: texts,
    verdictClass: Type.Enum(["accepted", "rejected"]),
    operationalFailureClasses: classes,
    semanticFailureClasses: classes,
    failureClasses: classes,
    normalizerId: text,
    authorityPayloadDigest: text,
    typedCoreProjectionDigest: text,
  },
  { title: "Required witness", description: "Which checks a change required, and how each ended." },
);
export type RequiredWitness = Unchanged<Type.Static<typeof RequiredWitness>>;

/** From what a caller wrote. */
export function readRuntime(value: JsonObject): WitnessRuntime | Refusal {
  const [problem] = sentencesAbout(WitnessRuntime, value);
  if (problem !== undefined) return invalid(problem);
  const runtime = value as unknown as WitnessRuntime;
  if (runtime.policyDigest !== runtime.projectionPolicy)
    return invalid(`policyDigest must be the projectionPolicy ${runtime.projectionPolicy}`);
  const [at, wrong] = [...runtime.results.entries()].find(([, each]) => !statusFits(each)) ?? [];
  if (wrong !== undefined)
    return invalid(`results[${at}]: ${wrong.status} does not fit exit code ${wrong.exitCode}`);
  return runtime;
}

export function statusFits({
  status,
  exitCode,
}: Pick<Result, "exitCode"> & { readonly status: unknown }): boolean {
  return status === (exitCode === 0 ? "passed" : "failed");
}

export function witnessOf(runtime: WitnessRuntime): RequiredWitness {
  const { results, gateWitnessRefs, projectionDigest, policyDigest } = runtime;
  const operational = operationalClasses(results);
  const semantic = sortedSet(gateWitnessRefs.flatMap(({ failureClasses = [] }) => failureClasses));
  return {
    ciSchema: 1,
    witnessKind: requiredWitnessKind,
    ...runtime,
    fromRef: runtime.fromRef ?? null,
    toRef: runtime.toRef ?? null,
    executedChecks: results.map(({ checkId }) => checkId),
    verdictClass: results.every(({ exitCode }) => exitCode === 0) ? "accepted" : "rejected",
    operationalFailureClasses: operational,
    semanticFailureClasses: semantic,
    failureClasses: sortedSet([...operational, ...semantic]),
    ...boundMembers(projectionDigest, policyDigest),
  };
}

/** Of the results that failed; a class that no run has counts as `check_failed`. */
export function operationalClasses(
  results: readonly { readonly exitCode: number; readonly failureClass?: string }[],
): string[] {
  const failed = results.filter(({ exitCode }) => exitCode !== 0);
  return sortedSet(
    failed.map(({ failureClass = "" }) =>
      checkFailures.some((known) => known === failureClass) ? failureClass : "check_failed",
    ),
  );
}

function invalid(message: string): Refusal {
  return refuse("required_witness_runtime_invalid", { message });
}
