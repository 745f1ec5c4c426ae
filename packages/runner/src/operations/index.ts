import type { Operation } from "@bridle/operation";
import { loopCoordinator } from "./loop-coordinator.js";
import { loopWorker } from "./loop-worker.js";
import { wishOperations } from "./wish.js";
import { workLand } from "./work-land.js";
import { workLogs } from "./work-logs.js";
import { workReport } from "./work-report.js";
import { workStatus } from "./work-status.js";
import { worktrees } from "./worktrees.js";

export const operations: readonly Operation[] = [
  loopWorker,
  loopCoordinator,
  workStatus,
  workLogs,
  ...wishOperations,
  workReport,
  workLand,
  worktrees,
];
