import type { Operation } from "@bridle/operation";
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
  trajectoryAppend,
  trajectoryQuery,
];

export {
  type ArtifactKind,
  artifactKinds,
  Bootstrap,
  bootstrapKind,
  DamagedPlace,
  projectionKind,
  Session,
  sessionKind,
  SessionState,
  Step,
  stepKind,
  TrajectoryMode,
  trajectoryModes,
  TrajectoryProjection,
} from "./types.js";
export { workLimits } from "./limits.js";
export { bootstrapOf, type BootstrapOptions } from "./projection/bootstrap.js";
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
export {
  type FoundDamage,
  queryTrajectory,
  type TrajectoryAnswer,
  type TrajectoryQuery,
} from "./projection/trajectory.js";
export { issuesSnapshotRef, type SnapshotOptions } from "./memory/snapshot.js";
