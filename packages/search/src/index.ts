export * from "./types.js";
export { searchLimits } from "./limits.js";
export { estimateTokens, type HeldArtifact, loaderVersion } from "./episode/artifact.js";
export { proposalArgs } from "./episode/args.js";
export { subqueryArgs } from "./episode/branch.js";
export { EpisodeRegistry } from "./episode/registry.js";
export type { ChainedRow, Row } from "./episode/row.js";
export { beginEpisode, type EpisodeState, observe, workingSetOf } from "./episode/state.js";
export { abstainFor, type Outcome, step } from "./episode/step.js";
export * from "./pack/types.js";
export { packIdOf } from "./pack/id.js";
export { openPack, readManifest } from "./pack/open.js";
export { EpisodeRecordSchema, PackManifestSchema } from "./pack/schemas.js";
export { type PackVerification, verifyPack } from "./pack/verify.js";
export { type WritePackOptions, type WrittenPack, writePack } from "./pack/write.js";
export type * from "./policy/types.js";
export * from "./run/types.js";
export { allSearchOperations, searchRooms } from "./rooms.js";
export { plannerPolicy, plannerPolicyId, type PlannerOptions } from "./policy/planner.js";
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
export { isHeldOut, type Part, partOf, type Placed, type Split, splitOf, splitRule } from "./train/split.js";
export { trainModel } from "./train/train.js";
export { type OpenTrainingRun, trainOperation, type TrainingRun } from "./operations/train.js";
