import "./failures.js";
export { artifactKinds } from "./artifact-kinds.js";
export { allOperations, sending, workGate, workRooms } from "./rooms.js";
export { ConnectionTurn } from "./gate/connection-turn.js";
export { type Lane, Lanes } from "./gate/lanes.js";
export { overrideMsMax } from "./gate/policy.js";
export { durationMs } from "./duration.js";
export { featureLedgerKind, featureStatuses, Session, sessionKind, Step, stepKind } from "./types.js";
export { workLimits } from "./limits.js";
export { bootstrapOf } from "./projection/bootstrap.js";
export { newStep } from "./projection/step.js";
export { issuesSnapshotRef } from "./store/snapshot.js";
export { waitsIn } from "./memory/cycle.js";
export type { Decide, Issue, NewRow, Outcome } from "./memory/types.js";
export { IssueMemory } from "./store/issue-file.js";
export { unmergedFailure } from "./store/issue-refusals.js";
export { IssueGraph } from "./memory/graph.js";
export { IssueNode } from "./memory/node.js";
export { mergeIssues, type MergedIssues } from "./interchange/merge.js";
export { readTree, treeText } from "./interchange/tree.js";
export { readSource } from "./interchange/source-file.js";
export { addIssue } from "./memory/edit/add.js";
export { closeIssue } from "./memory/edit/close.js";
export { updateIssue } from "./memory/edit/update.js";
export { decideClaim, decideClaimNext } from "./memory/claim.js";
export { decideRenew } from "./memory/lease-change.js";
export { type LeaseAnswer, leaseProjection } from "./memory/lease-answer.js";
export { leaseState, type ReleaseRequest } from "./memory/lease.js";
export {
  checkHandoffRefs,
  checkLineageRefs,
  type HandoffLeaseState,
  handoffLeaseState,
  handoffLeaseStates,
  handoffRef,
  recoveryAction,
} from "./projection/handoff.js";
export { driverParts, installDriver, uninstallDriver } from "./git/driver.js";
export type { IssueStore, StepStore } from "./store/types.js";
export { type Engine, engineFor, fileEngine, useEngine } from "./store/open.js";
export { onlyFiles } from "./calls/issues.js";
export { memoryEngine } from "./store/memory-engine.js";
export { IssueTable, MemoryIssues } from "./store/memory-issues.js";
export { MemorySteps } from "./store/memory-steps.js";
export {
  type IssueStoreSubject,
  issueStoreSuite,
  type StepStoreSubject,
  stepStoreSuite,
} from "./store/suite.js";
export { joinCheck } from "./gate/join-check.js";
export { joinClasses } from "./gate/join.js";
export { mutationClasses } from "./gate/mutation-ready.js";
export { attempts } from "./evidence/attempts.js";
export { escalate } from "./evidence/escalation.js";
export { issueInContext } from "./evidence/issue-context.js";
export { loadRetryPolicy, retryPolicyDefault } from "./evidence/retry-policy-file.js";
export { usualRetryPolicy } from "./evidence/usual-retry-policy.js";
export { statedClasses } from "./evidence/stated-classes.js";
export { failureClassesOf, witnessClasses } from "./evidence/witness-classes.js";
export {
  glueFailure,
  type Location,
  locationRef,
  overlapFailure,
  type Section,
} from "./transport/location.js";
export { ciToposMap } from "./evidence/required/ci-topos.js";
export { projectChecks } from "./evidence/required/project-checks.js";
export { verifyWitness } from "./evidence/required/verify-witness.js";
export { decide, verifyDecision } from "./evidence/required/decide.js";
export { verifiedChange } from "./evidence/verified-change.js";
export { instructionDigest } from "./evidence/instruction/envelope.js";
export { attemptsOf, leaveIssue, leftBy, returnAttempts } from "./memory/edit/leave.js";
export { noteStart } from "./memory/edit/note-start.js";
export { noChangeLabel } from "./evidence/finish.js";
export { decideRetry, type RetryDecision } from "./evidence/retry-decision.js";
export type { RetryPolicy } from "./evidence/retry-policy.js";
export { judgeChange } from "./evidence/checks/judge-change.js";
export { runChecks } from "./evidence/checks/run-checks.js";
export { mapAtCommit } from "./evidence/required/read-map.js";
export { readSmallText, Unreadable } from "./small-file.js";
export { checkMapPath } from "./evidence/required/check-map.js";
export { draftChecks } from "./evidence/required/draft-checks.js";
