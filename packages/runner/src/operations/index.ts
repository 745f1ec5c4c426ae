import type { Operation } from "@bridle/operation";
import { loopCoordinator } from "./loop-coordinator.js";
import { loopWorker } from "./loop-worker.js";

export const operations: readonly Operation[] = [loopWorker, loopCoordinator];
