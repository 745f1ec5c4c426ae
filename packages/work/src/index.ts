import "./failures.js";
export { type ArtifactKind, artifactKinds } from "./artifact-kinds.js";
export { allOperations, workRooms } from "./rooms.js";
export {
  Bootstrap,
  bootstrapKind,
  DamagedPlace,
  Feature,
  FeatureCheck,
  featureCheckKind,
  FeatureLedger,
  featureLedgerKind,
  FeatureStatus,
  featureStatuses,
  FoundFeature,
  FoundLedger,
  kpiKind,
  KpiReport,
  projectionKind,
  Session,
  sessionKind,
  SessionState,
  Step,
  stepKind,
  TakenOver,
  TrajectoryMode,
  trajectoryModes,
  TrajectoryProjection,
} from "./types.js";
export { workLimits } from "./limits.js";
export { bootstrapOf, type BootstrapOptions, type FeatureProjection } from "./projection/bootstrap.js";
export {
  checkFeatures,
  type LedgerClass,
  type LedgerError,
  type LedgerJudgement,
  nextFeature,
} from "./projection/feature-check.js";
export { openLedger, type OpenLedgerOptions, readLedger } from "./projection/feature-ledger.js";
export { type FeatureUpdate, writeFeature, type WrittenFeature } from "./projection/feature-write.js";
export {
  checkSession,
  mergeSession,
  openSession,
  type OpenSessionOptions,
  sessionMembers,
  type SessionSurroundings,
  type SessionUpdate,
} from "./projection/session.js";
export { meaningOf, type ResultMeaning } from "./projection/result-class.js";
export { newStep, type StepInput, StepReader } from "./projection/step.js";
export { kpiDefaults, type KpiFindings, type KpiOptions, measureKpi } from "./projection/kpi.js";
export {
  type FoundDamage,
  queryTrajectory,
  readTrajectory,
  type RowVisit,
  type TrajectoryAnswer,
  type TrajectoryQuery,
  type TrajectoryRows,
} from "./projection/trajectory.js";
export { snapshotRefOf, type Undigested } from "./memory/snapshot.js";
export { issuesSnapshotRef, type SnapshotOptions, snapshotRefIn } from "./store/snapshot.js";
export { eventStreamRef, vectorEventStreamRef, vectorSnapshotRef } from "./memory/refs.js";
export { eventSchema, eventsOf } from "./memory/event.js";
export { AddDependencyEvent, IssueEvent, UpsertIssueEvent } from "./memory/event-schema.js";
export { type EventLine, replayEvents } from "./memory/event-replay.js";
export { type Migration, migrate } from "./memory/event-migrate.js";
export { isHit, ReplayCache, replayCacheSchema } from "./memory/replay-cache.js";
export {
  firstCycle,
  type GraphScope,
  graphScopes,
  type Integrity,
  integrityOf,
  type Waits,
  waitsIn,
} from "./memory/cycle.js";
export { projectDependencies, type ProjectedDependency } from "./memory/dependency-projection.js";
export type {
  ClaimRecord,
  Comment,
  Decide,
  Dependency,
  DependencyType,
  Issue,
  IssueStatus,
  IssueType,
  Lease,
  NewRow,
  Outcome,
} from "./memory/types.js";
export { dependencyTypes, issueStatuses, issueTypes } from "./memory/types.js";
export {
  type Compaction,
  IssueMemory,
  type IssueMemoryOptions,
  type Resolution,
  unmergedFailure,
} from "./store/issue-file.js";
export { IssueGraph } from "./memory/graph.js";
export { IssueNode } from "./memory/node.js";
export { type MergeConflict, mergeIssues, type MergedIssues } from "./interchange/merge.js";
export { type IssueTree, readTree, type TreeRow, treeText } from "./interchange/tree.js";
export { readSource } from "./interchange/source-file.js";
export { addIssue, type NewIssue } from "./memory/edit/add.js";
export type { Changed } from "./memory/edit/changed.js";
export { type Closed, closeIssue, type CloseRequest, reopenIssue } from "./memory/edit/close.js";
export { type Commented, commentIssue, type CommentRequest } from "./memory/edit/comment.js";
export { type Discovered, discoverIssue } from "./memory/edit/discover.js";
export type { IssueFields } from "./memory/edit/fields.js";
export { attemptsOf, leaveIssue, type LeaveRequest, type Left, leftBy } from "./memory/edit/leave.js";
export { labelIssue, type LabelRequest } from "./memory/edit/labels.js";
export { updateIssue } from "./memory/edit/update.js";
export { type ClaimAnswer, decideClaim, decideClaimNext } from "./memory/claim.js";
export { decideRelease, decideRenew } from "./memory/lease-change.js";
export {
  type LeaseAnswer,
  type LeasedIssue,
  type LeaseProjection,
  leaseProjection,
  type LeaseView,
} from "./memory/lease-answer.js";
export {
  type ClaimRequest,
  type LeaseState,
  leaseState,
  type LeaseTerm,
  type ReleaseRequest,
  type RenewRequest,
} from "./memory/lease.js";
export {
  checkHandoffRefs,
  checkLineageRefs,
  type Handoff,
  type HandoffLeaseState,
  handoffLeaseState,
  handoffLeaseStates,
  handoffRef,
  type LineageKind,
  lineageKinds,
  type LineageRef,
  parseHandoffRef,
  parseLineageRef,
  type RecoveryAction,
  recoveryAction,
  recoveryActions,
} from "./projection/handoff.js";
export { type DriverChange, type DriverState, installDriver, uninstallDriver } from "./git/driver.js";
export type { AppendedStep, AppendStep, IssueStore, StepStore } from "./store/types.js";
export { type Engine, engineFor, fileEngine, useEngine } from "./store/open.js";
export { memoryEngine } from "./store/memory-engine.js";
export { IssueTable, MemoryIssues, type MemoryIssuesOptions } from "./store/memory-issues.js";
export { MemorySteps } from "./store/memory-steps.js";
export { FileIssues } from "./store/file-issues.js";
export { FileSteps, type FileStepsOptions } from "./store/file-steps.js";
export {
  type IssueStoreSubject,
  issueStoreSuite,
  type StepStoreSubject,
  stepStoreSuite,
} from "./store/suite.js";
export { joinCheck } from "./gate/join-check.js";
