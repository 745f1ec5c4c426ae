/**
 * A gate witness for one check, and the ref by which a required witness names it.
 *
 * A check may write its own (`native`); for one that only ends with a code, the harness makes
 * one from that (`fallback`). The ref holds the hash of the payload, so that neither can be
 * exchanged for another.
 */
import {
  canonicalJson,
  digest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  refuse,
  type Refusal,
  sha256Hex,
  vectorDigest,
} from "@bridle/record";
import type { Unchanged } from "@bridle/operation";
import * as Type from "typebox";
import { sortedSet } from "./findings.js";
import { requiredNormalizer } from "./typed-core.js";

const text = Type.String({ pattern: "\\S" });

export const GateWitnessRef = Type.Object({
  checkId: text,
  artifactRelPath: text,
  sha256: text,
  source: Type.Enum(["native", "fallback"]),
  runId: Type.Optional(text),
  witnessKind: Type.Optional(text),
  result: Type.Optional(text),
  failureClasses: Type.Array(Type.String()),
});
export type GateWitnessRef = Unchanged<Type.Static<typeof GateWitnessRef>>;

export interface GateRefAnswer {
  readonly gateWitnessRef: GateWitnessRef;
  /** Of a fallback: the payload that was made. */
  readonly gatePayload?: JsonObject;
}

export interface Fallback {
  readonly exitCode: number;
  readonly projectionDigest: string;
  readonly policyDigest: string;
  readonly ctxRef: string;
  readonly dataHeadRef: string;
}

/** From what a caller wrote. */
export function gateRef(request: JsonObject): GateRefAnswer | Refusal {
  const { gatePayload, fallback } = request;
  const checkId = textIn(request["checkId"]);
  const artifactRelPath = textIn(request["artifactRelPath"]);
  if (checkId === undefined) return invalid("checkId must be a non-empty string");
  if (artifactRelPath === undefined) return invalid("artifactRelPath must be a non-empty string");
  const source = request["source"] ?? (isPresent(fallback) ? "fallback" : "native");
  if (source !== "native" && source !== "fallback") return invalid("source must be native or fallback");
  if (isPresent(gatePayload) === isPresent(fallback))
    return invalid("exactly one of gatePayload and fallback must be given");
  if (isPresent(gatePayload)) {
    if (!isJsonObject(gatePayload)) return invalid("gatePayload must be an object");
    return { gateWitnessRef: refTo(gatePayload, { checkId, artifactRelPath, source }) };
  }
  if (source !== "fallback") return invalid("a fallback has the source fallback");
  const from = readFallback(fallback);
  return typeof from === "string" ? invalid(from) : fallbackRef(checkId, artifactRelPath, from);
}

export function fallbackRef(
  checkId: string,
  artifactRelPath: string,
  from: Fallback,
): GateRefAnswer & { readonly gatePayload: JsonObject } {
  const gatePayload = fallbackPayload(checkId, from);
  return {
    gateWitnessRef: refTo(gatePayload, { checkId, artifactRelPath, source: "fallback" }),
    gatePayload,
  };
}

export function payloadSha256(payload: JsonObject): string {
  return sha256Hex(canonicalJson(payload));
}

/** Classes of the failures that a payload lists; sorted, each once. */
export function failureClassesIn(payload: JsonObject): string[] {
  const { failures } = payload;
  const listed = Array.isArray(failures) ? (failures as readonly JsonValue[]) : [];
  return sortedSet(listed.flatMap((each) => (isJsonObject(each) ? (textIn(each["class"]) ?? []) : [])));
}

function refTo(
  payload: JsonObject,
  head: Pick<GateWitnessRef, "checkId" | "artifactRelPath" | "source">,
): GateWitnessRef {
  const [runId, witnessKind, result] = ["runId", "witnessKind", "result"].map((name) =>
    textIn(payload[name]),
  );
  return {
    ...head,
    sha256: payloadSha256(payload),
    ...(runId === undefined ? {} : { runId }),
    ...(witnessKind === undefined ? {} : { witnessKind }),
    ...(result === undefined ? {} : { result }),
    failureClasses: failureClassesIn(payload),
  };
}

function fallbackPayload(checkId: string, from: Fallback): JsonObject {
  const { exitCode, projectionDigest, policyDigest, ctxRef, dataHeadRef } = from;
  const intentId = digest("intent1_", {
    intentKind: "ci_required_check",
    targetScope: `check:${checkId}`,
    requestedOutcomes: ["gate_witness_envelope"],
  });
  const shown = {
    worldId: "world.ci.required",
    contextId: `ctx.ci.required.${projectionDigest}`,
    intentId,
    adapterId: "adapter.ci.runner",
    adapterVersion: "1",
    ctxRef,
    dataHeadRef,
    normalizerId: requiredNormalizer,
    policyDigest,
  };
  const runId = digest("run1_", {
    ...shown,
    unitId: `unit.ci.check.${checkId}`,
    parentUnitId: `unit.ci.projection.${projectionDigest}`,
    coverId: `cover.ci.required.${projectionDigest}`,
  });
  return {
    witnessSchema: 1,
    witnessKind: "gate",
    runId,
    ...shown,
    result: exitCode === 0 ? "accepted" : "rejected",
    failures: exitCode === 0 ? [] : [failureOf(checkId, exitCode, projectionDigest)],
  };
}

function failureOf(checkId: string, exitCode: number, projectionDigest: string): JsonObject {
  const [tokenPath, context] = [`ci/check/${checkId}`, { checkId, exitCode, projectionDigest }];
  const named = { class: "descent_failure", lawRef: "GATE-3.3" };
  return {
    witnessId: vectorDigest("w1_", { schema: 1, ...named, tokenPath, context }),
    ...named,
    message: `the required check ${checkId} ended with ${exitCode}`,
    context,
    tokenPath,
    details: { phase: "run_gate", responsibleComponent: "gate_execution_plane" },
  };
}

function readFallback(value: JsonValue | undefined): Fallback | string {
  if (!isJsonObject(value)) return "fallback must be an object";
  const { exitCode } = value;
  if (typeof exitCode !== "number" || !Number.isSafeInteger(exitCode))
    return "fallback.exitCode must be an integer";
  for (const name of ["projectionDigest", "policyDigest", "ctxRef", "dataHeadRef"])
    if (textIn(value[name]) === undefined) return `fallback.${name} must be a non-empty string`;
  return value as unknown as Fallback;
}

function isPresent(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

function textIn(value: JsonValue | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

function invalid(message: string): Refusal {
  return refuse("required_gate_ref_invalid", { message });
}
