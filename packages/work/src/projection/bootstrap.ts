/** What a fresh process needs to go on, from the session alone: nothing is hidden in a prompt. */
import { type Bootstrap, bootstrapKind, type Session } from "../types.js";

export interface BootstrapOptions {
  /** The session file, as the caller knows it. */
  readonly sessionRef: string;
  /** The feature ledger, where there is one. Its features are not read yet. */
  readonly featureLedgerRef: string | undefined;
}

export function bootstrapOf(session: Session, { sessionRef, featureLedgerRef }: BootstrapOptions): Bootstrap {
  return {
    action: "harness-session.bootstrap",
    bootstrapKind,
    sessionRef,
    sessionId: session.sessionId,
    mode: session.state === "stopped" ? "resume" : "attach",
    resumeIssueId: session.issueId ?? null,
    nextStep: session.nextStep ?? null,
    summary: session.summary ?? null,
    instructionRefs: session.instructionRefs ?? [],
    witnessRefs: session.witnessRefs ?? [],
    lineageRefs: session.lineageRefs ?? [],
    issuesPath: session.issuesPath ?? null,
    issuesSnapshotRef: session.issuesSnapshotRef ?? null,
    featureLedgerRef: featureLedgerRef ?? null,
    nextFeatureId: null,
    featureClosureComplete: null,
    featureCount: null,
    startedAt: session.startedAt,
    updatedAt: session.updatedAt,
    stoppedAt: session.stoppedAt ?? null,
  };
}
