export { allOperations, workRooms } from "./rooms.js";
export {
  type ArtifactKind,
  artifactKinds,
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
export { graphSnapshotRef, issuesSnapshotRef, type SnapshotOptions } from "./memory/snapshot.js";
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
export { type Compaction, IssueMemory, type IssueMemoryOptions } from "./memory/store.js";
export { IssueGraph } from "./memory/graph.js";
export { IssueNode } from "./memory/node.js";
export { addIssue, type NewIssue } from "./memory/edit/add.js";
export type { Changed } from "./memory/edit/changed.js";
export { type Closed, closeIssue, type CloseRequest, reopenIssue } from "./memory/edit/close.js";
export { type Commented, commentIssue, type CommentRequest } from "./memory/edit/comment.js";
export { type Discovered, discoverIssue } from "./memory/edit/discover.js";
export type { IssueFields } from "./memory/edit/fields.js";
export { labelIssue, type LabelRequest } from "./memory/edit/labels.js";
export { updateIssue } from "./memory/edit/update.js";
