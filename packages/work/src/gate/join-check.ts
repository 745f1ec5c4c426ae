/**
 * The join check from input to answer: the verdict with its classes, a witness that holds
 * the digests and what a mutation gate needs, and the normal form itself.
 */
import { isRefusal, type JsonValue, type Refusal } from "@bridle/record";
import { constraintsOf } from "./constraints.js";
import { EvidenceInvalid, Fields } from "./fields.js";
import { type JoinClass, joinFailures } from "./join.js";
import { type MutationVerdict, mutationVerdict } from "./mutation-ready.js";
import { turnOf } from "./turn.js";
import type { Turn } from "./types.js";

export const joinWitnessKind = "premath.harness.join_check.v1";
export const normalizedKind = "premath.harness.typestate_normalized.v1";

export interface JoinCheck extends MutationVerdict {
  readonly result: "accepted" | "rejected";
  readonly failureClasses: readonly string[];
  /** Whether it was accepted, which is more than `normalized.joinState.joinClosed`. */
  readonly joinClosed: boolean;
  readonly witness: {
    readonly schema: 1;
    readonly witnessKind: typeof joinWitnessKind;
    readonly digests: Turn["digests"];
    readonly joinInput: object;
    readonly mutationInput: object;
  };
  readonly normalized: object;
}

export interface JudgedTurn extends MutationVerdict {
  readonly turn: Turn;
  readonly failureClasses: readonly JoinClass[];
}

/** The verdict alone, for a gate. A refusal where the input has no normal form. */
export function judgeTurn(input: JsonValue, policyDigest?: string): JudgedTurn | Refusal {
  const read = parts(input);
  if (isRefusal(read)) return read;
  const { turn, constraints } = read;
  const failureClasses = joinFailures(turn, constraints);
  const question = { turn, joinFailures: failureClasses };
  const verdict = mutationVerdict(policyDigest === undefined ? question : { ...question, policyDigest });
  return { turn, failureClasses, ...verdict };
}

export function joinCheck(input: JsonValue, policyDigest?: string): JoinCheck | Refusal {
  const judged = judgeTurn(input, policyDigest);
  if (isRefusal(judged)) return judged;
  const { turn, failureClasses, ...verdict } = judged;
  const joinClosed = failureClasses.length === 0;
  return {
    result: joinClosed ? "accepted" : "rejected",
    failureClasses,
    joinClosed,
    ...verdict,
    witness: {
      schema: 1,
      witnessKind: joinWitnessKind,
      digests: turn.digests,
      joinInput: joinInputOf(turn, joinClosed),
      mutationInput: mutationInputOf(turn, joinClosed),
    },
    normalized: normalizedOf(turn),
  };
}

function parts(input: JsonValue) {
  try {
    const given = Fields.of("input", input);
    return { turn: turnOf(given.raw("evidence")), constraints: constraintsOf(given) };
  } catch (error) {
    if (error instanceof EvidenceInvalid) return error.refusal();
    throw error;
  }
}

function joinInputOf({ evidence, digests, join, context }: Turn, joinClosed: boolean): object {
  const { callSpecDigest: _spec, ...sets } = digests;
  const { callSpec } = evidence;
  const { continuationContextReady, ...made } = contextFlags(context);
  return {
    ...sets,
    reminderQueuePolicyDigest: callSpec.reminderQueuePolicyDigest,
    toolRenderProtocolDigest: callSpec.toolRenderProtocolDigest,
    stateViewPolicyDigest: callSpec.stateViewPolicyDigest,
    decompositionPolicyDigest: callSpec.decompositionPolicyDigest,
    ...missingIds(join),
    missingRenderCallIds: context.missingRenderCallIds,
    ...made,
    continuationContextReady,
    joinClosed,
  };
}

function mutationInputOf({ evidence, join, context }: Turn, joinClosed: boolean): object {
  const { callSpec, protocolState } = evidence;
  return {
    joinClosed,
    continuationAllowed: protocolState.continuationAllowed,
    ...contextFlags(context),
    missingRenderCallIds: context.missingRenderCallIds,
    mutationPolicyDigest: callSpec.mutationPolicyDigest,
    governancePolicyDigest: callSpec.governancePolicyDigest,
    normalizerId: callSpec.normalizerId,
    sessionRefs: evidence.sessionRefs,
    trajectoryRefs: evidence.trajectoryRefs,
    ...missingIds(join),
  };
}

function missingIds(join: Turn["join"]) {
  const { missingResultCallIds, orphanResultCallIds, missingUseCallIds, unknownUseCallIds } = join;
  return { missingResultCallIds, orphanResultCallIds, missingUseCallIds, unknownUseCallIds };
}

function contextFlags(context: Turn["context"]) {
  const { renderCallIds: _r, queueIds: _q, stateViewIds: _v, missingRenderCallIds: _m, ...flags } = context;
  return flags;
}

function normalizedOf({ evidence, digests, join, context }: Turn): object {
  const { untypedErrorCallIds: _untyped, sessionRefs, trajectoryRefs, ...rows } = evidence;
  return {
    schema: 1,
    kind: normalizedKind,
    ...rows,
    digests,
    joinState: join,
    contextState: context,
    ...(sessionRefs.length === 0 ? {} : { sessionRefs }),
    ...(trajectoryRefs.length === 0 ? {} : { trajectoryRefs }),
  };
}
