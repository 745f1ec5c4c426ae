/**
 * Mutation ready: whether a closed turn may change issue memory.
 *
 * A turn that is closed has ended in order; that says nothing yet about whether it
 * may change anything. For that it must be bound to a policy and linked to the session
 * and the trajectory that will remember it.
 */
import type { JoinClass } from "./join.js";
import type { Turn } from "./types.js";

export const mutationClasses = [
  "mutation.context_not_ready",
  "mutation.join_open",
  "mutation.policy_unbound",
  "mutation.use_evidence_missing",
  "mutation.witness_unlinked",
] as const;
export type MutationClass = (typeof mutationClasses)[number];

export interface MutationVerdict {
  readonly mutationReady: boolean;
  readonly mutationFailureClasses: readonly MutationClass[];
}

export interface MutationQuestion {
  readonly turn: Turn;
  readonly joinFailures: readonly JoinClass[];
  /** The policy in force, where somebody knows it: the turn must have run under that one. */
  readonly policyDigest?: string;
}

export function mutationVerdict(question: MutationQuestion): MutationVerdict {
  const found = new Set(whyNot(question));
  const mutationFailureClasses = mutationClasses.filter((known) => found.has(known));
  return { mutationReady: mutationFailureClasses.length === 0, mutationFailureClasses };
}

function* whyNot({ turn, joinFailures, policyDigest }: MutationQuestion): Generator<MutationClass> {
  const { evidence, context } = turn;
  if (joinFailures.length > 0) yield "mutation.join_open";
  if (evidence.toolUse.length === 0) yield "mutation.use_evidence_missing";
  if (!context.continuationContextReady) yield "mutation.context_not_ready";
  if (policyDigest !== undefined && policyDigest !== evidence.callSpec.mutationPolicyDigest)
    yield "mutation.policy_unbound";
  if (evidence.sessionRefs.length === 0 || evidence.trajectoryRefs.length === 0)
    yield "mutation.witness_unlinked";
}
