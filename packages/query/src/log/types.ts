/**
 * The one-shot log: what was asked and what became of it, for offline analysis.
 *
 * It is written only where `HLQ_TRAJECTORY_LOG_DIR` names a folder, is a side effect
 * that no answer depends on, and is no public API: its payloads may change with any
 * version. It holds no route scores, no branches and no working sets; those belong
 * to the search harness, which never writes here.
 */
import * as Type from "typebox";
import { familyNames } from "../families.js";

const oneOf = (values: readonly string[], description: string) => Type.Enum([...values], { description });

export const topicFamilies = ["traders", "markets", "none"] as const;
export const queryTypes = [...familyNames, "help", "unsupported", "error"] as const;
export const queryModes = ["help", "dry_run", "live", "error"] as const;
/** By the length of the window that was asked for: up to a day, a week, a month, longer. */
export const timeHorizons = ["none", "now", "day", "week", "month", "longer"] as const;
export const statuses = ["ok", "empty", "unsupported", "error"] as const;
export const sourceSurfaces = ["cli", "mcp"] as const;
export const retrievalStages = ["none", "routed", "rendered", "executed"] as const;
export const stepTypes = ["capability", "unsupported", "dry_run", "execution", "error"] as const;
export const artifactTypes = [
  "capability_manifest",
  "ann_shortlist",
  "sql_render",
  "sql_result_set",
  "coverage_report",
] as const;

export const OneShotEpisode = Type.Object(
  {
    episode_id: Type.String(),
    user_query: Type.String(),
    topic_family: oneOf(topicFamilies, "What the question is about."),
    query_type: oneOf(queryTypes, "The family, or what it was instead."),
    query_mode: oneOf(queryModes, "How it was carried out."),
    time_horizon: oneOf(timeHorizons, "How long a time was asked about."),
    status: oneOf(statuses, "What became of it."),
    source_surface: oneOf(sourceSurfaces, "Where it was asked."),
  },
  { title: "One question, as a person sees it" },
);

const Open = Type.Unknown();

export const OneShotStep = Type.Object(
  {
    step_id: Type.String(),
    episode_id: Type.String(),
    step_type: oneOf(stepTypes, "What was done."),
    parsed_slots: Open,
    route_family: Type.Union([Type.String(), Type.Null()]),
    chosen_route: Type.Union([Type.String(), Type.Null()], { description: "The template." }),
    retrieval_stage: oneOf(retrievalStages, "How far it came."),
    requested_slots: Type.Array(Type.String()),
    supported_slots_estimated: Type.Array(Type.String()),
    unsupported_slots_estimated: Type.Array(Type.String()),
    post_execution_coverage: Open,
    provenance_snapshot: Open,
  },
  { title: "One coarse action for a question" },
);

export const OneShotArtifact = Type.Object(
  {
    artifact_id: Type.String(),
    episode_id: Type.String(),
    step_id: Type.String(),
    artifact_type: oneOf(artifactTypes, "What it is."),
    payload: Open,
  },
  { title: "What a step touched" },
);

export type Row = Readonly<Record<string, unknown>>;
export interface LogRows {
  readonly episodes: readonly Row[];
  readonly steps: readonly Row[];
  readonly artifacts: readonly Row[];
}
