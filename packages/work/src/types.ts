/**
 * The manual of this room's artifacts: what stands in the files and in the
 * answers, member by member, in the order in which they are written.
 *
 * The JSON Schemas under `schemas/` are generated from `artifactKinds` (artifact-kinds.ts). Names
 * and order are frozen by the contracts (TUSK §11–13, RUNTIME §4–6). Readers
 * are open: a member that a newer version added is no error, and a file keeps it.
 */
import * as Type from "typebox";

export const sessionKind = "premath.harness.session.v1";
export const bootstrapKind = "premath.harness.bootstrap.v1";
export const stepKind = "premath.harness.step.v1";
export const featureLedgerKind = "premath.harness.feature_ledger.v1";
export const featureCheckKind = "premath.harness.feature_ledger.check.v1";
export const kpiKind = "premath.multithread.throughput.v1";
export const projectionKind = "premath.harness.trajectory.projection.v1";

const text = (description: string) => Type.String({ minLength: 1, description });
const instant = (description: string) =>
  Type.String({ format: "date-time", description: `${description} RFC 3339.` });
const refs = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), {
    uniqueItems: true,
    description: `${description} Sorted, no repeats.`,
  });
const count = (description: string) => Type.Integer({ minimum: 0, description });
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

export const featureStatuses = ["pending", "in_progress", "blocked", "completed"] as const;
export const FeatureStatus = Type.Enum(["pending", "in_progress", "blocked", "completed"], {
  description: "Where the feature stands.",
});
export type FeatureStatus = Type.Static<typeof FeatureStatus>;

/** Additive: left on a feature that somebody else's start set back, or that changed hands. */
export const TakenOver = Type.Object({
  at: instant("When it was taken over."),
  reason: text("Why."),
  sessionRef: Type.Optional(text("The session that had it.")),
});
export type TakenOver = Type.Static<typeof TakenOver>;

export const Feature = Type.Object({
  featureId: text("Names the feature; no other row has the same."),
  status: FeatureStatus,
  issueId: Type.Optional(text("The issue that it belongs to.")),
  summary: Type.Optional(text("What it is, or where it stands.")),
  instructionRefs: Type.Optional(instructionRefs()),
  verificationRefs: Type.Optional(refs("What verified it; a completed feature has at least one.")),
  takenOver: Type.Optional(TakenOver),
  updatedAt: instant("When the row was last written."),
});
export type Feature = Type.Static<typeof Feature>;

/** `.premath/harness_feature_ledger.json`: which features there are, and which are verified. */
export const FeatureLedger = Type.Object(
  {
    schema: Type.Literal(1),
    ledgerKind: Type.Literal(featureLedgerKind),
    sessionRef: Type.Optional(text("The session that works by this ledger.")),
    updatedAt: instant("When the ledger was last written."),
    features: Type.Array(Feature, {
      minItems: 1,
      description: "Sorted by featureId; at most one is in_progress.",
    }),
  },
  {
    title: "Feature ledger",
    description: "The features of one worktree and session, and where each stands.",
  },
);
export type FeatureLedger = Type.Static<typeof FeatureLedger>;

/** A feature as it stands in a file that another program may have written; `harness-feature check` judges it. */
export const FoundFeature = Type.Object({
  featureId: Type.String(),
  status: Type.String(),
  issueId: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  instructionRefs: Type.Optional(Type.Array(Type.String())),
  verificationRefs: Type.Optional(Type.Array(Type.String())),
  takenOver: Type.Optional(Type.Unknown()),
  updatedAt: Type.Optional(Type.String()),
});
export type FoundFeature = Type.Static<typeof FoundFeature>;

export const FoundLedger = Type.Object({
  schema: Type.Literal(1),
  ledgerKind: Type.Literal(featureLedgerKind),
  sessionRef: Type.Optional(Type.String()),
  updatedAt: Type.Optional(Type.String()),
  features: Type.Array(FoundFeature),
});
export type FoundLedger = Type.Static<typeof FoundLedger>;

/** What `harness-feature check` answers. */
export const FeatureCheck = Type.Object(
  {
    action: Type.Literal("harness-feature.check"),
    path: text("The ledger."),
    checkKind: Type.Literal(featureCheckKind),
    result: Type.Enum(["accepted", "rejected"]),
    requireClosure: Type.Boolean({ description: "Whether every feature had to be completed." }),
    failureClasses: Type.Array(Type.String(), { description: "Sorted, no repeats." }),
    errors: Type.Array(
      Type.Object({
        class: text("What is broken, for programs."),
        featureId: Type.Optional(text("Where.")),
        message: text("What is broken, for people."),
      }),
      { description: "In the order of the ledger." },
    ),
    summary: Type.Object({
      featureCount: count("How many features there are."),
      pendingCount: count("Not begun."),
      inProgressCount: count("Being worked on."),
      blockedCount: count("Waiting for something else."),
      completedCount: count("Done and verified."),
      closureComplete: Type.Boolean({ description: "No error, and every feature is completed." }),
    }),
    nextFeatureId: orNull(text("The feature to go on with.")),
  },
  { title: "Feature ledger check", description: "Whether a feature ledger keeps its rules." },
);
export type FeatureCheck = Type.Static<typeof FeatureCheck>;

