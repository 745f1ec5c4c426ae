/** Runs as a whole: evaluated, exported, learnt from. */
import type { Operation } from "@bridle/operation";
import { evalOperation } from "../operations/eval.js";
import { exportOperation } from "../operations/export.js";
import { openRun } from "../operations/open-run.js";
import { trainOperation } from "../operations/train.js";
import { walkForwardOperation } from "../operations/walk-forward.js";

export const operations: readonly Operation[] = [
  evalOperation(openRun),
  exportOperation(openRun),
  trainOperation(openRun),
  walkForwardOperation as unknown as Operation,
];
