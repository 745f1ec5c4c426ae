/**
 * Verifies a required witness by deriving everything again: the projection from the map and the
 * changed paths, the order and status of the results, every gate payload by its hash, and from
 * those the verdict and its classes. What differs is told in a sentence; nothing is believed.
 */
import type { Unchanged } from "@bridle/operation";
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import * as Type from "typebox";
import type { CheckMap } from "./check-map.js";
import { Findings, sortedSet } from "./findings.js";
import { failureClassesIn, payloadSha256 } from "./gate-ref.js";
import { normalizePaths, projectChecks, projectEverything, type Projection } from "./project-checks.js";
import { boundMembers } from "./typed-core.js";
import { operationalClasses, requiredWitnessKind, statusFits } from "./witness.js";

export interface VerifyQuestion {
  readonly map: CheckMap;
  readonly witness: JsonValue | undefined;
  /** What the change is known to touch. */
  readonly changedPaths: readonly string[];
  /** Whether every check of the map was to run. */
  readonly everything?: boolean;
  /** By their path in the witness; undefined leaves payloads unread, as the original does without a root. */
  readonly payloads?: ReadonlyMap<string, JsonValue>;
  readonly nativeRequiredChecks?: readonly string[];
}

const texts = Type.Array(Type.String());

export const Verification = Type.Object({
  errors: texts,
  derived: Type.Object({
    changedPaths: texts,
    projectionDigest: Type.String(),
    typedCoreProjectionDigest: Type.String(),
    authorityPayloadDigest: Type.String(),
    normalizerId: Type.String(),
    policyDigest: Type.String(),
    requiredChecks: texts,
    executedChecks: texts,
    gateWitnessSourceByCheck: Type.Record(Type.String(), Type.String()),
    gateSemanticFailureClassesByCheck: Type.Record(Type.String(), texts),
    docsOnly: Type.Boolean(),
    reasons: texts,
    expectedVerdict: Type.Enum(["accepted", "rejected"]),
  }),
});
export type Verification = Unchanged<Type.Static<typeof Verification>>;

interface Ran {
  readonly checkId: string;
  readonly exitCode: number;
  readonly failureClass?: string;
}

export function verifyWitness(question: VerifyQuestion): Verification {
  const { map, changedPaths, everything = false } = question;
  const projection = everything ? projectEverything(map, changedPaths) : projectChecks(map, changedPaths);
  const found = new Findings();
  const witness = found.object(question.witness, "witness") ?? {};
  checkHead(found, witness, projection);
  const executedChecks = found.texts(witness["executedChecks"], "executedChecks");
  found.equal("executedChecks", projection.requiredChecks as JsonValue, executedChecks);
  const ran = readResults(found, witness, executedChecks);
  const gates = new GateRefs(found, ran, question.payloads);
  gates.read(witness["gateWitnessRefs"], executedChecks);
  for (const [at, id] of (question.nativeRequiredChecks ?? []).entries()) {
    if (!executedChecks.includes(id)) found.add(`nativeRequiredChecks[${at}] not executed (checkId=${id})`);
    else if (gates.sources.get(id) !== "native")
      found.add(`nativeRequiredChecks[${at}] requires native source (checkId=${id})`);
  }
  const expectedVerdict = ran.every(({ exitCode }) => exitCode === 0) ? "accepted" : "rejected";
  found.equal("verdictClass", expectedVerdict, witness["verdictClass"]);
  checkClasses(found, witness, ran, sortedSet([...gates.classes.values()].flat()));
  return {
    errors: found.errors,
    derived: {
      changedPaths: projection.changedPaths,
      projectionDigest: projection.projectionDigest,
      ...boundMembers(projection.projectionDigest, projection.projectionPolicy),
      requiredChecks: projection.requiredChecks,
      executedChecks,
      gateWitnessSourceByCheck: sortedRecord(gates.sources),
      gateSemanticFailureClassesByCheck: sortedRecord(gates.classes),
      docsOnly: projection.docsOnly,
      reasons: projection.reasons,
      expectedVerdict,
    },
  };
}

function checkHead(found: Findings, witness: JsonObject, projection: Projection): void {
  found.equal("ciSchema", 1, witness["ciSchema"]);
  found.equal("witnessKind", requiredWitnessKind, witness["witnessKind"]);
  found.equal("projectionPolicy", projection.projectionPolicy, witness["projectionPolicy"]);
  const paths = normalizePaths(found.texts(witness["changedPaths"], "changedPaths"));
  found.equal("changedPaths", projection.changedPaths as JsonValue, paths);
  found.equal("projectionDigest", projection.projectionDigest, witness["projectionDigest"]);
  const bound = boundMembers(projection.projectionDigest, projection.projectionPolicy);
  for (const [name, value] of Object.entries(bound)) found.equal(name, value, witness[name]);
  const required = found.texts(witness["requiredChecks"], "requiredChecks");
  found.equal("requiredChecks", projection.requiredChecks as JsonValue, required);
  found.equal("docsOnly", projection.docsOnly, witness["docsOnly"]);
  found.equal("reasons", projection.reasons as JsonValue, found.texts(witness["reasons"], "reasons"));
}

