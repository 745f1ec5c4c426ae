import "./failures.js";
export * from "./types.js";
export { searchLimits } from "./limits.js";
export {
  estimateTokens,
  type HeldArtifact,
  loaderOf,
  type LoaderVersion,
  loaderVersion,
} from "./episode/artifact.js";
export { proposalArgs } from "./episode/args.js";
export { subqueryArgs } from "./episode/branch.js";
export { EpisodeRegistry } from "./episode/registry.js";
export type { ChainedRow, Row } from "./episode/row.js";
export { beginEpisode, type EpisodeState, observe, workingSetOf } from "./episode/state.js";
export { abstainFor, endedByHarness, type Outcome, step } from "./episode/step.js";
export { fileNameOf } from "./file-name.js";
export * from "./pack/types.js";
export { type Environment, environmentOf, type EnvironmentStep } from "./environment.js";
export { type ProposeFunction, type Seen } from "./policy/own.js";
export { packIdOf } from "./pack/id.js";
export { openPack, readManifest } from "./pack/open.js";
export { EpisodeRecordSchema, PackManifestSchema, TruthRecordSchema } from "./pack/schemas.js";
export { type PackVerification, verifyPack } from "./pack/verify.js";
export { type WritePackOptions, type WrittenPack, writePack } from "./pack/write.js";
export type * from "./policy/types.js";
export * from "./run/types.js";
export { allSearchOperations, searchRooms } from "./rooms.js";
export { type CatalogueEntry, catalogue, makePolicy, type PolicySurroundings } from "./policy/catalogue.js";
export { type DriveOptions, driveEpisode, driveOn, type RowSink } from "./run/drive.js";
export { diffRuns, type RunDiff, type RunDifference } from "./run/diff.js";
export { type FieldDifference, firstDifference } from "./run/first-difference.js";
export { type Fork, type ForkOptions, forkRun } from "./run/fork.js";
export { manifestOf as runManifestOf, readRunManifest } from "./run/manifest.js";
export {
  readEpisodeOf,
  type RecordedEpisode,
  RunReader,
  type RunVerification,
  verifyRun,
} from "./run/read.js";
export { reconstruct, type Reconstruction } from "./run/reconstruct.js";
export { type Replay, type ReplayOptions, replayRun } from "./run/replay.js";
export type { Recorded } from "./run/row-cursor.js";
export { type RunOptions, runPack, type RunSummary } from "./run/run.js";
export { readSidecar, sidecarPath } from "./run/sidecar.js";
export {
  ArtifactSchema,
  RefusalSchema,
  RunEpisodeSchema,
  RunManifestSchema,
  StartSchema,
  StepSchema,
  TerminalSchema,
} from "./run/schemas.js";
export { RunWriter, type WriteRunOptions } from "./run/write.js";
export { plannerPolicy, plannerPolicyId, type PlannerOptions } from "./policy/planner.js";
export { proposalSummaries } from "./policy/planner-request.js";
export { type RunToEvaluate, evaluate, type EvaluateOptions } from "./eval/evaluate.js";
export { judge, type Judgement, judgeAll } from "./eval/judge.js";
export * from "./eval/types.js";
export { AtifTrajectory } from "./export/atif-schema.js";
export { toAtif } from "./export/atif.js";
export { fromAtif, type ImportedEpisode } from "./export/from-atif.js";
export { type ExportedEpisode, type ExportedRun, type Verdict } from "./export/types.js";
export { inspectHead, inspectSample, type InspectTally, inspectText } from "./export/inspect.js";
export { type OtlpRequest, toOtlp } from "./export/otel.js";
export { evaluationPlot } from "./eval/plot.js";
export { evaluationTable } from "./eval/table.js";
export { episodeIdsFrom } from "./operations/episode-ids.js";
export { evalOperation } from "./operations/eval.js";
export { exportOperation } from "./operations/export.js";
export type { OpenRun, RunSource } from "./operations/run-source.js";
export { assistedPolicy, assistedPolicyId } from "./policy/assisted.js";
export { type HeuristicOptions, heuristicPolicy, heuristicPolicyId } from "./policy/heuristic.js";
export { type Lesson, lessonOf, type TrainingEpisode } from "./train/examples.js";
export {
  type Model,
  modelDigest,
  modelFailure,
  ModelSchema,
  modelSchemaVersion,
  modelText,
  readModel,
} from "./train/model.js";
export { type PartName, type Parts, partAt, partsOf } from "./pack/parts.js";
export { horizonOf, type PartOf, partOfPack } from "./pack/part-of-pack.js";
export { trainModel } from "./train/train.js";
export { artifactKinds } from "./artifact-kinds.js";
export { decidingPolicies } from "./policy/deciding.js";
export { trainOperation } from "./operations/train.js";
