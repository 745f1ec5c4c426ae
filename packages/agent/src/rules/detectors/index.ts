/**
 * The detectors by the id of their rule. The table of rules joins them; a rule
 * that has no entry here is only said to the model.
 *
 * What a newcomer gets wrong: a detector is judged by transcripts that were
 * labelled before it was written. One that does not reach the bar there does not
 * belong in this list.
 */
import type { Detector } from "../types.js";

export const detectors: Readonly<Record<string, Detector>> = {};
