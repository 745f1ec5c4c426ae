/** What a fresh process needs to go on, from the session and the feature ledger: nothing is hidden in a prompt. */
import { type Bootstrap, bootstrapKind, type Session } from "../types.js";

export interface BootstrapOptions {
  /** The session file, as the caller knows it. */
  readonly sessionRef: string;
  /** The feature ledger, where there is one. */
  readonly featureLedgerRef: string | undefined;
  /** What it says; undefined where it is missing or cannot be trusted. */
  readonly features?: FeatureProjection | undefined;
}

export interface FeatureProjection {
  readonly nextFeatureId: string | null;
  readonly closureComplete: boolean;
  readonly featureCount: number;
}

export function bootstrapOf(
  session: Session,
  { sessionRef, featureLedgerRef, features }: BootstrapOptions,
): Bootstrap {
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
    nextFeatureId: features?.nextFeatureId ?? null,
    featureClosureComplete: features?.closureComplete ?? null,
    featureCount: features?.featureCount ?? null,
    startedAt: session.startedAt,
    updatedAt: session.updatedAt,
    stoppedAt: session.stoppedAt ?? null,
  };
}