function readResults(found: Findings, witness: JsonObject, executed: readonly string[]): Ran[] {
  const { results } = witness;
  if (!Array.isArray(results)) found.add("results must be a list");
  const ran: Ran[] = [];
  for (const [at, value] of (Array.isArray(results) ? (results as readonly JsonValue[]) : []).entries()) {
    const name = `results[${at}]`;
    const row = found.object(value, name);
    const checkId = row && found.text(row["checkId"], `${name}.checkId`);
    if (row === undefined || checkId === undefined) continue;
    const { exitCode, status, failureClass } = row;
    if (typeof exitCode !== "number" || !Number.isSafeInteger(exitCode)) {
      found.add(`${name}.exitCode must be an integer`);
      continue;
    }
    if (ran.some((each) => each.checkId === checkId)) found.add(`${name}.checkId must be unique`);
    if (!statusFits({ status, exitCode })) found.add(`${name} status/exitCode mismatch`);
    ran.push({ checkId, exitCode, ...(typeof failureClass === "string" ? { failureClass } : {}) });
  }
  found.equal(
    "results checkId sequence",
    executed as JsonValue,
    ran.map(({ checkId }) => checkId),
  );
  return ran;
}

function checkClasses(
  found: Findings,
  witness: JsonObject,
  ran: readonly Ran[],
  semantic: readonly string[],
): void {
  const operational = operationalClasses(ran);
  const listed = (name: string) => sortedSet(found.texts(witness[name], name));
  const has = (name: string) => witness[name] !== undefined;
  // Older witnesses list all classes in one member; theirs are operational.
  const said = has("operationalFailureClasses")
    ? listed("operationalFailureClasses")
    : listed("failureClasses");
  found.equal("operationalFailureClasses", operational, said);
  if (has("semanticFailureClasses") || semantic.length > 0)
    found.equal("semanticFailureClasses", semantic as JsonValue, listed("semanticFailureClasses"));
  found.equal("failureClasses", sortedSet([...operational, ...semantic]), listed("failureClasses"));
}

class GateRefs {
  readonly sources = new Map<string, string>();
  readonly classes = new Map<string, readonly string[]>();

  constructor(
    private readonly found: Findings,
    private readonly ran: readonly Ran[],
    private readonly payloads: ReadonlyMap<string, JsonValue> | undefined,
  ) {}

  read(refs: JsonValue | undefined, executed: readonly string[]): void {
    if (refs === undefined) return;
    if (!Array.isArray(refs)) return this.found.add("gateWitnessRefs must be a list when present");
    if (refs.length !== executed.length)
      this.found.add(`gateWitnessRefs length mismatch (expected=${executed.length}, actual=${refs.length})`);
    for (const [at, value] of (refs as readonly JsonValue[]).entries())
      this.readOne(`gateWitnessRefs[${at}]`, value, executed[at]);
  }

  private readOne(name: string, value: JsonValue, expected: string | undefined): void {
    const { found } = this;
    const ref = found.object(value, name);
    const checkId = ref && found.text(ref["checkId"], `${name}.checkId`);
    if (ref === undefined || checkId === undefined) return;
    if (expected !== undefined) found.equal(`${name}.checkId`, expected, checkId);
    const run = this.ran.find((each) => each.checkId === checkId);
    if (run === undefined) return found.add(`${name} unknown checkId: ${checkId}`);
    const result = run.exitCode === 0 ? "accepted" : "rejected";
    const path = found.text(ref["artifactRelPath"], `${name}.artifactRelPath`);
    if (path !== undefined && (path.startsWith("/") || path.split(/[\\/]/).includes("..")))
      found.add(`${name}.artifactRelPath must be a relative path inside the witness root`);
    const { sha256, source } = ref;
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
      found.add(`${name}.sha256 must be 64 lowercase hex digits`);
    if (source === "native" || source === "fallback") this.sources.set(checkId, source);
    else found.add(`${name}.source must be native or fallback`);
    if (ref["witnessKind"] !== undefined) found.equal(`${name}.witnessKind`, "gate", ref["witnessKind"]);
    if (ref["result"] !== undefined) found.equal(`${name}.result`, result, ref["result"]);
    if (this.payloads === undefined) return this.takeClasses(checkId, ref);
    const payload = path === undefined ? undefined : this.payloads.get(path);
    if (!isJsonObject(payload))
      return found.add(`${name} artifact not found or no object: ${path ?? "no path"}`);
    found.equal(`${name}.sha256`, payloadSha256(payload), sha256);
    found.equal(`${name} payload witnessKind`, "gate", payload["witnessKind"]);
    found.equal(`${name} payload result`, result, payload["result"]);
    if (ref["runId"] !== undefined) found.equal(`${name}.runId`, payload["runId"] ?? null, ref["runId"]);
    const classes = failureClassesIn(payload);
    if (result === "accepted" && classes.length > 0) found.add(`${name} is accepted and lists failures`);
    if (result === "rejected" && classes.length === 0) found.add(`${name} is rejected and lists no failure`);
    if (ref["failureClasses"] !== undefined)
      found.equal(
        `${name}.failureClasses`,
        classes,
        sortedSet(found.texts(ref["failureClasses"], `${name}.failureClasses`)),
      );
    this.classes.set(checkId, classes);
  }

  private takeClasses(checkId: string, ref: JsonObject): void {
    const { failureClasses } = ref;
    if (Array.isArray(failureClasses))
      this.classes.set(checkId, sortedSet(this.found.texts(failureClasses, "failureClasses")));
  }
}

function sortedRecord<Value>(entries: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([left], [right]) => compareCodePoints(left, right)));
}