/** One row of `.premath/harness_trajectory.jsonl`. */
export const Step = Type.Object(
  {
    schema: Type.Literal(1),
    stepKind: Type.Literal(stepKind),
    stepId: text("Names the step."),
    issueId: Type.Optional(text("The issue that it belongs to.")),
    action: text("What was done."),
    resultClass: text("How it ended, e.g. accepted, or a failure class."),
    failureClasses: Type.Optional(
      Type.Array(Type.String(), { description: "Every class of a step that failed, sorted; additive." }),
    ),
    reason: Type.Optional(text("Why, where the step records a decision; additive.")),
    nextStep: Type.Optional(text("What is recommended next; additive.")),
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
    sessions: Type.Optional(
      Type.Array(
        Type.Object({
          path: text("The session file."),
          sessionId: text("Names the session."),
          state: Type.Enum(["active", "stopped"]),
          issueId: Type.Optional(text("The issue that is worked on.")),
        }),
        {
          description:
            "With lineage: sessions of the same lineage, of this tree and its worktrees; additive.",
        },
      ),
    ),
  },
  { title: "Trajectory projection", description: "The rows of a trajectory that a mode asks for, in order." },
);
export type TrajectoryProjection = Type.Static<typeof TrajectoryProjection>;

const ratio = (description: string) => Type.Number({ minimum: 0, description: `${description} Six digits.` });

/** What `harness-kpi` answers. */
export const KpiReport = Type.Object(
  {
    schema: Type.Literal(1),
    kpiKind: Type.Literal(kpiKind),
    windowHours: Type.Number({ exclusiveMinimum: 0, description: "How long the window is." }),
    windowStart: instant("The earliest finishedAt that counts."),
    windowEnd: instant("The latest finishedAt that counts."),
    counts: Type.Object({
      windowRows: count("Rows in the window."),
      completedRows: count("Those that have an issue and succeeded."),
      failedRows: count("The others."),
      activeWorkers: count("How many workers had rows with an issue."),
      workerIds: Type.Array(Type.String(), { description: "They, sorted." }),
      excludedRows: count("Rows in the window that are no work: host effects and remediations; additive."),
    }),
    ratios: Type.Object({
      gatePassRate: ratio("completedRows of windowRows."),
      throughputPerWorkerPerDay: ratio("Completed rows a day, shared among the workers."),
      kpi: ratio("Throughput times pass rate."),
    }),
    thresholds: Type.Object({
      targetKpi: Type.Number({ description: "At least this is a pass." }),
      rollbackKpi: Type.Number({ description: "Below this is a rollback." }),
      minSampleRows: Type.Integer({ description: "With fewer rows nothing is decided." }),
    }),
    decision: Type.Object({
      state: Type.Enum(["pass", "watch", "rollback", "insufficient_data"]),
      reason: text("Why."),
    }),
    rollback: orNull(
      Type.Object(
        {
          since: instant("Since when, as far back as the window reaches."),
          remediation: orNull(
            Type.Object(
              {
                stepId: text("The row that records it."),
                issueId: orNull(text("The issue that remedies it.")),
                reason: orNull(text("What is done about it.")),
                recordedAt: instant("When it was recorded."),
              },
              { description: "The newest one that was recorded since." },
            ),
          ),
          expansionPaused: Type.Boolean({ description: "True until a remediation is recorded." }),
        },
        { description: "Additive; null unless the decision is rollback." },
      ),
    ),
    latest: Type.Array(
      Type.Object({
        finishedAt: instant("When the step ended."),
        stepId: text("Names the step."),
        action: text("What was done."),
        resultClass: text("How it ended."),
      }),
      {
        description: "The first rows of the window, by finishedAt, stepId and action, descending; additive.",
      },
    ),
    refs: Type.Object({
      trajectoryPath: text("The trajectory."),
      sessionPath: text("The session."),
      issuesPath: text("Issue memory."),
    }),
  },
  { title: "Throughput KPI", description: "How well several workers get on, and what that calls for." },
);
export type KpiReport = Type.Static<typeof KpiReport>;
