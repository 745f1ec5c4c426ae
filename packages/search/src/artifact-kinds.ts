/** What stands under schemas/: every kind of file and row that this room writes. */
import type * as Type from "typebox";
import { Evaluation } from "./eval/types.js";
import { AtifTrajectory } from "./export/atif-schema.js";
import {
  EpisodeRecordSchema,
  FirstEpisodeRecordSchema,
  FirstPackManifestSchema,
  PackManifestSchema,
  TruthRecordSchema,
} from "./pack/schemas.js";
import { firstPackSchemaVersion, packSchemaVersion } from "./pack/types.js";
import {
  ArtifactSchema,
  RefusalSchema,
  RunEpisodeSchema,
  RunManifestSchema,
  StartSchema,
  StepSchema,
  TerminalSchema,
} from "./run/schemas.js";
import { runSchemaVersion } from "./run/types.js";
import { ModelSchema, modelSchemaVersion } from "./train/model.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: Type.TSchema }[] = [
  { kind: packSchemaVersion, schema: PackManifestSchema },
  { kind: firstPackSchemaVersion, schema: FirstPackManifestSchema },
  { kind: "hlq.episode.v2", schema: EpisodeRecordSchema },
  { kind: "hlq.episode.v1", schema: FirstEpisodeRecordSchema },
  { kind: "hlq.truth.v2", schema: TruthRecordSchema },
  { kind: runSchemaVersion, schema: RunManifestSchema },
  { kind: "hlq.run.start.v1", schema: StartSchema },
  { kind: "hlq.run.artifact.v1", schema: ArtifactSchema },
  { kind: "hlq.run.step.v1", schema: StepSchema },
  { kind: "hlq.run.refusal.v1", schema: RefusalSchema },
  { kind: "hlq.run.terminal.v1", schema: TerminalSchema },
  { kind: "hlq.run.episode.v1", schema: RunEpisodeSchema },
  { kind: "hlq.eval.v2", schema: Evaluation },
  { kind: modelSchemaVersion, schema: ModelSchema },
  { kind: "atif.v1.8", schema: AtifTrajectory },
];
