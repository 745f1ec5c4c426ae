/** What stands under schemas/: every kind of artifact that this room writes or answers. */
import type * as Type from "typebox";
import { LanesFile, lanesKind } from "./gate/lanes.js";
import { eventSchema } from "./memory/event.js";
import { IssueEvent } from "./memory/event-schema.js";
import { ReplayCache, replayCacheSchema } from "./memory/replay-cache.js";
import { IssueRow, issueRowKind } from "./memory/row-schema.js";
import { InstructionWitness, instructionWitnessKind } from "./evidence/instruction/witness.js";
import { CheckMap, checkMapKind } from "./evidence/required/check-map.js";
import { decisionKind, RequiredDecision } from "./evidence/required/decide.js";
import { RequiredWitness, requiredWitnessKind } from "./evidence/required/witness.js";
import { IssueCheck, issueCheckKind } from "./operations/issue-check.js";
import { ObservationSurface } from "./operations/observe.js";
import { observationKind } from "./projection/observation.js";
import {
  Bootstrap,
  bootstrapKind,
  FeatureCheck,
  featureCheckKind,
  FeatureLedger,
  featureLedgerKind,
  kpiKind,
  KpiReport,
  projectionKind,
  Session,
  sessionKind,
  Step,
  stepKind,
  TrajectoryProjection,
} from "./types.js";

export interface ArtifactKind {
  readonly kind: string;
  readonly schema: Type.TSchema;
}

export const artifactKinds: readonly ArtifactKind[] = [
  { kind: sessionKind, schema: Session },
  { kind: bootstrapKind, schema: Bootstrap },
  { kind: featureLedgerKind, schema: FeatureLedger },
  { kind: featureCheckKind, schema: FeatureCheck },
  { kind: stepKind, schema: Step },
  { kind: projectionKind, schema: TrajectoryProjection },
  { kind: kpiKind, schema: KpiReport },
  { kind: issueRowKind, schema: IssueRow },
  { kind: issueCheckKind, schema: IssueCheck },
  { kind: eventSchema, schema: IssueEvent },
  { kind: lanesKind, schema: LanesFile },
  { kind: replayCacheSchema, schema: ReplayCache },
  { kind: checkMapKind, schema: CheckMap },
  { kind: requiredWitnessKind, schema: RequiredWitness },
  { kind: decisionKind, schema: RequiredDecision },
  { kind: instructionWitnessKind, schema: InstructionWitness },
  { kind: observationKind, schema: ObservationSurface },
];
