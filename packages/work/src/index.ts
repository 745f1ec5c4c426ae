import type { Operation } from "@bridle/operation";
import { featureCheck } from "./operations/feature-check.js";
import { featureNext } from "./operations/feature-next.js";
import { featureRead } from "./operations/feature-read.js";
import { featureWrite } from "./operations/feature-write.js";
import { kpiRemediate } from "./operations/kpi-remediate.js";
import { kpiReport } from "./operations/kpi-report.js";
import { sessionBootstrap } from "./operations/session-bootstrap.js";
import { sessionRead } from "./operations/session-read.js";
import { sessionWrite } from "./operations/session-write.js";
import { trajectoryAppend } from "./operations/trajectory-append.js";
import { trajectoryQuery } from "./operations/trajectory-query.js";

/** What this room can do from outside. */
export const operations: readonly Operation[] = [
  sessionRead,
  sessionWrite,
  sessionBootstrap,
  featureRead,
  featureWrite,
  featureCheck,
  featureNext,
  trajectoryAppend,
  trajectoryQuery,
  kpiReport,
  kpiRemediate,
];

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
export { issuesSnapshotRef, type SnapshotOptions } from "./memory/snapshot.js";
