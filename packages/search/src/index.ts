export * from "./types.js";
export { searchLimits } from "./limits.js";
export { estimateTokens, type HeldArtifact, loaderVersion } from "./episode/artifact.js";
export { proposalArgs } from "./episode/args.js";
export { subqueryArgs } from "./episode/branch.js";
export { EpisodeRegistry } from "./episode/registry.js";
export type { Row } from "./episode/row.js";
export { beginEpisode, type EpisodeState, observe, workingSetOf } from "./episode/state.js";
export { abstainFor, type Outcome, step } from "./episode/step.js";
