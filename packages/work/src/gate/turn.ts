/** What follows from evidence in its normal form: which ids lack their counterpart, and the digests. */
import { digest, type JsonValue } from "@bridle/record";
import { normalizeEvidence } from "./normalize.js";
import type { ContextState, Evidence, EvidenceDigests, JoinState, Turn } from "./types.js";

/** Throws `EvidenceInvalid`. */
export function turnOf(given: unknown): Turn {
  const evidence = normalizeEvidence(given);
  const join = joinState(evidence);
  const context = contextState(evidence, join);
  return { evidence, join, context, digests: digestsOf(evidence, join, context) };
}

const callIds = (rows: readonly { readonly toolCallId: string }[]) =>
  rows.map(({ toolCallId }) => toolCallId);

/** Those of the first that the second lacks, in their order. */
function without(ids: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

function joinState({ toolRequests, toolResults, toolUse }: Evidence): JoinState {
  const [requested, results, used] = [callIds(toolRequests), callIds(toolResults), callIds(toolUse)];
  const missing = {
    missingResultCallIds: without(requested, results),
    orphanResultCallIds: without(results, requested),
    missingUseCallIds: without(results, used),
    unknownUseCallIds: without(used, results),
  };
  const joinClosed = Object.values(missing).every((ids) => ids.length === 0);
  return { requestedCallIds: requested, resultCallIds: results, usedCallIds: used, ...missing, joinClosed };
}

function contextState(evidence: Evidence, { resultCallIds }: JoinState): ContextState {
  const { callSpec, toolRender, reminderQueue, stateViews, protocolState } = evidence;
  const by = (policy: string, rows: readonly { readonly policyDigest: string }[]) =>
    rows.every(({ policyDigest }) => policyDigest === policy);
  const renderCallIds = callIds(toolRender);
  const missingRenderCallIds = without(resultCallIds, renderCallIds);
  const made = {
    queueReductionPresent: reminderQueue.length > 0,
    stateViewPresent: stateViews.length > 0,
    renderPolicyValid: by(callSpec.toolRenderProtocolDigest, toolRender),
    queuePolicyValid: by(callSpec.reminderQueuePolicyDigest, reminderQueue),
    stateViewPolicyValid: by(callSpec.stateViewPolicyDigest, stateViews),
  };
  const whole = missingRenderCallIds.length === 0 && Object.values(made).every(Boolean);
  return {
    renderCallIds,
    queueIds: reminderQueue.map(({ queueId }) => queueId),
    stateViewIds: stateViews.map(({ viewId }) => viewId),
    missingRenderCallIds,
    ...made,
    continuationContextReady: !protocolState.continuationAllowed || whole,
  };
}

/** Of an empty list, which most turns have several of. */
const nothing = digest("sha256:", []);

/** Members stand in the order of their names, in which they are digested: then nothing has to be taken apart. */
function digestsOf(evidence: Evidence, join: JoinState, context: ContextState): EvidenceDigests {
  const of = (value: unknown) =>
    Array.isArray(value) && value.length === 0 ? nothing : digest("sha256:", value as JsonValue);
  const { handoff } = evidence;
  const sets = {
    requestSetDigest: of(evidence.toolRequests),
    resultSetDigest: of(evidence.toolResults),
    useSetDigest: of(evidence.toolUse),
    toolRenderSetDigest: of(evidence.toolRender),
    reminderQueueSetDigest: of(evidence.reminderQueue),
    stateViewSetDigest: of(evidence.stateViews),
    protocolStateDigest: of(evidence.protocolState),
  };
  const handoffDigest = handoff === undefined ? undefined : of(handoff);
  return {
    callSpecDigest: of(evidence.callSpec),
    ...sets,
    ...(handoffDigest === undefined ? {} : { handoffDigest }),
    joinSetDigest: of({
      continuationContextReady: context.continuationContextReady,
      handoffDigest: handoffDigest ?? null,
      missingRenderCallIds: context.missingRenderCallIds,
      missingResultCallIds: join.missingResultCallIds,
      missingUseCallIds: join.missingUseCallIds,
      orphanResultCallIds: join.orphanResultCallIds,
      protocolStateDigest: sets.protocolStateDigest,
      queueIds: context.queueIds,
      queuePolicyValid: context.queuePolicyValid,
      queueReductionPresent: context.queueReductionPresent,
      reminderQueueSetDigest: sets.reminderQueueSetDigest,
      renderCallIds: context.renderCallIds,
      renderPolicyValid: context.renderPolicyValid,
      requestSetDigest: sets.requestSetDigest,
      requestedCallIds: join.requestedCallIds,
      resultCallIds: join.resultCallIds,
      resultSetDigest: sets.resultSetDigest,
      stateViewIds: context.stateViewIds,
      stateViewPolicyValid: context.stateViewPolicyValid,
      stateViewPresent: context.stateViewPresent,
      stateViewSetDigest: sets.stateViewSetDigest,
      toolRenderSetDigest: sets.toolRenderSetDigest,
      unknownUseCallIds: join.unknownUseCallIds,
      useSetDigest: sets.useSetDigest,
      usedCallIds: join.usedCallIds,
    }),
  };
}
