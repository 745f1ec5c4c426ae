import type { Operation } from "@bridle/operation";
import { changeOperations } from "./change.js";
import { loopCoordinator } from "./loop-coordinator.js";
import { loopWorker } from "./loop-worker.js";
import { wishOperations } from "./wish.js";
import { workLand } from "./work-land.js";
import { workLogs } from "./work-logs.js";
import { workReport } from "./work-report.js";
import { workStart } from "./work-start.js";
import { workStatus } from "./work-status.js";
import { worktrees } from "./worktrees.js";

export const operations: readonly Operation[] = [
  loopWorker,
  loopCoordinator,
  workStart,
  workStatus,
  workLogs,
  ...wishOperations,
  workReport,
  workLand,
  ...changeOperations,
  worktrees,
];
