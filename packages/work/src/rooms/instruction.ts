/** Instructions: checked, run and witnessed. */
import type { Operation } from "@bridle/operation";
import { instructionCheck } from "../operations/evidence/instruction-check.js";
import { instructionRun } from "../operations/evidence/instruction-run.js";
import { instructionWitnessOperation } from "../operations/evidence/instruction-witness.js";

export const operations: readonly Operation[] = [
  instructionCheck,
  instructionWitnessOperation,
  instructionRun,
];
