/**
 * The manual of this room's artifacts: what stands in the files and in the
 * answers, member by member, in the order in which they are written.
 *
 * The JSON Schemas under `schemas/` are generated from `artifactKinds`. Names
 * and order are frozen by the contracts (TUSK §11–12, RUNTIME §4 and §6). Readers
 * are open: a member that a newer version added is no error, and a file keeps it.
 */
import * as Type from "typebox";

export const sessionKind = "premath.harness.session.v1";
export const bootstrapKind = "premath.harness.bootstrap.v1";
export const stepKind = "premath.harness.step.v1";
export const projectionKind = "premath.harness.trajectory.projection.v1";

const text = (description: string) => Type.String({ minLength: 1, description });
const instant = (description: string) =>
  Type.String({ format: "date-time", description: `${description} RFC 3339.` });
const refs = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), {
    uniqueItems: true,
    description: `${description} Sorted, no repeats.`,
  });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const instructionRefs = () => refs("Instructions that the work follows.");
const witnessRefs = () => refs("Witnesses of what was done or verified.");
const lineageRefs = () => refs("Site lineage such as ctx://…, cover://…, refinement://….");

export const SessionState = Type.Enum(["active", "stopped"], { description: "Whether somebody is at work." });

/** `.premath/harness_session.json`: what a stop leaves behind and a boot needs. */
export const Session = Type.Object(
  {
    schema: Type.Literal(1),
    sessionKind: Type.Literal(sessionKind),
    sessionId: text("Stays the same through updates."),
    state: SessionState,
    issueId: Type.Optional(text("The issue that is worked on.")),
    summary: Type.Optional(text("Where the work stands.")),
    nextStep: Type.Optional(text("What to do next.")),
    instructionRefs: Type.Optional(instructionRefs()),
    witnessRefs: Type.Optional(witnessRefs()),
    lineageRefs: Type.Optional(lineageRefs()),
    startedAt: instant("When the session was first written."),
    updatedAt: instant("When it was last written."),
    stoppedAt: Type.Optional(instant("Present when the state is stopped.")),
    issuesPath: Type.Optional(text("Where issue memory is kept.")),
    issuesSnapshotRef: Type.Optional(text("Digest of issue memory at the last write.")),
  },
  { title: "Harness session", description: "The handoff between one working session and the next." },
);
export type Session = Type.Static<typeof Session>;
export type SessionState = Session["state"];

/** What `harness-session bootstrap` answers: where a fresh process picks the work up. */
export const Bootstrap = Type.Object(
  {
    action: Type.Literal("harness-session.bootstrap"),
    bootstrapKind: Type.Literal(bootstrapKind),
    sessionRef: text("The session file."),
    sessionId: text("The session's id."),
    mode: Type.Enum(["resume", "attach"], {
      description: "resume a stopped session, attach to an active one.",
    }),
    resumeIssueId: orNull(text("The issue to go on with.")),
    nextStep: orNull(text("What to do next.")),
    summary: orNull(text("Where the work stands.")),
    instructionRefs: instructionRefs(),
    witnessRefs: witnessRefs(),
    lineageRefs: lineageRefs(),
    issuesPath: orNull(text("Where issue memory is kept.")),
    issuesSnapshotRef: orNull(text("Digest of issue memory at the last write.")),
    featureLedgerRef: orNull(text("The feature ledger, null when there is none.")),
    nextFeatureId: orNull(text("The feature to go on with.")),
    featureClosureComplete: orNull(Type.Boolean({ description: "Whether every feature is completed." })),
    featureCount: orNull(Type.Integer({ minimum: 0, description: "How many features there are." })),
    startedAt: instant("When the session was first written."),
    updatedAt: instant("When it was last written."),
    stoppedAt: orNull(instant("When it was stopped.")),
  },
  { title: "Harness bootstrap", description: "What a fresh session starts from." },
);
export type Bootstrap = Type.Static<typeof Bootstrap>;

/** One row of `.premath/harness_trajectory.jsonl`. */
export const Step = Type.Object(
  {
    schema: Type.Literal(1),
    stepKind: Type.Literal(stepKind),
    stepId: text("Names the step."),
    issueId: Type.Optional(text("The issue that it belongs to.")),
    action: text("What was done."),
    resultClass: text("How it ended, e.g. accepted, or a failure class."),
    instructionRefs: Type.Optional(instructionRefs()),
    witnessRefs: Type.Optional(witnessRefs()),
    lineageRefs: Type.Optional(lineageRefs()),
    startedAt: Type.Optional(instant("When the step began.")),
    finishedAt: instant("When the step ended."),
  },
  { title: "Harness step", description: "One step of the harness, linked to its witnesses." },
);
export type Step = Type.Static<typeof Step>;

export const TrajectoryMode = Type.Enum(["latest", "failed", "retry-needed"], { description: "Which rows." });
export type TrajectoryMode = Type.Static<typeof TrajectoryMode>;
export const trajectoryModes: readonly TrajectoryMode[] = ["latest", "failed", "retry-needed"];

/** A place in the file that is no step, or cannot be trusted. */
export const DamagedPlace = Type.Object({
  line: Type.Integer({ minimum: 1, description: "Line number, from 1." }),
  byte: Type.Integer({ minimum: 0, description: "Byte offset, from 0." }),
  problem: text("What is wrong there."),
});
export type DamagedPlace = Type.Static<typeof DamagedPlace>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What `harness-trajectory query` answers. */
export const TrajectoryProjection = Type.Object(
  {
    action: Type.Literal("harness-trajectory.query"),
    path: text("The trajectory."),
    projectionKind: Type.Literal(projectionKind),
    mode: TrajectoryMode,
    count: count("How many rows are in items."),
    totalCount: count("How many rows the trajectory has."),
    failedCount: count("How many of all rows failed."),
    retryNeededCount: count("How many of all rows call for a retry."),
    items: Type.Array(Step, { description: "Newest first; then by stepId, then by action." }),
    damage: Type.Array(DamagedPlace, {
      description: "Places that could not be answered from; the first ones.",
    }),
    damageCount: count("How many such places there are."),
  },
  { title: "Trajectory projection", description: "The rows of a trajectory that a mode asks for, in order." },
);
export type TrajectoryProjection = Type.Static<typeof TrajectoryProjection>;

export interface ArtifactKind {
  readonly kind: string;
  readonly schema: Type.TSchema;
}

/** Every kind of artifact that this room writes or answers. */
export const artifactKinds: readonly ArtifactKind[] = [
  { kind: sessionKind, schema: Session },
  { kind: bootstrapKind, schema: Bootstrap },
  { kind: stepKind, schema: Step },
  { kind: projectionKind, schema: TrajectoryProjection },
];
