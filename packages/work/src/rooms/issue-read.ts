/** The other questions about issues: nothing here changes anything. */
import type { Operation } from "@bridle/operation";
import { issueBackendStatus } from "../operations/issue-backend-status.js";
import { issueBlocked } from "../operations/issue-blocked.js";
import { issueCheck } from "../operations/issue-check.js";
import { issueList } from "../operations/issue-list.js";
import { issueSearch } from "../operations/issue-search.js";
import { issueShow } from "../operations/issue-show.js";
import { issueTree } from "../operations/issue-tree.js";

export const operations: readonly Operation[] = [
  issueBlocked,
  issueList,
  issueShow,
  issueSearch,
  issueTree,
  issueCheck,
  issueBackendStatus,
];
