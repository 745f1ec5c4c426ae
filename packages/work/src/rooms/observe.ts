/** What there is to see of the work, and whether it belongs together. */
import type { Operation } from "@bridle/operation";
import { coherenceCheck } from "../operations/coherence-check.js";
import {
  observeBuild,
  observeInstruction,
  observeLatest,
  observeNeedsAttention,
  observeProjection,
} from "../operations/observe.js";

export const operations: readonly Operation[] = [
  observeLatest,
  observeNeedsAttention,
  observeInstruction,
  observeProjection,
  observeBuild,
  coherenceCheck,
];
