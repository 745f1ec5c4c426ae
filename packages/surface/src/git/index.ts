/** What works with git: the merge of issue memory. */
import type { Operation } from "@bridle/operation";
import { issueMerge } from "./issue-merge.js";

export const operations: readonly Operation[] = [issueMerge];
