import type { Operation } from "@bridle/operation";
import { changeOperations } from "./change.js";
import { loopBoot, loopStep, loopStop } from "./hooks.js";
import { loopCoordinator } from "./loop-coordinator.js";
import { loopWorker } from "./loop-worker.js";
import { trajectoryReplay } from "./replay.js";
import { wishOperations } from "./wish.js";
import { workLand } from "./work-land.js";
import { workLogs } from "./work-logs.js";
import { workReport } from "./work-report.js";
import { workStart } from "./work-start.js";
import { workStatus } from "./work-status.js";
import { worktrees } from "./worktrees.js";

export const operations: readonly Operation[] = [
  loopBoot,
  loopStep,
  loopStop,
  loopWorker,
  loopCoordinator,
  renamed(loopWorker, "worker"),
  renamed(loopCoordinator, "coordinator"),
  trajectoryReplay,
  workStart,
  workStatus,
  workLogs,
  ...wishOperations,
  workReport,
  workLand,
  ...changeOperations,
  worktrees,
];

/** The names under which the loops were known before. */
function renamed(operation: Operation, word: "worker" | "coordinator"): Operation {
  const names = {
    id: `op/harness.${word}` as const,
    action: `harness.${word}`,
    command: [`harness-${word}`],
    tool: `harness_${word}`,
  };
  return { ...operation, names, summary: `The same as \`harness-loop ${word}\`.` };
}
