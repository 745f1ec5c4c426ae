/** Required checks: their map, projections, witnesses and decisions. */
import type { Operation } from "@bridle/operation";
import { ciRequiredAttested } from "../operations/evidence/ci-required-attested.js";
import { requiredChecksExplain } from "../operations/evidence/required-checks-explain.js";
import { requiredChecksInit } from "../operations/evidence/required-checks-init.js";
import { requiredChecksSeal } from "../operations/evidence/required-checks-seal.js";
import { requiredDecisionVerify } from "../operations/evidence/required-decision-verify.js";
import { requiredDelta } from "../operations/evidence/required-delta.js";
import { requiredGateRef } from "../operations/evidence/required-gate-ref.js";
import { requiredProjection } from "../operations/evidence/required-projection.js";
import { requiredWitness } from "../operations/evidence/required-witness.js";
import { requiredWitnessDecide } from "../operations/evidence/required-witness-decide.js";
import { requiredWitnessVerify } from "../operations/evidence/required-witness-verify.js";

export const operations: readonly Operation[] = [
  requiredChecksInit,
  requiredChecksExplain,
  requiredChecksSeal,
  requiredProjection,
  requiredDelta,
  requiredGateRef,
  requiredWitness,
  requiredWitnessVerify,
  requiredWitnessDecide,
  requiredDecisionVerify,
  ciRequiredAttested,
];
