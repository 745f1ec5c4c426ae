/** The state of what answers follow from. */
import type { Operation } from "@bridle/operation";
import { healthOperation } from "../operations/health.js";

export const operations: readonly Operation[] = [healthOperation as unknown as Operation];
