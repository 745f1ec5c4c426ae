/** Issues made and changed. */
import type { Operation } from "@bridle/operation";
import { issueAdd } from "../operations/issue-add.js";
import { issueClose } from "../operations/issue-close.js";
import { issueComment } from "../operations/issue-comment.js";
import { issueCompact } from "../operations/issue-compact.js";
import { issueDiscover } from "../operations/issue-discover.js";
import { issueLabel } from "../operations/issue-label.js";
import { issueReopen } from "../operations/issue-reopen.js";
import { issueUpdate } from "../operations/issue-update.js";

export const operations: readonly Operation[] = [
  issueAdd,
  issueUpdate,
  issueComment,
  issueLabel,
  issueClose,
  issueReopen,
  issueDiscover,
  issueCompact,
];
