/** What can be begun now: the question that is asked most, in a part of its own. */
import type { Operation } from "@bridle/operation";
import { issueReady } from "../operations/issue-ready.js";

export const operations: readonly Operation[] = [issueReady];
