import "./failures.js";
export type * from "./types.js";
export { defineOperation, reservedFlags, reservedWords } from "./define.js";
export { OperationTable } from "./registry.js";
export { perform, type PerformOptions } from "./pipeline.js";
export { mutationEvidenceGate, standardGates } from "./gates.js";
export {
  commandLineAuthority,
  commandLineInstructionRef,
  openMutationPolicy,
  openMutationPolicyDigest,
} from "./policy.js";
export { envelopeSchemaName, type EnvelopeOutcome, HostEffect, outcomeOf } from "./envelope.js";
export { type FailuresByRoom, type Manifest, type ManifestEntry, manifestEntry } from "./manifest.js";
export { commandLineName, kebabCase, propertiesOf, type Property, type ValueKind } from "./properties.js";
export { distance, nearest } from "@bridle/record";
export { type ColumnOptions, columns, displayWidth, wrap } from "./columns.js";
export { KeptThings } from "./kept.js";
export { sentencesAbout } from "./validate.js";
export { isInside, refuseOutside } from "./within.js";
