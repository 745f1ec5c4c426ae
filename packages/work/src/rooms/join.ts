/** The typestate of tool use. */
import type { Operation } from "@bridle/operation";
import { harnessJoinCheck } from "../operations/join-check.js";

export const operations: readonly Operation[] = [harnessJoinCheck];
