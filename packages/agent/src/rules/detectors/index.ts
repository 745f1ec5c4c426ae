/**
 * The detectors by the id of their rule. The table of rules joins them; a rule
 * that has no entry here is only said to the model.
 *
 * What a newcomer gets wrong: a detector is judged by transcripts that were
 * labelled before it was written. One that does not reach the bar there does not
 * belong in this list.
 */
import type { Detector } from "../types.js";
import { commitmentCheck } from "./commitment-check.js";
import { contractBounds } from "./contract-bounds.js";
import { dedupTools } from "./dedup-tools.js";
import { largeReadDiscipline } from "./large-read-discipline.js";
import { oneShotRetry } from "./one-shot-retry.js";

export const detectors: Readonly<Record<string, Detector>> = {
  "R-COMMITMENT-CHECK": commitmentCheck,
  "R-CONTRACT-BOUNDS": contractBounds,
  "R-DEDUP-TOOLS": dedupTools,
  "R-LARGE-READ-DISCIPLINE": largeReadDiscipline,
  "R-ONE-SHOT-RETRY": oneShotRetry,
};
