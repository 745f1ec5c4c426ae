/** Finishing an issue: apart from the other changes, because it brings along what runs checks. */
import type { Operation } from "@bridle/operation";
import { issueFinish } from "../operations/issue-finish.js";

export const operations: readonly Operation[] = [issueFinish];
