/** What stands under schemas/: the rows of the one-shot log, and provenance. */
import type * as Type from "typebox";
import { OneShotArtifact, OneShotEpisode, OneShotStep } from "./log/types.js";
import { ProvenanceSchema } from "./operations/answer-schema.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: Type.TSchema }[] = [
  { kind: "hlq.oneshot.episode.v1", schema: OneShotEpisode },
  { kind: "hlq.oneshot.step.v1", schema: OneShotStep },
  { kind: "hlq.oneshot.artifact.v1", schema: OneShotArtifact },
  { kind: "hlq.provenance.v1", schema: ProvenanceSchema },
];
