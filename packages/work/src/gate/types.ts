/**
 * The manual of the gate: when a turn of tool use is closed, and when it may change
 * issue memory.
 *
 *     call spec → requests → results → use → join closed → mutation ready
 *
 * Evidence comes from whoever ran the turn and is believed in nothing that can be
 * recomputed: it is put into one normal form, digested, and judged from that alone.
 * The same evidence gives the same digests on every machine, in every order.
 *
 * What a newcomer gets wrong: a join that is open is no error. It is a verdict with
 * classes; projections may still be written, issues and dependencies may not.
 */

/** Under which policies the turn ran; every member is required and not blank. */
export interface CallSpec {
  readonly callId: string;
  readonly modelRef: string;
  readonly actionMode: string;
  readonly executionPattern: string;
  readonly normalizerId: string;
  readonly mutationPolicyDigest: string;
  readonly governancePolicyDigest: string;
  readonly toolRenderProtocolDigest: string;
  readonly reminderQueuePolicyDigest: string;
  readonly stateViewPolicyDigest: string;
  readonly decompositionPolicyDigest: string;
}

export interface ToolRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly schemaDigest?: string;
  readonly callerId?: string;
  readonly searchRefDigest?: string;
}

export interface ToolResult {
  readonly toolCallId: string;
  readonly status: "ok" | "error";
  readonly resultDigest?: string;
  readonly error?: {
    readonly errorCode: string;
    readonly retryable: boolean;
    readonly errorMessageDigest: string;
  };
}

export const dispositions = ["consumed", "observed", "discarded"] as const;

export interface ToolUse {
  readonly toolCallId: string;
  readonly disposition: (typeof dispositions)[number];
  readonly resultDigest?: string;
}

export interface ToolRender {
  readonly toolCallId: string;
  readonly operatorPayloadDigest: string;
  readonly reminderRenderDigest: string;
  readonly injectionPoint: string;
  readonly policyDigest: string;
}

export interface QueueReduction {
  readonly queueId: string;
  readonly reducedDigest: string;
  readonly policyDigest: string;
}

export interface StateView {
  readonly viewId: string;
  readonly viewDigest: string;
  readonly policyDigest: string;
  readonly sourceRefs?: readonly string[];
}

export interface ProtocolState {
  readonly stopReason: string;
  readonly continuationAllowed: boolean;
}

export interface Handoff {
  readonly target: string;
  readonly requiredArtifactRefs?: readonly string[];
  readonly returnPathRef?: string;
}

/** Each list sorted by its id, each id once. */
export interface Evidence {
  readonly callSpec: CallSpec;
  readonly toolRequests: readonly ToolRequest[];
  readonly toolResults: readonly ToolResult[];
  readonly toolUse: readonly ToolUse[];
  readonly protocolState: ProtocolState;
  readonly handoff?: Handoff;
  readonly toolRender: readonly ToolRender[];
  readonly reminderQueue: readonly QueueReduction[];
  readonly stateViews: readonly StateView[];
  readonly sessionRefs: readonly string[];
  readonly trajectoryRefs: readonly string[];
  /** Error results without a code, a word on retrying, or a message. */
  readonly untypedErrorCallIds: readonly string[];
}

/** Which ids lack their counterpart; a join is closed when none does. */
export interface JoinState {
  readonly requestedCallIds: readonly string[];
  readonly resultCallIds: readonly string[];
  readonly usedCallIds: readonly string[];
  readonly missingResultCallIds: readonly string[];
  readonly orphanResultCallIds: readonly string[];
  readonly missingUseCallIds: readonly string[];
  readonly unknownUseCallIds: readonly string[];
  readonly joinClosed: boolean;
}

/** What stood before the model at its next call, and by which policies it was made. */
export interface ContextState {
  readonly renderCallIds: readonly string[];
  readonly queueIds: readonly string[];
  readonly stateViewIds: readonly string[];
  readonly missingRenderCallIds: readonly string[];
  readonly queueReductionPresent: boolean;
  readonly stateViewPresent: boolean;
  readonly renderPolicyValid: boolean;
  readonly queuePolicyValid: boolean;
  readonly stateViewPolicyValid: boolean;
  readonly continuationContextReady: boolean;
}

/** Each `sha256:` and the hex of the normal form's canonical JSON. */
export type EvidenceDigests = Readonly<
  Record<
    | ("callSpecDigest" | "requestSetDigest" | "resultSetDigest" | "useSetDigest")
    | ("toolRenderSetDigest" | "reminderQueueSetDigest" | "stateViewSetDigest")
    | ("protocolStateDigest" | "joinSetDigest"),
    string
  >
> & { readonly handoffDigest?: string };

/** Evidence with everything that follows from it. */
export interface Turn {
  readonly evidence: Evidence;
  readonly join: JoinState;
  readonly context: ContextState;
  readonly digests: EvidenceDigests;
}

/** What whoever asks wants to hold beyond the evidence itself. */
export interface Constraints {
  readonly governanceProfile?: {
    readonly claimId?: string;
    readonly claimed: boolean;
    readonly policyProvenance?: {
      readonly pinned: boolean;
      readonly packageRef?: string;
      readonly expectedDigest?: string;
      readonly boundDigest?: string;
    };
  };
  readonly protocolConstraints?: { readonly parallelTransportOrderValid?: boolean };
  readonly handoffConstraints?: {
    readonly requiredArtifactRefs?: readonly string[];
    readonly allowedTargets?: readonly string[];
    readonly requireReturnPath?: boolean;
  };
  readonly truncationConstraints?: { readonly required?: boolean; readonly valid?: boolean };
  readonly decompositionConstraints?: {
    readonly admissible?: boolean;
    readonly expectedExecutionPattern?: string;
    readonly expectedPolicyDigest?: string;
  };
}
