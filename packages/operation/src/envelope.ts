/**
 * The host-effect envelope, `premath.host_effect.v0`: what a call comes back as.
 *
 * Three outcomes share it. `accepted`: the payload is the answer. `rejected`:
 * the operation ran and its answer is no; the payload is still its answer.
 * `refused`: a gate, the schema or the world said no; the payload is a sentence.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  normalizeRefs,
  type Refusal,
  sha256Hex,
} from "@bridle/record";
import * as Type from "typebox";
import type { Admission, Envelope, Operation } from "./types.js";

export const envelopeSchemaName = "premath.host_effect.v0";

/** The published schema; `schemas/` is generated from it. */
export const HostEffect = /* @__PURE__ */ Type.Object(
  {
    schema: /* @__PURE__ */ Type.Literal(envelopeSchemaName),
    action: /* @__PURE__ */ Type.String({ description: "Canonical action id, such as issue.claim." }),
    argsDigest: /* @__PURE__ */ Type.String({
      pattern: "^he1_[0-9a-f]{64}$",
      description: "SHA-256 of the canonical arguments; that of {} where there were none.",
    }),
    resultClass: /* @__PURE__ */ Type.String({ description: "accepted, or the first failure class." }),
    failureClasses: /* @__PURE__ */ Type.Array(/* @__PURE__ */ Type.String()),
    payload: /* @__PURE__ */ Type.Unknown({
      description: "The action's answer; when refused {message, hint?, detail?}.",
    }),
    witnessRefs: /* @__PURE__ */ Type.Array(/* @__PURE__ */ Type.String(), {
      description: "Refs that the effect consumed or emitted, sorted.",
    }),
    policyDigest: /* @__PURE__ */ Type.Optional(
      /* @__PURE__ */ Type.String({ description: "Policy in force; always there for an admitted mutation." }),
    ),
    instructionRef: /* @__PURE__ */ Type.Optional(
      /* @__PURE__ */ Type.String({
        description: "What told the caller; always there for an admitted mutation.",
      }),
    ),
    warnings: /* @__PURE__ */ Type.Optional(/* @__PURE__ */ Type.Array(/* @__PURE__ */ Type.String())),
  },
  { $id: envelopeSchemaName, title: "Host effect", additionalProperties: false },
);

/** What goes on an envelope besides the outcome. */
export interface Sealing {
  readonly operation: Operation;
  /** What the gates let it through under, once they have. */
  readonly admission?: Admission;
  /** The input as canonical JSON, which argsDigest is the digest of. */
  readonly canonicalArgs: string;
  readonly input: unknown;
  readonly warnings: readonly string[];
}

export function sealPayload(payload: JsonValue, sealing: Sealing): Envelope {
  const failureClasses = classesOfRejection(payload);
  return seal({ failureClasses, payload, witnessRefs: witnessRefsOf(sealing, payload) }, sealing);
}

export function sealRefusal(refusal: Refusal, sealing: Sealing): Envelope {
  const { refused, message, hint, detail } = refusal;
  const payload = {
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { detail }),
  };
  return seal({ failureClasses: [refused], payload, witnessRefs: witnessRefsOf(sealing, null) }, sealing);
}

interface Outcome {
  readonly failureClasses: readonly string[];
  readonly payload: JsonValue;
  readonly witnessRefs: readonly string[];
}

function seal(outcome: Outcome, { operation, admission, canonicalArgs, warnings }: Sealing): Envelope {
  let argsDigest: string | undefined;
  return {
    schema: envelopeSchemaName,
    action: operation.names.action,
    // Made when it is asked for: the command line prints only the payload, and hashing loads a good part of Node.
    get argsDigest() {
      return (argsDigest ??= argsDigestOf(canonicalArgs));
    },
    resultClass: outcome.failureClasses[0] ?? "accepted",
    ...outcome,
    ...(admission === undefined
      ? {}
      : { policyDigest: admission.policyDigest, instructionRef: admission.instructionRef }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

export function argsDigestOf(canonicalArgs: string): string {
  return `he1_${sha256Hex(canonicalArgs)}`;
}

function classesOfRejection(payload: JsonValue): readonly string[] {
  if (!isJsonObject(payload) || payload["result"] !== "rejected") return [];
  const { failureClasses } = payload;
  const classes = Array.isArray(failureClasses)
    ? failureClasses.filter((name) => typeof name === "string")
    : [];
  return classes.length > 0 ? classes : ["rejected"];
}

const witnessFields = ["witnessRef", "fiberWitnessRef", "resolverWitnessRef"] as const;

/** Refs that came with the call, those that a gate checked, and those that the answer names at its top. */
function witnessRefsOf({ input, admission }: Sealing, payload: JsonValue): string[] {
  const given = [
    ...(isJsonObject(input) ? stringsIn(input["witnessRefs"]) : []),
    ...(admission?.witnessRefs ?? []),
  ];
  if (!isJsonObject(payload)) return normalizeRefs(given);
  const single = witnessFields.flatMap((field) => stringsIn([payload[field] ?? null]));
  return normalizeRefs([...given, ...single, ...stringsIn(payload["witnessRefs"])]);
}

function stringsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** An envelope read back: which of the three it is. */
export type EnvelopeOutcome =
  | { readonly kind: "accepted"; readonly payload: JsonValue }
  | { readonly kind: "rejected"; readonly payload: JsonObject }
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly hint?: string;
      readonly detail?: JsonObject;
    };

export function outcomeOf(envelope: Envelope): EnvelopeOutcome {
  const { payload } = envelope;
  if (envelope.failureClasses.length === 0) return { kind: "accepted", payload };
  if (!isJsonObject(payload)) return { kind: "refused", message: envelope.resultClass };
  if (payload["result"] === "rejected") return { kind: "rejected", payload };
  const { message, hint, detail } = payload;
  return {
    kind: "refused",
    message: typeof message === "string" ? message : envelope.resultClass,
    ...(typeof hint === "string" ? { hint } : {}),
    ...(isJsonObject(detail) ? { detail } : {}),
  };
}
